// The Unix socket of `parley serve`: who can open it, what is at its path, and the connect frame.
import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createDirectories, runProgram } from '../support/program.ts';
import { OFFLINE, startServer, stopServer } from '../support/server.ts';
import { connectSocket } from '../support/server-clients.ts';
import { readFileMode } from '../support/session-files.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';

const startAt = (socket: string, directories = createDirectories()) =>
  startServer([...OFFLINE, '--socket', socket], { directories });

const runAt = (socket: string) => runProgram(['serve', '--port', '0', ...OFFLINE, '--socket', socket]);

describe('the file', () => {
  test('can only be opened by the user, in a directory of the user, and is removed at the end', async () => {
    const directory = join(createTemporaryDirectory(), 'a', 'b');
    const socket = join(directory, 's');
    const server = await startAt(socket);
    expect(lstatSync(socket).isSocket()).toBe(true);
    expect([readFileMode(directory), readFileMode(socket)]).toEqual(['700', '600']);
    await stopServer(server);
    expect(existsSync(socket)).toBe(false);
  });

  test('the files of the server that are created meanwhile have their usual modes', async () => {
    const directories = createDirectories();
    const server = await startAt(join(directories.home, 's'), directories);
    const session = await server.createSession();
    await server.call(session, 'prompt', { message: 'hello' });
    expect(readFileMode(join(directories.home, 'serve'))).toBe('700');
    expect(readFileMode(join(directories.home, 'sessions'))).toBe('700');
  });

  test('one that was left by a process that was killed is replaced', async () => {
    const socket = join(createTemporaryDirectory(), 's');
    const first = await startAt(socket);
    await stopServer(first, 'SIGKILL');
    expect(existsSync(socket)).toBe(true);
    await startAt(socket);
    const client = await connectSocket(socket, { type: 'connect' });
    await client.next({ type: 'session_attached' });
  });

  test('one on which a process listens is not replaced', async () => {
    const socket = join(createTemporaryDirectory(), 's');
    await startAt(socket);
    const { code, stderr } = await runAt(socket);
    expect(code).toBe(2);
    expect(stderr).toContain(`Another process listens on ${socket} already.`);
    const client = await connectSocket(socket, { type: 'connect' });
    await client.next({ type: 'session_attached' });
  });

  test('a foreign file, a directory and links are never removed', async () => {
    const directory = createTemporaryDirectory();
    const foreign = join(directory, 'file');
    writeFileSync(foreign, 'content');
    mkdirSync(join(directory, 'directory'));
    const listener = createServer();
    await new Promise<void>((resolve) => listener.listen(join(directory, 'other'), resolve));
    onTestFinished(() => void listener.close());
    symlinkSync(foreign, join(directory, 'link'));
    symlinkSync(join(directory, 'other'), join(directory, 'socket-link'));
    symlinkSync(join(directory, 'nowhere'), join(directory, 'dangling'));
    for (const name of ['file', 'directory', 'link', 'socket-link', 'dangling']) {
      const { code, stdout, stderr } = await runAt(join(directory, name));
      expect([name, code, stdout]).toEqual([name, 2, '']);
      expect(stderr).toContain(`${join(directory, name)} exists and is not a socket.`);
    }
    expect(readFileSync(foreign, 'utf8')).toBe('content');
    expect(lstatSync(join(directory, 'dangling')).isSymbolicLink()).toBe(true);
    expect(existsSync(join(directory, 'nowhere'))).toBe(false);
    expect(lstatSync(join(directory, 'other')).isSocket()).toBe(true);
  });

  test('is not left behind when the port is in use', async () => {
    const socket = join(createTemporaryDirectory(), 's');
    const { port } = await startServer();
    const { code } = await runProgram(['serve', '--port', String(port), '--socket', socket]);
    expect(code).toBe(2);
    expect(existsSync(socket)).toBe(false);
  });

  test('what has replaced the socket meanwhile is not removed at the end', async () => {
    const socket = join(createTemporaryDirectory(), 's');
    const first = await startAt(socket);
    rmSync(socket);
    const second = await startAt(socket);
    expect((await stopServer(first)).code).toBe(143);
    const client = await connectSocket(socket, { type: 'connect' });
    await client.next({ type: 'session_attached' });
    rmSync(socket);
    writeFileSync(socket, 'content');
    expect((await stopServer(second)).code).toBe(143);
    expect(readFileSync(socket, 'utf8')).toBe('content');
  });

  test('a path that is too long is refused', async () => {
    const { code, stderr } = await runAt(join(createTemporaryDirectory(), 'x'.repeat(110)));
    expect(code).toBe(2);
    expect(stderr).toContain('longer than 103 bytes');
  });
});

describe('the first line', () => {
  async function start() {
    const directories = createDirectories();
    return startAt(join(directories.home, 's'), directories);
  }

  test('has the parameters of the connection', async () => {
    const { socket = '', createSession } = await start();
    const session = await createSession();
    const frame = { type: 'connect', dialect: 'pi', session, after: 0, stream: 'delta', client: 'script' };
    const client = await connectSocket(socket, frame);
    expect(await client.next({ type: 'session_attached' })).toMatchObject({
      ...{ sessionId: session, clientId: 'script', access: 'full', replay: 'snapshot', sessions: 'many' },
    });
    expect(await client.next({ type: 'session_snapshot' })).toMatchObject({ sessionId: session, totalMessages: 0 });
  });

  test('can be a command: then the defaults hold', async () => {
    const { socket = '' } = await start();
    const client = await connectSocket(socket);
    expect(await client.call({ type: 'get_state' })).toMatchObject({ success: true });
    expect(client.frames.map(({ type }) => type).slice(0, 2)).toEqual(['ready', 'session_attached']);
  });

  test('a second connect frame is an unknown command', async () => {
    const { socket = '' } = await start();
    const client = await connectSocket(socket, { type: 'connect' });
    await client.next({ type: 'session_attached' });
    client.send({ type: 'connect' });
    expect(await client.next({ type: 'response' })).toMatchObject({ success: false, command: 'connect' });
  });

  test.each([
    [{ dialect: 'klingon' }, 'config', 'Unknown dialect: klingon'],
    [{ dialect: 1 }, 'invalid_params', 'dialect must be a string'],
    [{ session: 'none' }, 'not_found', 'Session not found: none'],
    [{ session: '../../etc/passwd' }, 'not_found', 'Session not found'],
    [{ session: '' }, 'not_found', 'Session not found'],
    [{ session: null }, 'invalid_params', 'session must be a string'],
    [{ stream: 'both' }, 'invalid_params', 'stream must be'],
    [{ cwd: '/nowhere/at/all' }, 'config', '/nowhere/at/all'],
    [{ cwd: 1 }, 'invalid_params', 'cwd must be a string'],
    [{ after: {} }, 'invalid_params', 'after must be'],
    [{ access: 'all' }, 'invalid_params', 'access must be'],
    [{ client: 'a\nb' }, 'invalid_params', 'client must have'],
    [{ dialect: 'acp', session: 'x' }, 'invalid_params', 'open their sessions themselves'],
  ])('%j is refused with %s, and the connection ends', async (params, code, words) => {
    const { socket = '' } = await start();
    const client = await connectSocket(socket, { type: 'connect', ...params });
    const refusal = await client.next({ type: 'connect_error' });
    expect(refusal).toEqual({ type: 'connect_error', code, message: expect.stringContaining(words) });
    await client.closed;
    expect(client.frames).toHaveLength(1);
  });

  test('a client that sends nothing, or only a part of a line, does not stop the server', async () => {
    const { socket = '', request, program } = await start();
    const silent = connect(socket);
    const partial = connect(socket);
    for (const one of [silent, partial]) one.on('error', () => {});
    partial.write('{"type":"conn');
    await new Promise((resolve) => partial.once('connect', resolve));
    partial.destroy();
    expect((await request('/healthz')).status).toBe(200);
    program.kill('SIGTERM');
    expect((await program.exited).code).toBe(143);
    silent.destroy();
  });
});

test('the end of the server is announced to the clients of the socket', async () => {
  const directories = createDirectories();
  const server = await startAt(join(directories.home, 's'), directories);
  const client = await connectSocket(server.socket ?? '', { type: 'connect' });
  await client.next({ type: 'session_attached' });
  server.program.kill('SIGTERM');
  expect(await client.next({ type: 'connection_end' })).toMatchObject({ code: 1012 });
});
