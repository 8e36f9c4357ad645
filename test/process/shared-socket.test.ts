// Programs on the socket of `parley --mode rpc --socket PATH` while the host opens, switches and branches conversations, and when the process ends.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type ClientEvent, connectAgent } from '../../src/client/index.ts';
import type { WireFrame } from '../support/frame-collector.ts';
import { createDirectories, type Program, startRpc } from '../support/program.ts';
import { OFFLINE } from '../support/server.ts';
import { connectSocket, type ServerClient } from '../support/server-clients.ts';
import { waitUntil } from '../support/wait-until.ts';

interface SharedProgram {
  readonly host: Program;
  readonly socket: string;
  readonly sessionId: string;
}

async function startShared(args: readonly string[] = []): Promise<SharedProgram> {
  const directories = createDirectories();
  const socket = join(directories.home, 's');
  const host = startRpc([...OFFLINE, '--socket', socket, ...args], { directories });
  const { sessionId } = await host.nextFrame({ type: 'session_attached' });
  return { host, socket, sessionId: String(sessionId) };
}

async function prompt(host: Program, message: string): Promise<void> {
  expect(await host.call({ type: 'prompt', message })).toMatchObject({ success: true });
  await host.nextFrame({ type: 'session_settled' });
}

const readState = async (client: Pick<ServerClient, 'call'>) =>
  (await client.call({ type: 'get_state' })).data as { sessionId: string; messageCount: number };

/** Each event is the one after the last. pi has no frames for some events. */
function expectNoGap(frames: readonly WireFrame[], dialect = 'omp'): void {
  const events = frames.filter(({ type, seq }) => seq !== undefined && type !== 'session_attached');
  let last: number | undefined;
  for (const { seq, firstSeq = seq, type } of events) {
    if (last !== undefined && dialect === 'omp') expect({ type, firstSeq }).toEqual({ type, firstSeq: last + 1 });
    expect(Number(firstSeq)).toBeGreaterThan(last ?? 0);
    last = Number(seq);
  }
  expect(events.length).toBeGreaterThan(0);
}

/** The commands by which the host changes its conversation. Each prepares what it needs. */
const CHANGES: readonly [string, (host: Program, sessionId: string) => Promise<object>][] = [
  ['new_session', async () => ({ type: 'new_session' })],
  [
    'switch_session',
    async (host) => {
      const { data } = await host.call({ type: 'get_state' });
      const { sessionFile } = data as { sessionFile: string };
      await host.call({ type: 'new_session' });
      return { type: 'switch_session', sessionPath: sessionFile };
    },
  ],
  [
    'branch',
    async (host) => {
      const { data } = await host.call({ type: 'get_branch_messages' });
      const [, second] = (data as { messages: { entryId: string }[] }).messages;
      return { type: 'branch', entryId: second?.entryId };
    },
  ],
  ['clone', async () => ({ type: 'clone' })],
];

describe.each(CHANGES)('when the host calls %s', (_, prepare) => {
  test.each(['omp', 'pi'])('clients of %s learn the new session, and stay in it', async (dialect) => {
    const { host, socket, sessionId } = await startShared();
    for (const message of ['say one', 'say two']) await prompt(host, message);
    const change = (await prepare(host, sessionId)) as { type: string };
    const before = (await readState(host)).sessionId;
    const client = await connectSocket(socket, { type: 'connect', dialect, stream: 'delta', client: 'program' });
    const first = await client.next({ type: 'session_attached' });
    expect(first).toMatchObject({ sessionId: before, sessions: 'one', replay: 'none' });

    expect(await host.call(change)).toMatchObject({ success: true });
    const after = (await readState(host)).sessionId;
    expect(after).not.toBe(before);
    const changed = await client.next({ type: 'conversation_changed' });
    expect(changed).toMatchObject({ sessionId: after, reason: 'switched', client: 'host' });
    const attached = await client.next({ type: 'session_attached' });
    expect(attached).toMatchObject({ sessionId: after, clientId: 'program', replay: 'none', seq: changed.seq });
    expect(Number(attached.seq)).toBeGreaterThan(Number(first.seq));
    expect(host.frames.filter(({ type }) => type === 'session_attached').at(-1)).toMatchObject({ sessionId: after });

    // Both are in the same conversation.
    const { messageCount } = await readState(client);
    await prompt(host, 'say three');
    await client.next({ type: 'agent_settled' });
    expect(await readState(client)).toMatchObject({ sessionId: after, messageCount: messageCount + 2 });
    expect(await client.call({ type: 'prompt', message: 'say four' })).toMatchObject({ success: true });
    await client.next({ type: 'agent_settled', client: 'program' });
    expect(await readState(host)).toMatchObject({ sessionId: after, messageCount: messageCount + 4 });
    expectNoGap(client.frames, dialect);
  });

  test('a client that was not connected comes back with the old id, and misses nothing', async () => {
    const { host, socket, sessionId } = await startShared();
    for (const message of ['say one', 'say two']) await prompt(host, message);
    const change = (await prepare(host, sessionId)) as { type: string };
    const connect = { type: 'connect', stream: 'delta' };
    const reference = await connectSocket(socket, connect);
    await reference.next({ type: 'session_attached' });
    const client = await connectSocket(socket, connect);
    const { sessionId: before, seq } = await client.next({ type: 'session_attached' });
    client.cut();
    await client.closed;
    expect(await host.call(change)).toMatchObject({ success: true });
    await prompt(host, 'say three');
    await reference.next({ type: 'session_settled' });

    const again = await connectSocket(socket, { ...connect, session: before, after: seq });
    const attached = await again.next({ type: 'session_attached' });
    expect(attached).toMatchObject({ sessionId: (await readState(host)).sessionId, replay: 'events' });
    expect(attached.sessionId).not.toBe(before);
    await again.next({ type: 'conversation_changed', sessionId: attached.sessionId });
    await again.next({ type: 'session_settled' });
    expectNoGap(again.frames);
    const listTypes = ({ frames }: ServerClient) =>
      [...new Set(frames.filter(({ type, seq: number }) => number !== undefined && type !== 'session_attached'))]
        .map(({ type, assistantMessageEvent }) => (assistantMessageEvent ? 'delta' : type))
        .filter((type, at, all) => type !== 'delta' || all[at - 1] !== 'delta');
    expect(listTypes(again)).toEqual(listTypes(reference));
  });
});

test('a client that comes back with the old id and a wrong position gets a snapshot of the new conversation', async () => {
  const { host, socket, sessionId } = await startShared();
  await prompt(host, 'say one');
  await host.call({ type: 'new_session' });
  const { sessionId: current } = await readState(host);
  for (const [after, reason] of [
    [1, 'too_old'],
    [9_007_199_254_740_000, 'unknown_position'],
    ['x', 'malformed'],
  ] as const) {
    const client = await connectSocket(socket, { type: 'connect', session: sessionId, after });
    expect(await client.next({ type: 'session_attached' })).toMatchObject({ sessionId: current, replay: 'snapshot' });
    expect(await client.next({ type: 'session_snapshot' })).toMatchObject({
      ...{ reason, sessionId: current, totalMessages: 0 },
    });
  }
});

test('a client that asks for an earlier or an unknown session without a position is refused', async () => {
  const { host, socket, sessionId } = await startShared();
  await prompt(host, 'say one');
  await host.call({ type: 'new_session' });
  for (const params of [{ session: sessionId }, { session: 'unknown', after: 1 }]) {
    const client = await connectSocket(socket, { type: 'connect', ...params });
    expect(await client.next({ type: 'connect_error' })).toMatchObject({ code: 'not_found' });
  }
});

test('the TypeScript client continues in the new session after a lost connection', async () => {
  const { host, socket, sessionId } = await startShared();
  const agent = await connectAgent({ url: `unix:${socket}`, reconnect: { initialDelayMs: 300 }, client: 'bot' });
  onTestFinished(async () => void (await agent.close()));
  const events: ClientEvent[] = [];
  agent.onEvent((event) => events.push(event));
  await prompt(host, 'say one');
  await host.call({ type: 'new_session' });
  await waitUntil(() => agent.attachment.sessionId !== sessionId);
  await prompt(host, 'say two');
  await waitUntil(() => events.filter(({ type }) => type === 'session_settled').length === 2);
  expect(await agent.promptAndWait('say three')).toHaveLength(2);
  expect((await agent.call('get_state')).sessionId).toBe((await readState(host)).sessionId);
  const numbers = events.map(({ seq, firstSeq = seq }) => [firstSeq, seq]);
  numbers.slice(1).forEach(([first], at) => {
    expect(first).toBe(Number(numbers[at]?.[1]) + 1);
  });
});

test('calls of all clients keep their order while the conversation is replaced', async () => {
  const { host, socket } = await startShared();
  const client = await connectSocket(socket, { type: 'connect', client: 'program' });
  await client.next({ type: 'session_attached' });
  for (let round = 0; round < 5; round++) {
    const pending = host.call({ type: 'new_session' });
    host.send({ type: 'set_session_name', name: `host ${round}` });
    await client.next({ type: 'conversation_changed' });
    // The name that the host has set before must not come later.
    expect(await client.call({ type: 'set_session_name', name: `program ${round}` })).toMatchObject({ success: true });
    await pending;
    expect(((await client.call({ type: 'get_state' })).data as { sessionName: string }).sessionName).toBe(
      `program ${round}`,
    );
  }
});

describe('the end of the process is announced on the socket', () => {
  test('when the host closes its input', async () => {
    const { host, socket } = await startShared();
    const client = await connectSocket(socket, { type: 'connect' });
    await client.next({ type: 'session_attached' });
    host.stdin.end();
    expect(await client.next({ type: 'connection_end' })).toMatchObject({ code: 1012 });
    expect((await host.exited).code).toBe(0);
    expect(existsSync(socket)).toBe(false);
  });

  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('after %s, also during a run', async (signal) => {
    const { host, socket } = await startShared();
    const client = await connectSocket(socket, { type: 'connect' });
    await client.next({ type: 'session_attached' });
    host.send({ type: 'prompt', message: 'run `sleep 60`' });
    await client.next({ type: 'tool_execution_start' });
    host.kill(signal);
    expect(await client.next({ type: 'connection_end' })).toMatchObject({ code: 1012 });
    expect((await host.exited).code).toBe({ SIGTERM: 143, SIGINT: 130, SIGHUP: 129 }[signal]);
    expect(existsSync(socket)).toBe(false);
  });

  test('when an extension asks to end the program', async () => {
    const directories = createDirectories();
    const extension = join(directories.cwd, 'quit.ts');
    writeFileSync(
      extension,
      `export default (pi) => pi.registerCommand('quit-now', { handler: async (_, ctx) => ctx.shutdown() });`,
    );
    const socket = join(directories.home, 's');
    const host = startRpc([...OFFLINE, '--socket', socket, '--extension', extension], { directories });
    await host.nextFrame({ type: 'session_attached' });
    const client = await connectSocket(socket, { type: 'connect' });
    await client.next({ type: 'session_attached' });
    client.send({ id: 'q', type: 'prompt', message: '/quit-now' });
    expect(await client.next({ type: 'connection_end' })).toMatchObject({ code: 1012 });
    expect((await host.exited).code).toBe(0);
  });
});
