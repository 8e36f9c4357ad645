// Nodes of a fleet: any node serves any session, and a client does not notice which node has it open.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { connectHost } from '../acp/acp-host.ts';
import type { WireFrame } from '../support/frame-collector.ts';
import { createGate, startGatedProvider } from '../support/gated-provider.ts';
import { startRpc } from '../support/program.ts';
import { findGaps, readMetric, startFleet } from '../support/relay-fleet.ts';
import { OFFLINE, type Server, stopServer } from '../support/server.ts';
import { connectWebSocket, openEventStream } from '../support/server-clients.ts';
import { waitUntil } from '../support/wait-until.ts';

const prompt = (server: Server, sessionId: string, message: string, wait = 'settled') =>
  server.request(`/v1/sessions/${sessionId}/commands/prompt?wait=${wait}`, { method: 'POST', body: { message } });

const listTexts = async (server: Server, sessionId: string) =>
  JSON.stringify(((await server.call(sessionId, 'get_messages')).data as { messages: unknown[] }).messages);

const countOpen = (server: Server) => readMetric(server, 'parley_sessions_open');

/** The numbers of the events that all clients of a session get, with their types. */
const listPositions = (frames: readonly WireFrame[]) =>
  frames
    .filter(({ type, seq }) => seq !== undefined && !['session_attached', 'message_update'].includes(type))
    .map(({ type, seq }) => `${seq} ${type}`);

describe('a session that another node has open', () => {
  test('is used over HTTP on every node, and is open on one', async () => {
    const { nodes } = await startFleet({ nodes: 3 });
    const [a, b, c] = nodes as [Server, Server, Server];
    const id = await a.createSession();
    expect(await prompt(b, id, 'say one')).toMatchObject({ status: 200, json: { success: true } });
    expect(await prompt(c, id, 'say two', 'accepted')).toMatchObject({ status: 202, json: { success: true } });
    expect(await prompt(a, id, 'say three')).toMatchObject({ status: 200 });
    await waitUntil(async () => (await listTexts(b, id)).includes('say three'));
    for (const node of nodes) {
      expect((await node.request(`/v1/sessions/${id}`)).json).toMatchObject({
        data: { sessionId: id, isOpen: true, seq: expect.any(Number) },
      });
      expect((await node.request(`/v1/sessions/${id}/dialogs`)).json).toMatchObject({ data: { dialogs: [] } });
      expect((await node.request(`/v1/sessions/${id}/export`)).text).toContain('say one');
    }
    expect(await Promise.all([a, b, c].map(countOpen))).toEqual([1, 0, 0]);
  });

  test('faults keep their code, message and details', async () => {
    const { nodes } = await startFleet();
    const [a, b] = nodes as [Server, Server];
    const id = await a.createSession();
    for (const [command, params] of [
      ['prompt', { message: 7 }],
      ['no_such_command', {}],
      ['set_model', { provider: 'parley', modelId: 'unknown' }],
    ] as const)
      expect(await b.call(id, command, params)).toEqual(await a.call(id, command, params));
    const readOnly = { method: 'POST', body: { message: 'say x' } };
    const path = `/v1/sessions/${id}/commands/prompt?access=read`;
    expect(await b.request(path, readOnly)).toMatchObject({ status: 403, json: { error: { code: 'refused' } } });
    expect(await b.request('/v1/sessions/unknown')).toMatchObject({ status: 404 });
    const wrong = { method: 'POST', body: { value: 'x' } };
    expect(await b.request(`/v1/sessions/${id}/dialogs/none`, wrong)).toMatchObject({ status: 404 });
  });

  test('large replies and large calls are relayed', async () => {
    const { nodes } = await startFleet();
    const [a, b] = nodes as [Server, Server];
    const id = await a.createSession();
    const long = 'long text '.repeat(300_000);
    expect(await prompt(b, id, `say \`${long}\``)).toMatchObject({ status: 200 });
    const messages = await listTexts(b, id);
    expect(messages).toContain(long.trim());
    expect(await listTexts(a, id)).toBe(messages);
  });

  test('events have the same numbers on all nodes, without gaps, for prompts from both sides', async () => {
    const { nodes } = await startFleet();
    const [a, b] = nodes as [Server, Server];
    const id = await a.createSession();
    const near = await connectWebSocket(a, { session: id, client: 'near', stream: 'delta' });
    const far = await connectWebSocket(b, { session: id, client: 'far', stream: 'delta' });
    const stream = await openEventStream(b, `/v1/sessions/${id}/events?stream=delta`);
    for (const client of [near, far]) await client.next({ type: 'session_attached' });
    await stream.next(({ data }) => data.type === 'session_attached');
    for (let round = 0; round < 3; round++) {
      expect(await far.call({ type: 'prompt', message: `count to 40, round ${round}` })).toMatchObject({
        success: true,
      });
      await far.next({ type: 'session_settled' });
      await near.next({ type: 'session_settled' });
      expect(await near.call({ type: 'prompt', message: `say near ${round}` })).toMatchObject({ success: true });
      await near.next({ type: 'session_settled' });
      await far.next({ type: 'session_settled' });
    }
    near.send({ type: 'set_session_name', name: 'the end' });
    const isEnd = ({ type }: WireFrame) => type === 'session_info_changed';
    await Promise.all([near.next(isEnd), far.next(isEnd), stream.next(({ data }) => isEnd(data))]);
    const streamed = stream.events.map(({ data }) => data);
    for (const frames of [near.frames, far.frames, streamed]) expect(findGaps(frames)).toEqual([]);
    const untilEnd = (frames: readonly WireFrame[]) => frames.slice(0, frames.findIndex(isEnd) + 1);
    const expected = listPositions(untilEnd(near.frames));
    expect(listPositions(untilEnd(far.frames))).toEqual(expected);
    expect(listPositions(untilEnd(streamed))).toEqual(expected);
    expect(far.frames.filter(({ type }) => type === 'agent_start').map(({ client }) => client)).toEqual(
      Array(3).fill(['far', 'near']).flat(),
    );
    const { data } = (await b.request(`/v1/sessions/${id}`)).json as { data: { clients: string[] } };
    expect(data.clients).toEqual(expect.arrayContaining(['near', 'far']));
    expect(await readMetric(b, 'parley_relayed{direction="out"}')).toBe(2);
    expect(await readMetric(a, 'parley_relayed{direction="in"}')).toBe(2);
    expect((await b.request('/healthz')).json).toMatchObject({ node: expect.any(String), relayedClients: 2 });
  });

  test('a position of one node is valid on the other one', async () => {
    const { nodes } = await startFleet();
    const [a, b] = nodes as [Server, Server];
    const id = await a.createSession();
    const first = await connectWebSocket(a, { session: id, stream: 'delta' });
    const { seq } = await first.next({ type: 'session_attached' });
    first.cut();
    await prompt(b, id, 'say missed');
    const again = await connectWebSocket(b, { session: id, stream: 'delta', after: String(seq) });
    expect(await again.next({ type: 'session_attached' })).toMatchObject({ replay: 'events' });
    await again.next({ type: 'session_settled' });
    expect(again.frames.find((frame) => frame.type === 'agent_start')?.seq).toBe(Number(seq) + 1);
    expect(findGaps(again.frames)).toEqual([]);
    const stream = await openEventStream(b, `/v1/sessions/${id}/events`, { 'last-event-id': '17' });
    expect((await stream.next(({ data }) => data.type === 'session_snapshot')).data).toMatchObject({
      reason: 'too_old',
    });
  });

  test('a client on another node steers the run and follows it while it streams', async () => {
    const gate = createGate();
    const provider = await startGatedProvider([
      [{ text: 'Begun. ' }, { gate }, { text: 'Ended.' }],
      [{ text: 'Steered.' }],
    ]);
    const { nodes } = await startFleet({
      args: provider.flags,
      directories: provider.directories,
      env: keyOf(provider),
    });
    const [a, b] = nodes as [Server, Server];
    const id = await a.createSession();
    const far = await connectWebSocket(b, { session: id, client: 'far', stream: 'delta' });
    await far.next({ type: 'session_attached' });
    await prompt(a, id, 'begin', 'accepted');
    await gate.reached;
    await far.next(({ type, ...frame }) => type === 'message_update' && JSON.stringify(frame).includes('Begun'));
    await far.call({ type: 'steer', message: 'another way' });
    gate.open();
    await far.next({ type: 'session_settled' });
    expect(await listTexts(a, id)).toContain('another way');
    expect(findGaps(far.frames)).toEqual([]);
  });

  test('an approval is answered on either node, and the first answer wins', async () => {
    const { nodes } = await startFleet({ args: [...OFFLINE, '--approval-mode', 'ask'] });
    const [a, b] = nodes as [Server, Server];
    const id = await a.createSession();
    const near = await connectWebSocket(a, { session: id, client: 'near', stream: 'delta' });
    const far = await connectWebSocket(b, { session: id, client: 'far', stream: 'delta' });
    for (const client of [near, far]) await client.next({ type: 'session_attached' });
    const ask = async () => {
      await prompt(a, id, 'run `echo approved > a.txt`', 'accepted');
      const dialogs = await Promise.all(
        [near, far].map((client) => client.next({ type: 'extension_ui_request', method: 'select' })),
      );
      expect(dialogs[0]?.id).toBe(dialogs[1]?.id);
      return dialogs[0] as WireFrame & { options: string[] };
    };
    const first = await ask();
    far.send({ type: 'extension_ui_response', id: first.id, value: first.options[0] });
    await near.next({ type: 'extension_ui_request', method: 'cancel' });
    await near.next({ type: 'session_settled' });
    const second = await ask();
    const path = `/v1/sessions/${id}/dialogs`;
    expect((await b.request(path)).json).toMatchObject({ data: { dialogs: [{ id: second.id }] } });
    const answer = (node: Server, value: string) =>
      node.request(`${path}/${second.id}`, { method: 'POST', body: { value } });
    expect(await answer(b, 'no such option')).toMatchObject({ status: 400 });
    const statuses = await Promise.all([answer(b, 'deny'), answer(a, 'deny')]);
    expect(statuses.map(({ status }) => status).sort()).toEqual([200, 404]);
    await far.next({ type: 'session_settled' });
  });

  test('the list shows what sessions of other nodes are doing', async () => {
    const gate = createGate();
    const provider = await startGatedProvider([[{ text: 'Begun.' }, { gate }]]);
    const { nodes } = await startFleet({
      args: provider.flags,
      directories: provider.directories,
      env: keyOf(provider),
    });
    const [a, b] = nodes as [Server, Server];
    const id = await a.createSession();
    const activity = async () => {
      const { json } = await b.request('/v1/sessions');
      return (json as { data: { sessions: { id: string; activity: string }[] } }).data.sessions.find(
        (session) => session.id === id,
      )?.activity;
    };
    await prompt(a, id, 'begin', 'accepted');
    await gate.reached;
    expect(await activity()).toBe('running');
    gate.open();
    await expect.poll(activity).toBe('idle');
    expect(await countOpen(b)).toBe(0);
  });

  test('is opened, closed and deleted by calls on another node', async () => {
    const { nodes } = await startFleet();
    const [a, b] = nodes as [Server, Server];
    const id = await a.createSession();
    await prompt(a, id, 'say something');
    expect(await b.createSession({ id })).toBe(id);
    const fork = await b.request(`/v1/sessions/${id}/fork`, { method: 'POST', body: {} });
    expect(fork).toMatchObject({ status: 200 });
    const { sessionId: copy } = (fork.json as { data: { sessionId: string } }).data;
    expect(await listTexts(a, copy)).toContain('say something');
    expect(await b.request(`/v1/sessions/${id}/close`, { method: 'POST' })).toMatchObject({ status: 200 });
    expect(await countOpen(a)).toBe(0);
    expect(await listTexts(b, id)).toContain('say something');
    expect(await countOpen(b)).toBe(2);
    const far = await connectWebSocket(a, { session: id });
    await far.next({ type: 'session_attached' });
    expect(await a.request(`/v1/sessions/${id}`, { method: 'DELETE' })).toMatchObject({ status: 200 });
    expect(await far.closed).toMatchObject({ code: 4404 });
    expect(await b.request(`/v1/sessions/${id}`)).toMatchObject({ status: 404 });
  });

  test('the audit log of both nodes names the client', async () => {
    const { nodes } = await startFleet();
    const [a, b] = nodes as [Server, Server];
    const id = await a.createSession();
    const far = await connectWebSocket(b, { session: id, client: 'far' });
    await far.next({ type: 'session_attached' });
    await far.call({ type: 'set_session_name', name: 'x' });
    const read = (node: Server) => readFileSync(join(node.program.home, 'serve', 'audit.jsonl'), 'utf8');
    const find = (node: Server, action: string) =>
      read(node)
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
        .find((record) => record.action === action && record.client === 'far');
    await waitUntil(() => find(a, 'call') && find(b, 'connect'));
    const client = { client: 'far', token: 'owner', remoteAddress: '127.0.0.1', session: id };
    expect(find(a, 'connect')).toMatchObject(client);
    expect(find(a, 'call')).toMatchObject({ ...client, command: 'set_session_name' });
    expect(find(b, 'connect')).toMatchObject({ ...client, node: expect.any(String) });
  });
});

describe('a node that ends', () => {
  test('by kill -9: its clients on other nodes are disconnected, come back, and get a snapshot', async () => {
    const { nodes } = await startFleet();
    const [a, b] = nodes as [Server, Server];
    const id = await a.createSession();
    await prompt(a, id, 'say before');
    const far = await connectWebSocket(b, { session: id, stream: 'delta' });
    const { seq } = await far.next({ type: 'session_attached' });
    const stream = await openEventStream(b, `/v1/sessions/${id}/events`);
    await stream.next(({ data }) => data.type === 'session_attached');
    await stopServer(a, 'SIGKILL');
    expect(await far.closed).toMatchObject({ code: 1012, reason: expect.stringContaining('Connect again') });
    expect((await stream.next(({ event }) => event === 'end')).data).toMatchObject({
      reason: expect.stringContaining('Connect again'),
    });
    const again = await connectWebSocket(b, { session: id, after: String(seq) });
    expect(await again.next({ type: 'session_snapshot' })).toMatchObject({ reason: 'too_old', sessionId: id });
    expect(await again.call({ type: 'prompt', message: 'say after' })).toMatchObject({ success: true });
    await again.next({ type: 'session_settled' });
    const texts = await listTexts(b, id);
    for (const text of ['say before', 'say after']) expect(texts).toContain(text);
  });

  test('by kill -9: a call in progress fails, says what to do, and is not executed again', async () => {
    const gate = createGate();
    const provider = await startGatedProvider([[{ text: 'Begun.' }, { gate }]]);
    const { nodes } = await startFleet({
      args: provider.flags,
      directories: provider.directories,
      env: keyOf(provider),
    });
    const [a, b] = nodes as [Server, Server];
    const id = await a.createSession();
    const reply = prompt(b, id, 'only once');
    await gate.reached;
    await stopServer(a, 'SIGKILL');
    expect(await reply).toMatchObject({
      status: 503,
      json: { error: { code: 'busy', message: expect.stringContaining('send the call again') } },
    });
    gate.open();
    const texts = await listTexts(b, id);
    expect(texts.split('only once')).toHaveLength(2);
  });

  test('with SIGTERM: its sessions are open on other nodes at once', async () => {
    const { nodes } = await startFleet({ nodes: 3 });
    const [a, b, c] = nodes as [Server, Server, Server];
    const id = await a.createSession();
    await prompt(a, id, 'say before');
    const far = await connectWebSocket(b, { session: id });
    await far.next({ type: 'session_attached' });
    const stopped = stopServer(a);
    expect(await far.closed).toMatchObject({ code: 1012 });
    const again = await connectWebSocket(b, { session: id });
    await again.next({ type: 'session_attached' });
    expect(await prompt(c, id, 'say after')).toMatchObject({ status: 200 });
    expect((await stopped).code).toBe(143);
    await again.next({ type: 'session_settled' });
  });

  test('relays no more: its own clients come back on other nodes, and the session stays open', async () => {
    const { nodes } = await startFleet();
    const [a, b] = nodes as [Server, Server];
    const id = await a.createSession();
    const far = await connectWebSocket(b, { session: id, client: 'far', stream: 'delta' });
    const { seq } = await far.next({ type: 'session_attached' });
    await stopServer(b);
    expect(await far.closed).toMatchObject({ code: 1012 });
    await prompt(a, id, 'say meanwhile');
    const again = await connectWebSocket(a, { session: id, after: String(seq), stream: 'delta' });
    expect(await again.next({ type: 'session_attached' })).toMatchObject({ replay: 'events' });
    await again.next({ type: 'session_settled' });
    const { json } = await a.request(`/v1/sessions/${id}`);
    expect((json as { data: { clients: string[] } }).data.clients).not.toContain('far');
  });
});

test('a session that moves between nodes because it is idle is never refused', async () => {
  const { nodes } = await startFleet({ args: [...OFFLINE, '--set', 'serve.idleMinutes=0.01'] });
  const [a, b] = nodes as [Server, Server];
  const id = await a.createSession();
  await prompt(a, id, 'say begin');
  for (let round = 0; round < 4; round++) {
    await waitUntil(async () => (await countOpen(a)) + (await countOpen(b)) === 0);
    const replies = await Promise.all([a, b].map((node) => node.call(id, 'get_state')));
    for (const reply of replies) expect(reply).toMatchObject({ success: true });
  }
});

test('a client that opens a session of another node with a command gets the remedy', async () => {
  const { nodes } = await startFleet();
  const [a, b] = nodes as [Server, Server];
  const [onA, onB] = [await a.createSession(), await b.createSession()];
  const client = await connectWebSocket(a, { session: onA });
  await client.next({ type: 'session_attached' });
  expect(await client.call({ type: 'switch_session', sessionPath: onB })).toMatchObject({
    success: false,
    error: expect.stringContaining(`Connect again with session=${onB}`),
  });
  expect(await client.call({ type: 'get_state' })).toMatchObject({ data: { sessionId: onA } });
  const acp = await connectHost(a, { client: 'acp' });
  const load = () => acp.agent.request('session/load', { sessionId: onB, cwd: acp.program.cwd, mcpServers: [] });
  await expect(load()).rejects.toMatchObject({ message: expect.stringContaining(`/v1/sessions/${onB}/close`) });
  expect(await a.request(`/v1/sessions/${onB}/close`, { method: 'POST' })).toMatchObject({ status: 200 });
  await load();
  expect(await countOpen(b)).toBe(0);
});

test('a session of a process that is no node is refused, and the process is named', async () => {
  const { url, nodes } = await startFleet({ nodes: 1 });
  const [a] = nodes as [Server];
  const host = startRpc(OFFLINE, { env: { PARLEY_DATABASE_URL: url } });
  await host.call({ type: 'prompt', message: 'say hello' });
  await host.nextFrame({ type: 'agent_end' });
  const { data } = (await host.call({ type: 'get_state' })) as unknown as { data: { sessionId: string } };
  expect(await a.call(data.sessionId, 'get_state')).toMatchObject({
    error: { code: 'refused', message: expect.stringContaining(`process ${host.pid}`), details: { reason: 'in_use' } },
  });
});

test('clients are relayed with encryption', async () => {
  const key = `k1:${Buffer.alloc(32, 7).toString('base64')}`;
  const { nodes } = await startFleet({ env: { PARLEY_DATABASE_KEY: key } });
  const [a, b] = nodes as [Server, Server];
  const id = await a.createSession();
  const far = await connectWebSocket(b, { session: id });
  await far.next({ type: 'session_attached' });
  expect(await far.call({ type: 'prompt', message: 'say encrypted' })).toMatchObject({ success: true });
  await far.next({ type: 'session_settled' });
});

/** The other nodes have their own directories, without the files of the provider. */
function keyOf({ directories }: { directories: { home: string } }): Record<string, string> {
  return { PARLEY_DIR: directories.home };
}
