// What was chosen for a session of `parley serve` holds when the session is opened again: after a crash, a close, a copy and a move.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createDirectories } from '../support/program.ts';
import { OFFLINE, type Server, startServer, stopServer } from '../support/server.ts';
import { connectWebSocket, type ServerClient } from '../support/server-clients.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';

interface Choices {
  readonly permissionMode: unknown;
  readonly tools: readonly string[];
  readonly steeringMode: unknown;
  readonly settings: unknown;
}

type Caller = (command: string, params?: object) => Promise<Record<string, unknown>>;

const READERS = ['grep', 'read'];
const CHOSEN: Choices = {
  permissionMode: 'read-only',
  tools: READERS,
  steeringMode: 'all',
  settings: { 'retry.maxRetries': 1 },
};

const callOver = (server: Server, sessionId: string): Caller => {
  return (command, params) => server.call(sessionId, command, params);
};

const callThrough = (client: ServerClient): Caller => {
  return (type, params) => client.call({ type, ...params });
};

async function readChoices(call: Caller): Promise<Choices> {
  const read = async (command: string, params?: object) => {
    const { success, data, error } = await call(command, params);
    if (!success) throw new Error(`${command} failed: ${error}`);
    return data as Record<string, unknown>;
  };
  const { permissionMode, steeringMode } = await read('get_state');
  const tools = (await read('get_context_breakdown')).tools as { name: string }[];
  const { session } = await read('get_settings', { scope: 'session' });
  const { settings } = session as { settings: unknown };
  return { permissionMode, steeringMode, settings, tools: tools.map(({ name }) => name).sort() };
}

/** A session with the choices of `CHOSEN`, and without a message. */
async function createSession(server: Server): Promise<string> {
  const sessionId = await server.createSession({ tools: READERS });
  const call = callOver(server, sessionId);
  for (const [command, params] of [
    ['set_settings', { scope: 'session', settings: { 'retry.maxRetries': 1 } }],
    ['set_steering_mode', { mode: 'all' }],
    ['set_permission_mode', { mode: 'read-only' }],
  ] as const) {
    expect(await call(command, params)).toMatchObject({ success: true });
  }
  return sessionId;
}

/** The path of the file with the choices of the only session that has one. */
function findChoicesFile(home: string): string {
  const names = readdirSync(home, { recursive: true, encoding: 'utf8' });
  const [found, second] = names.filter((name) => name.endsWith('choices.json'));
  if (found === undefined || second !== undefined) throw new Error(`Not one file: ${found}, ${second}`);
  return join(home, found);
}

const getMode = async (server: Server, sessionId: string) =>
  ((await server.call(sessionId, 'get_state')).data as Record<string, unknown> | undefined)?.permissionMode;

describe('a session has the same choices', () => {
  test('after the server was killed, also if it has no message', async () => {
    const directories = createDirectories();
    const server = await startServer(OFFLINE, { directories });
    const sessionId = await createSession(server);
    await stopServer(server, 'SIGKILL');
    expect(statSync(findChoicesFile(directories.home)).mode & 0o777).toBe(0o600);
    const again = await startServer(OFFLINE, { directories });
    expect(await readChoices(callOver(again, sessionId))).toEqual(CHOSEN);
    const asked = await again.request(`/v1/sessions/${sessionId}/commands/prompt?wait=settled`, {
      method: 'POST',
      body: { message: 'run touch changed.txt' },
    });
    expect(asked.status).toBe(200);
    expect(existsSync(join(directories.cwd, 'changed.txt'))).toBe(false);
  });

  test('after it was closed and opened again, and after a move', async () => {
    const server = await startServer();
    const sessionId = await createSession(server);
    const call = callOver(server, sessionId);
    expect(await server.request(`/v1/sessions/${sessionId}/close`, { method: 'POST' })).toMatchObject({ status: 200 });
    expect(await readChoices(call)).toEqual(CHOSEN);
    expect(await call('set_steering_mode', { mode: 'one-at-a-time' })).toMatchObject({ success: true });
    const cwd = createTemporaryDirectory();
    expect(await call('move_session', { cwd })).toMatchObject({ success: true, data: { reopened: true } });
    expect(await readChoices(call)).toEqual({ ...CHOSEN, steeringMode: 'one-at-a-time' });
  });

  test('in a copy, and in a new session of the same client', async () => {
    const directories = createDirectories();
    const server = await startServer(OFFLINE, { directories });
    const sessionId = await createSession(server);
    const client = await connectWebSocket(server, { session: sessionId });
    const call = callThrough(client);
    const seen = new Set([sessionId]);
    const open = async (command: string) => {
      const { data } = await call(command);
      seen.add((data as { sessionId: string }).sessionId);
      expect(await readChoices(call)).toEqual(CHOSEN);
    };
    await open('new_session');
    await client.call({ type: 'prompt', message: 'say hello' });
    await client.next({ type: 'session_settled' });
    await open('clone');
    const forked = await server.request(`/v1/sessions/${sessionId}/fork`, { method: 'POST', body: {} });
    const { data } = forked.json as { data: { sessionId: string } };
    seen.add(data.sessionId);
    expect(seen.size).toBe(4);
    expect(await readChoices(callOver(server, data.sessionId))).toEqual(CHOSEN);
    // What is chosen later for one of them is not chosen for the others.
    await call('set_permission_mode', { mode: 'ask' });
    await stopServer(server, 'SIGKILL');
    const again = await startServer(OFFLINE, { directories });
    const modes = await Promise.all([...seen].map((id) => getMode(again, id)));
    expect(modes.sort()).toEqual(['ask', 'read-only', 'read-only', 'read-only']);
  });
});

test('keys of MCP servers of the host are not stored, and their loss is reported', async () => {
  const directories = createDirectories();
  const server = await startServer(OFFLINE, { directories });
  // Nothing listens there. The definition is complete all the same.
  const tracker = {
    type: 'http',
    url: 'http://127.0.0.1:9/mcp',
    headers: { Authorization: 'Bearer key-of-the-tracker' },
  };
  const sessionId = await server.createSession({
    mcpServers: [{ name: 'tracker', source: 'the host', server: tracker }],
  });
  const listServers = async (from: Server) => {
    const { data } = await from.call(sessionId, 'get_mcp_servers');
    return (data as { servers: { name: string }[] }).servers.map(({ name }) => name);
  };
  await server.request(`/v1/sessions/${sessionId}/close`, { method: 'POST' });
  expect(await listServers(server)).toEqual(['tracker']);
  await stopServer(server, 'SIGKILL');
  const stored = readFileSync(findChoicesFile(directories.home), 'utf8');
  expect(stored).toContain('tracker');
  expect(stored).not.toContain('key-of-the-tracker');

  const again = await startServer(OFFLINE, { directories });
  expect(await listServers(again)).toEqual([]);
  const client = await connectWebSocket(again, { session: sessionId });
  await client.call({ type: 'prompt', message: 'say hello' });
  expect(await client.next({ type: 'notice', source: 'mcp' })).toMatchObject({
    level: 'warning',
    message: expect.stringContaining('lost when the server ended: tracker'),
  });
});

test('a session without choices has no file', async () => {
  const directories = createDirectories();
  const server = await startServer(OFFLINE, { directories });
  const sessionId = await server.createSession();
  await server.call(sessionId, 'set_session_name', { name: 'plain' });
  expect(() => findChoicesFile(directories.home)).toThrow('Not one file');
});

test('a choice that is less strict than a stricter server does not count there, and is kept', async () => {
  const directories = createDirectories();
  const start = (mode: string) => startServer([...OFFLINE, '--approval-mode', mode], { directories });
  const first = await start('ask');
  const sessionId = await first.createSession();
  await first.call(sessionId, 'set_permission_mode', { mode: 'full' });
  await stopServer(first, 'SIGKILL');

  const strict = await start('read-only');
  expect(await getMode(strict, sessionId)).toBe('read-only');
  // Stores the choices again.
  await strict.call(sessionId, 'set_steering_mode', { mode: 'all' });
  await stopServer(strict, 'SIGKILL');

  const last = await start('ask');
  expect(await getMode(last, sessionId)).toBe('full');
});

test.each([
  ['is damaged', () => '{"version":1,"tools":[', 'it is not JSON'],
  ['is of a newer version', (text: string) => text.replace('"version":1', '"version": 2'), 'version must be 1'],
  [
    'has an unknown field',
    (text: string) => text.replace('"version":1', '"version":1, "network": "off"'),
    'network is not a known field',
  ],
  ['has an unknown setting', (text: string) => text.replace('"retry.maxRetries"', '"retry.mystery"'), 'retry.mystery'],
  ['has a value of another type', (text: string) => text.replace('"read-only"', '7'), 'approval must be'],
])('a session is not opened when the file with its choices %s', async (_name, change, problem) => {
  const directories = createDirectories();
  const server = await startServer(OFFLINE, { directories });
  const sessionId = await createSession(server);
  await stopServer(server, 'SIGKILL');
  const file = findChoicesFile(directories.home);
  const before = readFileSync(file, 'utf8');
  writeFileSync(file, change(before));
  const again = await startServer(OFFLINE, { directories });
  expect(await again.call(sessionId, 'get_state')).toMatchObject({
    success: false,
    error: { code: 'storage', message: expect.stringContaining(`The stored choices of the session cannot be read`) },
  });
  expect(JSON.stringify(await again.call(sessionId, 'get_state'))).toContain(problem);
  writeFileSync(file, before);
  expect(await readChoices(callOver(again, sessionId))).toEqual(CHOSEN);
});

const EXTENSION = `export default function (api) {
  api.registerTool({ name: 'own', label: 'own', description: 'own', parameters: { type: 'object', properties: {} }, execute: async () => ({ content: [] }) });
  api.registerCommand('lock', { description: 'lock', handler: async () => api.setActiveTools(['read']) });
}`;

const SWITCHING_EXTENSION = `export default function (api) {
  api.registerCommand('switch', { description: 'switch', handler: async (file, context) => context.switchSession(file) });
}`;

function addExtension(home: string, text = EXTENSION): string {
  const file = join(home, 'extensions', 'own.ts');
  mkdirSync(join(home, 'extensions'), { recursive: true });
  writeFileSync(file, text);
  return file;
}

async function listSessionIds({ request }: Server): Promise<string[]> {
  const { json } = await request('/v1/sessions');
  return (json as { data: { sessions: { id: string }[] } }).data.sessions.map(({ id }) => id);
}

async function listTools(call: Caller): Promise<string[]> {
  const { data } = await call('get_context_breakdown');
  return (data as { tools: { name: string }[] }).tools.map(({ name }) => name).sort();
}

test('what an extension has chosen during a prompt is stored', async () => {
  const directories = createDirectories();
  addExtension(directories.home);
  const server = await startServer(OFFLINE, { directories });
  const path = `/v1/sessions/${await server.createSession()}/commands/prompt?wait=settled`;
  expect((await server.request(path, { method: 'POST', body: { message: '/lock' } })).status).toBe(200);
  await stopServer(server, 'SIGKILL');
  const again = await startServer(OFFLINE, { directories });
  const [id = ''] = await listSessionIds(again);
  expect(await listTools(callOver(again, id))).toEqual(['read']);
});

test('a session is opened without the tools that do not exist any more, with a notice, and has them when they exist again', async () => {
  const directories = createDirectories();
  const extension = addExtension(directories.home);
  const server = await startServer(OFFLINE, { directories });
  const id = await server.createSession({ tools: ['own', 'read'] });
  const call = callOver(server, id);
  const close = () => server.request(`/v1/sessions/${id}/close`, { method: 'POST', body: {} });
  rmSync(extension);
  await close();
  expect(await listTools(call)).toEqual(['read']);
  const client = await connectWebSocket(server, { session: id });
  client.send({ type: 'prompt', message: 'hello' });
  const { message } = await client.next({ type: 'notice' });
  expect(message).toContain('do not exist now: own.');
  client.close();
  addExtension(directories.home);
  await close();
  expect(await listTools(call)).toEqual(['own', 'read']);
});

test('a session is opened although a flag has removed its tools', async () => {
  const directories = createDirectories();
  const server = await startServer(OFFLINE, { directories });
  const id = await server.createSession({ tools: ['bash', 'read'] });
  await stopServer(server);
  const again = await startServer([...OFFLINE, '--no-builtin-tools'], { directories });
  expect(await listTools(callOver(again, id))).toEqual([]);
});

test('a choice that cannot be stored fails with the reason, and other calls do not', async () => {
  const directories = createDirectories();
  const server = await startServer(OFFLINE, { directories });
  const sessionId = await createSession(server);
  const file = findChoicesFile(directories.home);
  rmSync(dirname(file), { recursive: true });
  writeFileSync(dirname(file), '');
  const call = callOver(server, sessionId);
  expect(await call('set_permission_mode', { mode: 'ask' })).toMatchObject({
    error: { code: 'storage', message: expect.stringContaining('it cannot be stored') },
  });
  expect(await call('set_session_name', { name: 'other' })).toMatchObject({ success: true });
  rmSync(dirname(file));
  mkdirSync(dirname(file));
  expect(await call('set_session_name', { name: 'last' })).toMatchObject({ success: true });
  expect(readFileSync(file, 'utf8')).toContain('"ask"');
});

test('a thinking level counts more than the flags of the server, also after a move, in a copy and after a restart', async () => {
  const directories = createDirectories();
  const server = await startServer(OFFLINE, { directories });
  const sessionId = await server.createSession();
  await server.call(sessionId, 'set_thinking_level', { level: 'high' });
  const readLevel = async (from: Server, id: string) =>
    ((await from.call(id, 'get_state')).data as { thinkingLevel: unknown }).thinkingLevel;
  await server.call(sessionId, 'move_session', { cwd: createTemporaryDirectory() });
  expect(await readLevel(server, sessionId)).toBe('high');
  const { json } = await server.request(`/v1/sessions/${sessionId}/fork`, { method: 'POST', body: {} });
  expect(await readLevel(server, (json as { data: { sessionId: string } }).data.sessionId)).toBe('high');
  await stopServer(server);
  const again = await startServer([...OFFLINE, '--thinking', 'low'], { directories });
  expect(await readLevel(again, sessionId)).toBe('high');
  expect(await readLevel(again, await again.createSession())).toBe('low');
});

test('tools that a flag forbids for one start come back', async () => {
  const directories = createDirectories();
  const server = await startServer(OFFLINE, { directories });
  const id = await server.createSession({ tools: ['bash', 'grep', 'read'] });
  await stopServer(server);
  const restricted = await startServer([...OFFLINE, '--tools', 'read'], { directories });
  expect(await listTools(callOver(restricted, id))).toEqual(['read']);
  await restricted.call(id, 'set_steering_mode', { mode: 'all' });
  await stopServer(restricted);
  const again = await startServer(OFFLINE, { directories });
  expect(await listTools(callOver(again, id))).toEqual(['bash', 'grep', 'read']);
});

test('a session moves to another directory without the tools that do not exist any more', async () => {
  const directories = createDirectories();
  const extension = addExtension(directories.home);
  const server = await startServer(OFFLINE, { directories });
  const id = await server.createSession({ tools: ['own', 'read'] });
  rmSync(extension);
  const cwd = createTemporaryDirectory();
  expect(await server.call(id, 'move_session', { cwd })).toMatchObject({ success: true });
  expect(await listTools(callOver(server, id))).toEqual(['read']);
});

test('an extension cannot continue a session that has choices with those of another one', async () => {
  const directories = createDirectories();
  addExtension(directories.home, SWITCHING_EXTENSION);
  const server = await startServer(OFFLINE, { directories });
  const readOnly = await createSession(server);
  const { sessionFile } = (await server.call(readOnly, 'get_state')).data as { sessionFile: string };
  await server.request(`/v1/sessions/${readOnly}/close`, { method: 'POST', body: {} });
  const other = await server.createSession();
  await server.call(other, 'set_permission_mode', { mode: 'full' });
  const client = await connectWebSocket(server, { session: other });
  client.send({ type: 'prompt', message: `/switch ${sessionFile}` });
  const { error } = await client.next({ type: 'extension_error' });
  expect(error).toContain('Open the other session by its id');
  expect(await server.call(other, 'get_state')).toMatchObject({ data: { sessionId: other } });
  expect(await readChoices(callOver(server, readOnly))).toEqual(CHOSEN);
});
