// `move_session` on `parley serve`: the clients of the session stay attached to it, in every dialect, and no event is lost or repeated.
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { connectHost } from '../acp/acp-host.ts';
import type { WireFrame } from '../support/frame-collector.ts';
import { createGate, startGatedProvider } from '../support/gated-provider.ts';
import { createDirectories } from '../support/program.ts';
import { OFFLINE, type Server, startServer } from '../support/server.ts';
import { connectWebSocket, openEventStream, type ServerClient } from '../support/server-clients.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';

const prompt = (server: Server, sessionId: string, message: string) =>
  server.request(`/v1/sessions/${sessionId}/commands/prompt?wait=settled`, { method: 'POST', body: { message } });

const listMessages = async (server: Server, sessionId: string) =>
  ((await server.call(sessionId, 'get_messages')).data as { messages: { role: string }[] }).messages;

/** Positions of the events: each begins where the one before ended. */
function findGaps(frames: readonly WireFrame[]): string[] {
  const events = frames.filter(({ type, seq }) => seq !== undefined && type !== 'session_attached');
  return events.slice(1).flatMap(({ seq, firstSeq = seq, type }, at) => {
    const { seq: last } = events[at] as WireFrame;
    return Number(firstSeq) === Number(last) + 1 ? [] : [`${type} ${firstSeq} follows ${last}`];
  });
}

interface MovedSession {
  readonly server: Server;
  readonly sessionId: string;
  /** The directory to which the session is moved. */
  readonly target: string;
  move(cwd?: string): Promise<Record<string, unknown>>;
}

async function startWithSession(server: Server): Promise<MovedSession> {
  const sessionId = await server.createSession();
  await prompt(server, sessionId, 'say before');
  const target = createTemporaryDirectory();
  return { server, sessionId, target, move: (cwd = target) => server.call(sessionId, 'move_session', { cwd }) };
}

const startOffline = async () => startWithSession(await startServer([...OFFLINE, '--yolo']));

const readDirectory = async (client: ServerClient) => {
  const { data } = await client.call({ type: 'bash', command: 'pwd' });
  return (data as { output: string }).output.trim();
};

describe('clients that are attached', () => {
  test('stay attached in omp, pi, acp and event streams, and act on the moved session', async () => {
    const { server, sessionId, target, move } = await startOffline();
    const omp = await connectWebSocket(server, { session: sessionId, client: 'omp', stream: 'delta' });
    const pi = await connectWebSocket(server, { session: sessionId, client: 'pi', dialect: 'pi' });
    const acp = await connectHost(server, { client: 'acp' });
    await acp.agent.request('session/load', { sessionId, cwd: acp.program.cwd, mcpServers: [] });
    const stream = await openEventStream(server, `/v1/sessions/${sessionId}/events?stream=delta`);
    for (const client of [omp, pi]) await client.next({ type: 'session_attached' });
    await stream.next(({ data }) => data.type === 'session_attached');

    expect(await move()).toMatchObject({ success: true, data: { sessionId, cwd: target, reopened: true } });
    for (const client of [omp, pi]) {
      expect(await client.next({ type: 'session_attached' })).toMatchObject({ sessionId, replay: 'none' });
      expect(await client.next({ type: 'state_changed' })).toMatchObject({ state: { sessionId } });
    }
    await stream.next(({ data }) => data.type === 'session_attached');
    await stream.next(({ data }) => data.type === 'state_changed');

    for (const client of [omp, pi]) expect(await readDirectory(client)).toBe(target);
    expect(await omp.call({ type: 'prompt', message: 'say by omp' })).toMatchObject({ success: true });
    await omp.next({ type: 'session_settled' });
    expect(await pi.call({ type: 'prompt', message: 'say by pi' })).toMatchObject({ success: true });
    await pi.next({ type: 'agent_settled', client: 'pi' });
    expect(await acp.prompt(sessionId, 'say by acp')).toMatchObject({ stopReason: 'end_turn' });
    await prompt(server, sessionId, 'say by http');
    omp.send({ type: 'set_session_name', name: 'the end' });
    for (const client of [omp, pi]) await client.next({ type: 'session_info_changed' });
    await stream.next(({ data }) => data.type === 'session_info_changed');

    expect((await listMessages(server, sessionId)).filter(({ role }) => role === 'user')).toHaveLength(5);
    expect(acp.text('user_message_chunk')).toBe('say beforesay by ompsay by pisay by http');
    for (const frames of [omp.frames, stream.events.map(({ data }) => data)]) expect(findGaps(frames)).toEqual([]);
    const seqOf = (frames: readonly WireFrame[]) =>
      frames.find(({ type, name }) => type === 'session_info_changed' && name === 'the end')?.seq;
    expect(seqOf(pi.frames)).toBe(seqOf(omp.frames));
    const { data } = (await server.request(`/v1/sessions/${sessionId}`)).json as { data: { clients: string[] } };
    expect(data.clients).toEqual(expect.arrayContaining(['omp', 'pi', 'acp']));
  });

  test('are counted by the metrics as before', async () => {
    const { server, sessionId, move } = await startOffline();
    const countRuns = async () =>
      Number(/^parley_runs_ended_total\S* (\d+)$/m.exec((await server.request('/metrics')).text)?.[1]);
    expect(await countRuns()).toBe(1);
    await move();
    await prompt(server, sessionId, 'say after');
    expect(await countRuns()).toBe(2);
  });

  test('follow the session there and back', async () => {
    const { server, sessionId, target, move } = await startOffline();
    const omp = await connectWebSocket(server, { session: sessionId, stream: 'delta' });
    await omp.next({ type: 'session_attached' });
    const original = await readDirectory(omp);
    for (const cwd of [target, original, target]) {
      expect(await move(cwd)).toMatchObject({ success: true });
      expect(await readDirectory(omp)).toBe(cwd);
      await prompt(server, sessionId, `say in ${cwd}`);
      await omp.next({ type: 'session_settled' });
    }
    expect(await listMessages(server, sessionId)).toHaveLength(8 + 4);
    expect(findGaps(omp.frames)).toEqual([]);
  });

  test('can move the session themselves, and a session of other clients', async () => {
    const { server, sessionId, target } = await startOffline();
    const other = await connectWebSocket(server, { session: sessionId, client: 'other' });
    await other.next({ type: 'session_attached' });
    const mover = await connectWebSocket(server, { client: 'mover' });
    await mover.next({ type: 'session_attached' });
    const moved = await mover.call({ type: 'move_session', sessionId, cwd: target });
    expect(moved).toMatchObject({ success: true, data: { reopened: true } });
    expect(await other.next({ type: 'session_attached' })).toMatchObject({ sessionId });
    expect(await other.next({ type: 'state_changed' })).toMatchObject({ client: 'mover' });
    expect(await readDirectory(other)).toBe(target);
    const back = createTemporaryDirectory();
    expect(await other.call({ type: 'move_session', cwd: back })).toMatchObject({ success: true });
    expect(await readDirectory(other)).toBe(back);
  });
});

describe('a client that is not connected', () => {
  test('during the move gets what it has missed, before and after it', async () => {
    const { server, sessionId, move } = await startOffline();
    const reference = await connectWebSocket(server, { session: sessionId, stream: 'delta' });
    await reference.next({ type: 'session_attached' });
    const client = await connectWebSocket(server, { session: sessionId, stream: 'delta' });
    const { seq } = await client.next({ type: 'session_attached' });
    client.cut();
    await client.closed;
    await prompt(server, sessionId, 'say while away');
    await move();
    await prompt(server, sessionId, 'say after');
    await reference.next({ type: 'session_settled' });
    await reference.next({ type: 'session_settled' });
    const again = await connectWebSocket(server, { session: sessionId, stream: 'delta', after: String(seq) });
    expect(await again.next({ type: 'session_attached' })).toMatchObject({ replay: 'events' });
    await again.next({ type: 'session_settled' });
    await again.next({ type: 'session_settled' });
    expect(findGaps(again.frames)).toEqual([]);
    const count = (frames: readonly WireFrame[]) => frames.filter(({ type }) => type === 'message_end').length;
    expect([count(again.frames), count(reference.frames)]).toEqual([4, 4]);
    expect(again.frames.find(({ type }) => type === 'agent_start')?.seq).toBe(Number(seq) + 1);
  });

  test('and comes back while sessions are moved is never refused', async () => {
    const { server, sessionId, target, move } = await startOffline();
    const other = createTemporaryDirectory();
    const states: unknown[] = [];
    const moves = (async () => {
      for (let i = 0; i < 6; i++) states.push((await move(i % 2 === 0 ? other : target)).success);
    })();
    let isOver = false;
    void moves.finally(() => {
      isOver = true;
    });
    let connections = 0;
    while (!isOver || connections < 3) {
      const client = await connectWebSocket(server, { session: sessionId, after: '1' });
      await client.next({ type: 'session_snapshot' });
      expect(await client.call({ type: 'get_state' })).toMatchObject({ success: true });
      expect((await server.call(sessionId, 'get_state')).success).toBe(true);
      client.cut();
      connections += 1;
    }
    await moves;
    expect(states).toEqual(Array(6).fill(true));
  });
});

test('prompts that are sent during a move are accepted and run, or refused', async () => {
  const { server, sessionId, target } = await startOffline();
  const mover = await connectWebSocket(server, { client: 'mover' });
  await mover.next({ type: 'session_attached' });
  const client = await connectWebSocket(server, { session: sessionId, stream: 'delta' });
  await client.next({ type: 'session_attached' });
  const accepted: string[] = [];
  for (let round = 0; round < 6; round++) {
    const cwd = join(target, String(round));
    mkdirSync(cwd);
    // Calls of another session are not ordered with those of the session.
    const moving = mover.call({ type: 'move_session', sessionId, cwd });
    const messages = [`say http ${round}`, `say socket ${round}`] as const;
    const replies = await Promise.all([
      prompt(server, sessionId, messages[0]).then(({ json }) => json as { success: boolean; error?: object }),
      client.call({ type: 'prompt', message: messages[1] }),
    ]);
    for (const [at, { success, error }] of replies.entries()) {
      if (success) accepted.push(messages[at] as string);
      else expect(error).toBeTruthy();
    }
    const { success, error } = await moving;
    if (!success) expect(error).toMatch(/during a run/);
    // Ends what was queued.
    await prompt(server, sessionId, 'say end');
  }
  const stored = JSON.stringify(await listMessages(server, sessionId));
  expect(accepted.filter((message) => !stored.includes(JSON.stringify(message).slice(1, -1)))).toEqual([]);
  expect(findGaps(client.frames)).toEqual([]);
});

test('a move during a run is refused, and the run continues', async () => {
  const gate = createGate();
  const provider = await startGatedProvider([[{ text: 'before' }], [{ text: 'one ' }, { gate }, { text: 'two' }]]);
  const server = await startServer(provider.flags, { directories: provider.directories });
  const { sessionId, move } = await startWithSession(server);
  const client = await connectWebSocket(server, { session: sessionId, stream: 'delta' });
  await client.next({ type: 'session_attached' });
  await client.call({ type: 'prompt', message: 'Count.' });
  await gate.reached;
  expect(await move()).toMatchObject({ success: false, error: { code: 'busy' } });
  gate.open();
  await client.next({ type: 'session_settled' });
  expect(JSON.stringify(await listMessages(server, sessionId))).toContain('one two');
  expect(client.frames.filter(({ type }) => type === 'session_attached')).toHaveLength(1);
  expect(findGaps(client.frames)).toEqual([]);
  expect(await move()).toMatchObject({ success: true });
});

test('a move to what is not a directory is refused, and the session stays open for its clients', async () => {
  const { server, sessionId, target, move } = await startOffline();
  const client = await connectWebSocket(server, { session: sessionId });
  await client.next({ type: 'session_attached' });
  const before = await readDirectory(client);
  for (const cwd of [join(target, 'missing'), '/dev/null', '']) {
    expect(await move(cwd)).toMatchObject({ success: false });
    expect(await readDirectory(client)).toBe(before);
  }
  expect(existsSync(join(target, 'missing'))).toBe(false);
  expect(client.frames.filter(({ type }) => type === 'session_attached')).toHaveLength(1);
});

test('the numbers of a session that was moved without clients continue', async () => {
  const directories = createDirectories();
  const server = await startServer([...OFFLINE], { directories });
  const { sessionId, move } = await startWithSession(server);
  const readSeq = async () =>
    ((await server.request(`/v1/sessions/${sessionId}`)).json as { data: { seq: number } }).data.seq;
  const before = await readSeq();
  await move();
  const after = await readSeq();
  expect(after).toBeGreaterThanOrEqual(before);
  const client = await connectWebSocket(server, { session: sessionId, after: String(before) });
  expect(await client.next({ type: 'session_attached' })).toMatchObject({ replay: 'events', seq: after });
});

test.each([
  ['with the character U+0000', 'a\0b'],
  ['that is too long', '/'.padEnd(5000, 'a')],
])('a directory with a name %s is refused', async (_, cwd) => {
  const { server, sessionId, move } = await startOffline();
  expect(await move(cwd)).toMatchObject({
    error: { code: 'config', message: expect.stringContaining('Working directory cannot be reached') },
  });
  expect(await listMessages(server, sessionId)).toHaveLength(2);
});
