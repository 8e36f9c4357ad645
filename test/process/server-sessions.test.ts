// Sessions of `parley serve`: their ids, those of other directories, and calls while one is being closed.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createDirectories, startProgram } from '../support/program.ts';
import { OFFLINE, type Server, startServer, stopServer } from '../support/server.ts';
import { connectSocket, connectWebSocket } from '../support/server-clients.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import { waitUntil } from '../support/wait-until.ts';

test.each(['', ' '])('the session id %j is refused, and other sessions can be opened', async (id) => {
  const server = await startServer();
  const refused = await server.request('/v1/sessions', { method: 'POST', body: { id } });
  expect(refused).toMatchObject({
    status: 400,
    json: { error: { message: expect.stringContaining('id must not be empty') } },
  });
  const other = await server.createSession();
  expect(await server.call(other, 'get_state')).toMatchObject({ data: { sessionId: other } });
});

test('sessions whose ids are similar come back after a restart', async () => {
  const ids = ['chat-1', 'chat-10', 'team/1', 'team-1', '会话', '記録', 'x'.repeat(500)];
  const call = (server: Server, id: string, command: string, params = {}) =>
    server.call(encodeURIComponent(id), command, params);
  const first = await startServer();
  for (const id of ids) {
    await first.createSession({ id });
    await call(first, id, 'set_session_name', { name: `name of ${id}` });
  }
  await stopServer(first);
  const second = await startServer(OFFLINE, { directories: first.program });
  for (const id of ids)
    expect(await call(second, id, 'get_state')).toMatchObject({
      data: { sessionId: id, sessionName: `name of ${id}` },
    });
});

test('sessions of other directories are listed and found, also by the beginning of their ids', async () => {
  const server = await startServer();
  const here = await server.createSession();
  const there = await server.createSession({ cwd: createTemporaryDirectory() });
  const list = async (params: object) => {
    const { sessions } = (await server.call(there, 'list_sessions', params)).data as { sessions: { id: string }[] };
    return sessions.map(({ id }) => id).sort();
  };
  expect(await list({})).toEqual([here, there].sort());
  expect(await list({ cwd: '.' })).toEqual([there]);
  expect(await server.call(there, 'find_session', { session: here.slice(0, 12) })).toMatchObject({
    data: { session: { id: here } },
  });
});

test('an unknown field of the connect line is refused', async () => {
  const path = join(createTemporaryDirectory(), 'socket');
  const server = await startServer([...OFFLINE, '--socket', path]);
  const client = await connectSocket(path);
  client.send({ type: 'connect', acess: 'read' });
  expect(await client.next({ type: 'connect_error' })).toMatchObject({
    code: 'invalid_params',
    message: 'acess is not a known field',
  });
  expect((await server.request('/v1/sessions')).json).toMatchObject({ data: { sessions: [] } });
});

/** The hook waits until the test creates the file `go`. */
const SLOW_END = `import { existsSync, writeFileSync } from 'node:fs';
export default function (api) {
  api.on('session_shutdown', async () => {
    writeFileSync('closing', '');
    while (!existsSync('go')) await new Promise((resolve) => setTimeout(resolve, 10));
  });
}`;

function startClosing(server: Server, id: string, cwd: string) {
  const closed = server.request(`/v1/sessions/${id}/close`, { method: 'POST', body: {} });
  return { closed, isClosing: () => existsSync(join(cwd, 'closing')), go: () => writeFileSync(join(cwd, 'go'), '') };
}

test('a prompt during a close runs in the session that is opened again, and not in the closed one', async () => {
  const directories = createDirectories();
  mkdirSync(join(directories.home, 'extensions'), { recursive: true });
  writeFileSync(join(directories.home, 'extensions', 'own.ts'), SLOW_END);
  const server = await startServer(OFFLINE, { directories });
  const id = await server.createSession();
  const client = await connectWebSocket(server, { session: id });
  const { closed, isClosing, go } = startClosing(server, id, directories.cwd);
  await waitUntil(isClosing);
  client.send({ type: 'prompt', message: 'run `touch orphan`' });
  const prompt = server.request(`/v1/sessions/${id}/commands/prompt?wait=settled`, {
    method: 'POST',
    body: { message: 'say `hello`' },
  });
  go();
  expect(await closed).toMatchObject({ status: 200 });
  expect(await prompt).toMatchObject({ status: 200, json: { outcome: { status: 'completed' } } });
  const state = await server.call(id, 'get_state');
  expect(state).toMatchObject({ data: { isSettled: true, messageCount: 2 } });
  expect(state).not.toHaveProperty('data.isInterrupted');
  expect(await client.closed).toMatchObject({ code: 4404 });
  expect(existsSync(join(directories.cwd, 'orphan'))).toBe(false);
});

test('replies without ids come in the order of the calls, also those to unknown commands', async () => {
  const server = await startServer();
  const client = await connectWebSocket(server);
  client.send({ type: 'get_available_models' }, { type: 'unknown' }, { type: 'get_session_stats' });
  await client.next({ type: 'response', command: 'get_session_stats' });
  const commands = client.frames.filter(({ type }) => type === 'response').map(({ command }) => command);
  expect(commands).toEqual(['get_available_models', 'unknown', 'get_session_stats']);
});

test('the id of a call does not become the id of a session', async () => {
  const client = await connectWebSocket(await startServer());
  client.send({ id: 'call-1', type: 'start_session', persist: true });
  const { data } = await client.next({ type: 'response', id: 'call-1', success: true });
  expect(data).toMatchObject({ resumed: false, sessionId: expect.not.stringMatching('call-1') });
});

test('reserved names of settings are refused', async () => {
  const server = await startServer();
  const body = '{"scope":"session","settings":{"constructor":1}}';
  const path = `/v1/sessions/${await server.createSession()}/commands/set_settings`;
  expect(await server.request(path, { method: 'POST', body })).toMatchObject({
    status: 400,
    json: { error: { message: expect.stringContaining('constructor') } },
  });
});

test('a query that is no number is named', async () => {
  const server = await startServer();
  expect((await server.request('/v1/sessions?limit=x')).json).toMatchObject({
    error: { message: 'limit must be a number (got "x")' },
  });
});

test('a model that does not exist prevents the start', async () => {
  const program = startProgram(['serve', '--port', '0', '--provider', 'parley', '--model', 'missing']);
  expect(await program.exited).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Model not found: parley/missing'),
  });
});
