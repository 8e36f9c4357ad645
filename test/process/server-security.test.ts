// The start of `parley serve`: its address, its token, where the token is and where it is not, and which settings prevent the start.
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createDirectories, type ProgramDirectories, runProgram, startProgram } from '../support/program.ts';
import { OFFLINE, type Server, startServer, stopServer } from '../support/server.ts';
import { connectSocket, connectWebSocket } from '../support/server-clients.ts';
import { listPaths, readFileMode } from '../support/session-files.ts';
import { waitUntil } from '../support/wait-until.ts';

const OWN_TOKEN = 'a-token-of-the-environment_0123456789';

function writeSettings(settings: object): ProgramDirectories {
  const directories = createDirectories();
  writeFileSync(join(directories.home, 'settings.json'), JSON.stringify(settings));
  return directories;
}

const canConnect = (host: string, port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect({ host, port, timeout: 2000 }, () => finish(true));
    const finish = (isConnected: boolean) => {
      socket.destroy();
      resolve(isConnected);
    };
    socket.on('error', () => finish(false));
    socket.on('timeout', () => finish(false));
  });

describe('the address', () => {
  test('is loopback by default: no other address of the machine answers', async () => {
    const { port, url } = await startServer();
    expect(url).toBe(`http://127.0.0.1:${port}/`);
    expect(await canConnect('127.0.0.1', port)).toBe(true);
    const others = Object.values(networkInterfaces()).flatMap((list = []) => list.filter(({ internal }) => !internal));
    for (const { address } of others) expect([address, await canConnect(address, port)]).toEqual([address, false]);
    const listening = readFileSync('/proc/net/tcp', 'utf8')
      .split('\n')
      .filter((line) => / 0A /.test(line));
    const hexPort = port.toString(16).toUpperCase().padStart(4, '0');
    const own = listening.map((line) => line.trim().split(/\s+/)[1]).filter((local) => local?.endsWith(`:${hexPort}`));
    expect(own).toEqual([`0100007F:${hexPort}`]);
  });

  test.each(['0.0.0.0', '::', '192.0.2.1', 'example.com'])('%s needs a token of the environment', async (host) => {
    const { code, stdout, stderr } = await runProgram(['serve', '--port', '0', '--host', host]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(`${host} can be reached from other machines. Set PARLEY_SERVE_TOKEN`);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  test('a host of the settings needs it, too', async () => {
    const directories = writeSettings({ 'serve.host': '0.0.0.0' });
    const { code, stderr } = await runProgram(['serve', '--port', '0'], '', { directories });
    expect(code).toBe(2);
    expect(stderr).toContain('PARLEY_SERVE_TOKEN');
  });

  test('with the token it is served, with a warning that TLS belongs in front', async () => {
    const server = await startServer([...OFFLINE, '--host', '0.0.0.0'], { env: { PARLEY_SERVE_TOKEN: OWN_TOKEN } });
    expect(server.token).toBe(OWN_TOKEN);
    const headers = { host: `0.0.0.0:${server.port}` };
    expect((await server.request('/v1/sessions', { headers })).status).toBe(200);
    expect((await server.request('/v1/sessions', { headers: { host: `127.0.0.1:${server.port}` } })).status).toBe(403);
    const { stderr } = await stopServer(server);
    expect(stderr).toContain('0.0.0.0 is served without encryption. Put a proxy with TLS in front of it.');
  });

  test.each(['short', 'x'.repeat(23), `${'x'.repeat(30)} y`, `${'x'.repeat(30)};`, `${'x'.repeat(30)}\n`])(
    'the token %j of the environment is refused',
    async (token) => {
      const { code, stderr } = await runProgram(['serve', '--port', '0'], '', { env: { PARLEY_SERVE_TOKEN: token } });
      expect(code).toBe(2);
      expect(stderr).toContain('PARLEY_SERVE_TOKEN must have at least 24 characters');
      expect(stderr).not.toContain(token);
    },
  );

  test('a second server on the same port does not start, and the first one stays', async () => {
    const server = await startServer();
    const directory = join(server.program.home, 'serve', 'servers');
    const before = readdirSync(directory);
    const { code, stderr } = await runProgram(['serve', '--port', String(server.port)], '', {
      directories: server.program,
    });
    expect(code).toBe(2);
    expect(stderr).toContain(`Port ${server.port} of 127.0.0.1 is in use.`);
    expect((await server.request('/healthz')).status).toBe(200);
    expect(readdirSync(directory)).toEqual(before);
  });

  test('each running server has its file; that of a killed one is removed by the next', async () => {
    const first = await startServer();
    const directory = join(first.program.home, 'serve', 'servers');
    const getFile = ({ program }: typeof first) => join(directory, `${program.pid}.json`);
    const second = await startServer(OFFLINE, { directories: first.program });
    for (const server of [first, second]) {
      expect(JSON.parse(readFileSync(getFile(server), 'utf8'))).toMatchObject({
        pid: server.program.pid,
        url: server.url,
      });
      expect(readFileMode(getFile(server))).toBe('600');
    }
    await stopServer(second);
    expect([getFile(first), getFile(second)].map((file) => existsSync(file))).toEqual([true, false]);
    first.program.kill('SIGKILL');
    await first.program.exited;
    const third = await startServer(OFFLINE, { directories: first.program });
    expect(readdirSync(directory)).toEqual([`${third.program.pid}.json`]);
    await stopServer(third);
    expect(readdirSync(directory)).toEqual([]);
  });

  test.each([
    ['serve.allowedOrigins', '*'],
    ['serve.allowedOrigins', 'null'],
    ['serve.allowedOrigins', 'https://app.example.com/'],
    ['serve.allowedOrigins', 'app.example.com'],
    ['serve.allowedHosts', '*'],
    ['serve.allowedHosts', 'https://agent.example.com'],
    ['serve.allowedHosts', '*.example.com'],
    ['serve.allowedHosts', ''],
  ])('%s with %j prevents the start', async (key, value) => {
    const directories = writeSettings({ [key]: [value] });
    const { code, stderr } = await runProgram(['serve', '--port', '0'], '', { directories });
    expect(code).toBe(2);
    expect(stderr).toContain(`${key} must contain`);
    expect(stderr).toContain(`(got ${JSON.stringify(value)})`);
  });

  test('allowed hosts and origins are used', async () => {
    const directories = writeSettings({
      'serve.allowedHosts': ['agent.example.com', '[2001:db8::1]:7420'],
      'serve.allowedOrigins': ['https://app.example.com'],
    });
    const { request } = await startServer(OFFLINE, { directories });
    const headers = { host: 'agent.example.com', origin: 'https://app.example.com' };
    const { status, headers: received } = await request('/v1/sessions', { headers });
    expect(status).toBe(200);
    expect(received['access-control-allow-origin']).toBe('https://app.example.com');
    expect((await request('/v1/sessions', { headers: { host: '[2001:DB8::1]:7420' } })).status).toBe(200);
    expect((await request('/v1/sessions', { headers: { host: 'other.example.com' } })).status).toBe(403);
  });
});

describe('the token', () => {
  test('is random, stored for the user only, and printed once, as an address', async () => {
    const directories = createDirectories();
    const program = startProgram(['serve', '--port', '0', ...OFFLINE], { directories });
    const line = String((await program.nextFrame({ type: 'unreadable' })).text);
    const [, token = ''] = /^Parley is served at http:\/\/127\.0\.0\.1:\d+\/\?token=([0-9a-f]{64})$/.exec(line) ?? [];
    const directory = join(directories.home, 'serve');
    expect(readFileSync(join(directory, 'token'), 'utf8').trim()).toBe(token);
    expect([readFileMode(directory), readFileMode(join(directory, 'token'))]).toEqual(['700', '600']);
    await program.nextFrame((frame) => String(frame.text).includes('Press Ctrl+C'));
    program.kill('SIGTERM');
    const { stdout, stderr } = await program.exited;
    expect(`${stdout}${stderr}`.split(token)).toHaveLength(2);
    const other = await startServer();
    expect(other.token).not.toBe(token);
  });

  test('is the same after a restart, and another one when the file was readable for others', async () => {
    const first = await startServer();
    await stopServer(first);
    const second = await startServer(OFFLINE, { directories: first.program });
    expect(second.token).toBe(first.token);
    await stopServer(second);
    chmodSync(join(first.program.home, 'serve', 'token'), 0o644);
    const third = await startServer(OFFLINE, { directories: first.program });
    expect(third.token).not.toBe(first.token);
  });

  test('--open gives the browser a code, which works once, and not the token', async () => {
    const directories = createDirectories();
    const bin = join(directories.home, 'bin');
    const record = join(directories.home, 'opened');
    mkdirSync(bin);
    writeFileSync(join(bin, 'xdg-open'), `#!/bin/sh\nprintf %s "$1" > ${record}\n`, { mode: 0o755 });
    const env = { PATH: `${bin}:${process.env.PATH}` };
    const server = await startServer([...OFFLINE, '--open'], { directories, env });
    await waitUntil(() => existsSync(record) && statSync(record).size > 0);
    const address = new URL(readFileSync(record, 'utf8'));
    expect(address.href).not.toContain(server.token);
    const path = `${address.pathname}${address.search}`;
    const opened = await server.request(path, { token: null });
    expect(opened.status).toBe(302);
    expect(String(opened.headers['set-cookie'])).toContain(
      `parley_${server.port}=${server.token}; HttpOnly; SameSite=Strict;`,
    );
    expect((await server.request(path, { token: null })).status).toBe(401);
  });
});

describe.each([
  ['of the file', {}],
  ['of the environment', { PARLEY_SERVE_TOKEN: OWN_TOKEN }],
])('the token %s', (_, env) => {
  /** Uses everything that could write the token somewhere. */
  async function useServer(server: Server): Promise<{ texts: Record<string, string>; session: string }> {
    const texts: Record<string, string> = {};
    const session = await server.createSession();
    const post = (command: string, body: object) =>
      server.request(`/v1/sessions/${session}/commands/${command}?wait=settled`, { method: 'POST', body });
    texts['env of the host'] = (await post('bash', { command: 'env; tr "\\0" "\\n" < /proc/self/environ' })).text;
    texts['env of the model'] = (await post('prompt', { message: 'Run `env`' })).text;
    texts.messages = (await post('get_messages', {})).text;
    texts.export = (await server.request(`/v1/sessions/${session}/export`)).text;
    texts.metrics = (await server.request('/metrics')).text;
    for (const path of ['/v1/sessions/none', '/v1/commands/none', '/none', `/v1/sessions?token=${server.token}`]) {
      for (const token of [server.token, 'wrong', null])
        texts[`${path} ${token === null}`] = (await server.request(path, { token })).text;
    }
    const socket = await connectWebSocket(server, { client: 'leak' });
    await socket.next({ type: 'session_attached' });
    await socket.call({ type: 'get_state' });
    texts.frames = JSON.stringify(socket.frames);
    const refused = await connectWebSocket(server, { dialect: 'none' });
    texts.closed = JSON.stringify(await refused.closed);
    return { texts, session };
  }

  test('is in no response, log, session, audit record, page or child environment', async () => {
    const directories = createDirectories();
    const log = join(directories.home, 'diagnostics.log');
    const server = await startServer([...OFFLINE, '--log-file', log], { directories, env });
    const { texts, session } = await useServer(server);
    expect(texts['env of the host']).toContain('PATH=');
    expect(texts['env of the model']).toContain('"success":true');
    expect(texts.messages).toContain('PATH=');
    expect(texts.metrics).toContain('parley_');
    expect(texts.export).toContain('<!doctype html>');
    expect(texts.messages).not.toContain('PARLEY_SERVE_TOKEN');
    const { stderr } = await stopServer(server);
    const files = listPaths(directories.home).filter((path) => !path.endsWith('/') && path !== 'serve/token');
    expect(files).toEqual(expect.arrayContaining(['diagnostics.log', 'serve/audit.jsonl']));
    expect(files.some((path) => path.startsWith('sessions/') && path.includes(session))).toBe(true);
    for (const path of files) texts[path] = readFileSync(join(directories.home, path), 'utf8');
    const leaks = Object.entries({ ...texts, stderr }).filter(([, text]) => text.includes(server.token));
    expect(leaks.map(([name]) => name)).toEqual([]);
    expect(texts['diagnostics.log']?.length).toBeGreaterThan(0);
  });
});

test('the audit log has who did what, without parameters, for the user only', async () => {
  const directories = createDirectories();
  const socketPath = join(directories.home, 'socket');
  const added = await runProgram(['serve', 'tokens', 'add', 'bot'], '', { directories });
  const server = await startServer([...OFFLINE, '--socket', socketPath], { directories });
  const session = await server.createSession();
  const token = added.stdout.trim();
  const editor = await connectWebSocket(server, { session, client: 'editor' }, { token });
  await editor.next({ type: 'session_attached' });
  await editor.call({ type: 'set_session_name', name: 'a-secret-name' });
  await editor.call({ type: 'get_state' });
  await editor.call({ type: 'prompt', message: 'a-secret-prompt' });
  await editor.next({ type: 'agent_settled' });
  editor.close();
  const local = await connectSocket(socketPath, { type: 'connect', session, client: 'script' });
  await local.next({ type: 'session_attached' });
  local.close();
  await local.closed;
  await server.request('/v1/sessions', { token: 'wrong' });
  await server.request('/v1/sessions', { headers: { host: 'evil.example' } });
  await stopServer(server);
  const path = join(directories.home, 'serve', 'audit.jsonl');
  expect(readFileMode(path)).toBe('600');
  const text = readFileSync(path, 'utf8');
  expect(text).not.toMatch(/a-secret|"name"|message/);
  const records = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  for (const record of records) expect(Date.parse(record.time)).toBeGreaterThan(Date.UTC(2020, 0));
  const at = { token: 'bot', remoteAddress: '127.0.0.1', client: 'editor', session };
  const expected = [
    { action: 'start' },
    { action: 'call', client: 'http owner', token: 'owner', command: 'start_session' },
    { ...at, action: 'connect' },
    { ...at, action: 'call', command: 'set_session_name' },
    { ...at, action: 'call', command: 'prompt' },
    { action: 'disconnect', client: 'editor', token: 'bot' },
    { action: 'connect', client: 'script', token: 'socket', remoteAddress: 'socket', session },
    { action: 'disconnect', client: 'script', token: 'socket' },
    { action: 'refuse', remoteAddress: '127.0.0.1', reason: 'unauthorized: GET /v1/sessions' },
    { action: 'refuse', remoteAddress: '127.0.0.1', reason: 'forbidden: GET /v1/sessions' },
    { action: 'stop' },
  ];
  for (const record of expected) expect(records).toContainEqual(expect.objectContaining(record));
  expect(records.filter(({ command }) => command === 'get_state')).toEqual([]);
});

test('the audit log has the sessions that were opened, copied, closed and deleted', async () => {
  const server = await startServer();
  const [own = '', closed = '', deleted = ''] = [
    ...[await server.createSession(), await server.createSession(), await server.createSession()],
  ];
  await server.call(own, 'prompt', { message: 'say `hello`' });
  const editor = await connectWebSocket(server, { session: own, client: 'editor' });
  await editor.next({ type: 'session_attached' });
  await server.request(`/v1/sessions/${closed}/close`, { method: 'POST' });
  const fork = await server.request(`/v1/sessions/${own}/fork`, { method: 'POST' });
  const { sessionId: copy } = (fork.json as { data: { sessionId: string } }).data;
  await editor.call({ type: 'delete_session', sessionId: deleted });
  await editor.call({ type: 'delete_session', sessionId: 'x'.repeat(5000) });
  const other = (await editor.call({ type: 'new_session' })).data as { sessionId: string };
  await stopServer(server);
  const lines = readFileSync(join(server.program.home, 'serve', 'audit.jsonl'), 'utf8')
    .trimEnd()
    .split('\n');
  const calls = lines.map((line) => JSON.parse(line)).filter(({ action }) => action === 'call');
  const expected = [
    { client: 'http owner', command: 'start_session', target: own },
    { client: 'http owner', command: 'close_session', target: closed },
    { client: 'http owner', command: 'start_session', target: copy, copyOf: own },
    { client: 'editor', command: 'delete_session', session: own, target: deleted },
    { client: 'editor', command: 'delete_session', target: 'x'.repeat(100), reason: 'not_found' },
    { client: 'editor', command: 'new_session', session: other.sessionId },
  ];
  for (const record of expected) expect(calls).toContainEqual(expect.objectContaining(record));
});

test('accepted work is in the audit log from its start, so that it is there after a crash', async () => {
  const server = await startServer();
  const session = await server.createSession();
  const { status } = await server.request(`/v1/sessions/${session}/commands/prompt`, {
    ...{ method: 'POST', body: { message: 'Run `sleep 600`' } },
  });
  expect(status).toBe(202);
  const path = join(server.program.home, 'serve', 'audit.jsonl');
  await waitUntil(() => readFileSync(path, 'utf8').includes('"command":"prompt"'));
  await stopServer(server, 'SIGKILL');
  expect(
    readFileSync(path, 'utf8')
      .trimEnd()
      .split('\n')
      .filter((line) => line.includes('"prompt"')),
  ).toHaveLength(1);
});
