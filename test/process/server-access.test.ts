// Read-only access to `parley serve`: every command over HTTP, WebSocket and socket, the methods of opal and acp, dialogs and routes.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commandTable } from '../../src/commands/command-table.ts';
import { addMultiSessionCommands } from '../../src/commands/multi-session/index.ts';
import { replaceSessionCommands } from '../../src/commands/shared-session/index.ts';
import { ACP_METHODS } from '../../src/dialects/acp/methods/index.ts';
import { OPAL_METHODS } from '../../src/dialects/opal/methods/index.ts';
import { isPublic, listRoutes } from '../http/http-app.ts';
import { runProgram } from '../support/program.ts';
import { OFFLINE, type Server, shareServer } from '../support/server.ts';
import { connectSocket, connectWebSocket, RefusedHandshake, type ServerClient } from '../support/server-clients.ts';
import { listPaths } from '../support/session-files.ts';

const commands = replaceSessionCommands(addMultiSessionCommands(commandTable));
const changing = [...commands.values()].filter(({ access }) => access !== 'read').map(({ name }) => name);
const reading = [...commands.values()].filter(({ access }) => access === 'read').map(({ name }) => name);

interface ReadServer extends Server {
  readonly readToken: string;
  readonly session: string;
}

let readToken = '';
const getServer = shareServer(async (directories) => {
  const added = await runProgram(['serve', 'tokens', 'add', 'dashboard', '--read-only'], '', { directories });
  readToken = added.stdout.trim();
  return [...OFFLINE, '--socket', join(directories.home, 'serve', 's')];
});
let readServer: Promise<ReadServer> | undefined;

/** A server with a session that has one message, and a read-only token. The tests share it, because they must not change anything. */
function getReadServer(): Promise<ReadServer> {
  readServer ??= createReadServer();
  return readServer;
}

async function createReadServer(): Promise<ReadServer> {
  const server = await getServer();
  const session = await server.createSession();
  await server.request(`/v1/sessions/${session}/commands/prompt?wait=settled`, {
    ...{ method: 'POST', body: { message: 'hello' } },
  });
  return { ...server, readToken, session };
}

/** Everything that a command could have changed: files, sessions and the state of the session. */
async function readWorld({ program, request, session, call }: ReadServer) {
  const files = listPaths(program.home)
    .filter((path) => !path.includes('audit') && statSync(join(program.home, path)).isFile())
    .map((path) => [path, readFileSync(join(program.home, path), 'utf8')]);
  const { json: sessions } = await request('/v1/sessions');
  const { data: state } = await call(session, 'get_state');
  return { files, sessions, state };
}

test('some commands read, and more change something', () => {
  expect(reading.length).toBeGreaterThan(20);
  expect(changing.length).toBeGreaterThan(40);
  expect(changing).toEqual(
    expect.arrayContaining(['prompt', 'bash', 'set_model', 'delete_session', 'save_key', 'login']),
  );
});

test('over HTTP every command that changes something is refused, and nothing changes', async () => {
  const server = await getReadServer();
  const before = await readWorld(server);
  for (const name of changing) {
    for (const path of [`/v1/sessions/${server.session}/commands/${name}`, `/v1/commands/${name}`]) {
      const { status, json } = await server.request(path, { method: 'POST', body: {}, token: server.readToken });
      expect([name, status, json]).toMatchObject([name, 403, { success: false, error: { code: 'refused' } }]);
    }
  }
  expect(await readWorld(server)).toEqual(before);
});

describe.each([
  [
    'a read-only token',
    (server: ReadServer) => connectWebSocket(server, { session: server.session }, { token: server.readToken }),
  ],
  ['access=read', (server: ReadServer) => connectWebSocket(server, { session: server.session, access: 'read' })],
  [
    'a socket with access read',
    ({ socket, session }: ReadServer) => connectSocket(socket ?? '', { type: 'connect', session, access: 'read' }),
  ],
] as const)('with %s', (_, connect) => {
  test('every command that changes something is refused, and nothing changes', async () => {
    const server = await getReadServer();
    const client: ServerClient = await connect(server);
    expect(await client.next({ type: 'session_attached' })).toMatchObject({ access: 'read' });
    const before = await readWorld(server);
    for (const type of changing) {
      const reply = await client.call({ type });
      expect([type, reply.success, String(reply.error)]).toEqual([type, false, expect.stringContaining('read-only')]);
    }
    expect(await readWorld(server)).toEqual(before);
    expect(await client.call({ type: 'get_state' })).toMatchObject({ success: true });
  });

  test('commands that only read are answered', async () => {
    const server = await getReadServer();
    const client: ServerClient = await connect(server);
    await client.next({ type: 'session_attached' });
    const before = await readWorld(server);
    for (const type of ['get_state', 'get_messages', 'get_entries', 'list_sessions', 'get_session_stats', 'get_queue'])
      expect([type, (await client.call({ type })).success]).toEqual([type, true]);
    expect(await readWorld(server)).toEqual(before);
  });
});

test('a read-only client that names no session gets none', async () => {
  const server = await getReadServer();
  const client = await connectWebSocket(server, {}, { token: server.readToken });
  expect(await client.closed).toMatchObject({ code: 4400 });
  expect(client.frames.map(({ type }) => type)).toEqual([]);
});

test('access of another value is refused, and access=full does not widen a token', async () => {
  const server = await getReadServer();
  for (const access of ['Read', 'readonly', '', 'none'])
    await expect(connectWebSocket(server, { session: server.session, access })).rejects.toMatchObject({ status: 400 });
  const client = await connectWebSocket(
    ...([server, { session: server.session, access: 'full' }, { token: server.readToken }] as const),
  );
  expect(await client.next({ type: 'session_attached' })).toMatchObject({ access: 'read' });
  const refused = await connectSocket(server.socket ?? '', { type: 'connect', access: 'some' });
  expect(await refused.next({ type: 'connect_error' })).toMatchObject({ code: 'invalid_params' });
});

describe('opal and acp', () => {
  /** A method may only call a reading command if it changes nothing itself. */
  const listReading = (methods: ReadonlyMap<string, { command: unknown; needsFullAccess?: boolean | undefined }>) =>
    [...methods]
      .filter(([, { command, needsFullAccess }]) => reading.includes(String(command)) && !needsFullAccess)
      .map(([name]) => name)
      .sort();

  test('these methods only read', () => {
    expect(listReading(ACP_METHODS)).toEqual(['_parley/get_state', 'initialize', 'session/list']);
    expect(listReading(OPAL_METHODS)).toEqual([
      'agent/state',
      'auth/status',
      'models/list',
      'opal/config/get',
      'opal/ping',
      'opal/version',
      'session/history',
      'session/list',
      'settings/get',
      'tasks/list',
    ]);
  });

  test.each([
    ['authenticate', { methodId: 'parley-login' }],
    ['logout', {}],
    ['session/new', { cwd: '/', mcpServers: [] }],
  ])('acp: %s is refused', async (method, params) => {
    const server = await getReadServer();
    const client = await connectWebSocket(server, { dialect: 'acp' }, { token: server.readToken });
    client.send({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: 1 } });
    await client.next({ type: 'jsonrpc', id: 1 });
    const before = await readWorld(server);
    client.send({ jsonrpc: '2.0', id: 2, method, params });
    const reply = await client.next({ type: 'jsonrpc', id: 2 });
    expect(JSON.stringify(reply.error)).toContain('read-only');
    expect(await readWorld(server)).toEqual(before);
  });

  test.each([
    ['session/start', {}],
    ['settings/save', { settings: { default_model: 'x' } }],
    ['auth/set_key', { provider: 'anthropic', api_key: 'k' }],
  ])('opal: %s is refused', async (method, params) => {
    const server = await getReadServer();
    const client = await connectWebSocket(server, { dialect: 'opal' }, { token: server.readToken });
    const before = await readWorld(server);
    client.send({ jsonrpc: '2.0', id: 1, method, params });
    const reply = await client.next({ type: 'jsonrpc', id: 1 });
    expect(JSON.stringify(reply.error)).toContain('read-only');
    expect(await readWorld(server)).toEqual(before);
  });
});

test('of the HTTP routes only GET succeeds with a read-only token', async () => {
  const server = await getReadServer();
  const before = await readWorld(server);
  for (const route of listRoutes().filter((one) => !isPublic(one) && !one.pattern.endsWith('/events'))) {
    const path = route.pattern.replace(':id', server.session).replace(':name', 'prompt').replaceAll(/:\w+/g, 'x');
    const body = route.method === 'POST' ? { confirmed: true } : undefined;
    const { status } = await server.request(path, { method: route.method, token: server.readToken, body });
    const isRefused = status === 403;
    expect([route.method, route.pattern, isRefused]).toEqual([route.method, route.pattern, route.method !== 'GET']);
  }
  expect(await readWorld(server)).toEqual(before);
});

test('a refused call is in the audit log, with the client and its token', async () => {
  const server = await getReadServer();
  await server.request(`/v1/sessions/${server.session}/commands/bash?client=spy`, {
    ...{ method: 'POST', body: { command: 'echo secret-parameter' }, token: server.readToken },
  });
  const path = join(server.program.home, 'serve', 'audit.jsonl');
  const records = () =>
    readFileSync(path, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
  await expect.poll(records).toContainEqual({
    ...{ time: expect.any(String), action: 'refuse', client: 'spy', token: 'dashboard', remoteAddress: '127.0.0.1' },
    ...{ session: server.session, command: 'bash', reason: 'read-only access' },
  });
  expect(readFileSync(path, 'utf8')).not.toContain('secret-parameter');
});

test('a refused handshake is an HTTP response', async () => {
  const server = await getServer();
  const refused = await connectWebSocket(server, {}, { token: 'wrong' }).catch((thrown: unknown) => thrown);
  expect(refused).toBeInstanceOf(RefusedHandshake);
  expect(refused).toMatchObject({ status: 401 });
});
