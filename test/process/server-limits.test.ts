// Limits of `parley serve`: wrong tokens, frames per second, sizes, clients and names.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createDirectories, type ProgramDirectories } from '../support/program.ts';
import { OFFLINE, type Server, shareServer, startServer } from '../support/server.ts';
import { connectSocket, connectWebSocket, openEventStream, RefusedHandshake } from '../support/server-clients.ts';
import { waitUntil } from '../support/wait-until.ts';

async function startWith(settings: object): Promise<Server> {
  const directories: ProgramDirectories = createDirectories();
  writeFileSync(join(directories.home, 'settings.json'), JSON.stringify(settings));
  return startServer([...OFFLINE, '--socket', join(directories.home, 's')], { directories });
}

const isHealthy = async ({ request }: Server) => (await request('/healthz')).status === 200;

test('after 20 wrong tokens the address must wait, unless it has a valid one, over HTTP, for the login and for WebSockets', async () => {
  const server = await startServer();
  const guess = (token: string) => server.request('/v1/sessions', { token });
  for (let i = 0; i < 10; i++) expect((await guess(`guess-${i}`)).status).toBe(401);
  for (let i = 10; i < 20; i++)
    await expect(connectWebSocket(server, {}, { token: `guess-${i}` })).rejects.toMatchObject({ status: 401 });
  const limited = await guess('another');
  expect({ status: limited.status, json: limited.json }).toEqual({
    status: 429,
    json: {
      ...{ success: false, error: { code: 'rate_limited', message: expect.stringContaining('Wait a minute') } },
    },
  });
  const statusOfPage = async (token: string) => (await server.request(`/?token=${token}`, { token: null })).status;
  expect([await statusOfPage('another'), await statusOfPage(server.token)]).toEqual([429, 302]);
  const logIn = async (token: string) =>
    (await server.request('/login', { method: 'POST', body: { token }, token: null })).status;
  expect([await logIn('another'), await logIn(server.token)]).toEqual([429, 200]);
  await expect(connectWebSocket(server, {}, { token: 'another' })).rejects.toMatchObject({ status: 429 });
  await (await connectWebSocket(server)).next({ type: 'session_attached' });
  expect((await guess(server.token)).status).toBe(200);
  expect(await isHealthy(server)).toBe(true);
});

test('the same old token, for example of a page that connects again and again, is counted once', async () => {
  const server = await startServer();
  for (let i = 0; i < 40; i++) expect((await server.request('/v1/sessions', { token: 'old' })).status).toBe(401);
  expect((await server.request('/v1/sessions', { token: 'other' })).status).toBe(401);
});

test('a client that sends too many frames is dropped with 4429, and the others are not', async () => {
  const server = await startServer();
  const other = await connectWebSocket(server);
  const { sessionId: session } = await other.next({ type: 'session_attached' });
  const flood = await connectWebSocket(server, { session: String(session) });
  for (let i = 0; i < 30_000; i++) flood.sendText('{}');
  expect(await flood.closed).toMatchObject({ code: 4429, reason: expect.stringContaining('Too many frames') });
  expect(await other.call({ type: 'get_state' })).toMatchObject({ success: true });
  const again = await connectWebSocket(server, { session: String(session) });
  await again.next({ type: 'session_attached' });
  expect(await again.call({ type: 'get_state' })).toMatchObject({ success: true });
});

describe('sizes', () => {
  const MAX = 100_000;
  const start = () => startWith({ 'rpc.maxLineBytes': MAX });

  test('a larger body is refused with 413, also when its length is not declared', async () => {
    const server = await start();
    const body = JSON.stringify({ text: 'x'.repeat(MAX) });
    const path = '/v1/commands/ping';
    const declared = await server.request(path, { method: 'POST', body });
    expect(declared).toMatchObject({ status: 413, json: { success: false, error: { code: 'refused' } } });
    const chunk = `${(16_384).toString(16)}\r\n${' '.repeat(16_384)}\r\n`;
    const head = [
      `POST ${path} HTTP/1.1`,
      `Host: 127.0.0.1:${server.port}`,
      `Authorization: Bearer ${server.token}`,
      ...['Transfer-Encoding: chunked', 'Connection: close', '', ''],
    ].join('\r\n');
    const answer = await server.exchange(`${head}${chunk.repeat(10)}0\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect((await server.request(path, { method: 'POST', body: '{}' })).status).toBe(200);
  });

  test('a larger frame ends a WebSocket with 1009', async () => {
    const server = await start();
    const client = await connectWebSocket(server);
    await client.next({ type: 'session_attached' });
    client.send({ type: 'prompt', message: 'x'.repeat(MAX) });
    expect(await client.closed).toMatchObject({ code: 1009 });
    expect(await isHealthy(server)).toBe(true);
  });

  test('a larger line on the socket is refused, and the next one is read', async () => {
    const server = await start();
    const client = await connectSocket(server.socket ?? '', { type: 'connect' });
    await client.next({ type: 'session_attached' });
    client.send({ type: 'prompt', message: 'x'.repeat(MAX) });
    expect(await client.next({ type: 'response' })).toMatchObject({ success: false, command: 'parse' });
    expect(await client.call({ type: 'get_state' })).toMatchObject({ success: true });
  });

  test('a binary message is no frame', async () => {
    const client = await connectWebSocket(await start());
    await client.next({ type: 'session_attached' });
    client.sendText(Buffer.from('{"type":"get_state"}') as unknown as string);
    expect(await client.next({ type: 'response' })).toMatchObject({ success: false, command: 'parse' });
  });

  test('headers that are too large are refused', async () => {
    const server = await start();
    const headers = { 'x-large': 'x'.repeat(20_000) };
    expect((await server.request('/healthz', { headers })).status).toBe(431);
  });
});

test('serve.maxClients holds for WebSockets, sockets and event streams together', async () => {
  const server = await startWith({ 'serve.maxClients': 3 });
  const first = await connectWebSocket(server);
  const { sessionId } = await first.next({ type: 'session_attached' });
  const second = await connectSocket(server.socket ?? '', { type: 'connect', session: sessionId });
  await second.next({ type: 'session_attached' });
  const third = await openEventStream(server, `/v1/sessions/${sessionId}/events`);
  await third.next(({ event }) => event === 'session_attached');
  const refused = await connectWebSocket(server).catch((thrown: unknown) => thrown);
  expect(refused).toBeInstanceOf(RefusedHandshake);
  expect(refused).toMatchObject({ status: 503, body: expect.stringContaining('serve.maxClients') });
  const line = await connectSocket(server.socket ?? '', { type: 'connect' });
  expect(await line.next({ type: 'connect_error' })).toMatchObject({ code: 'busy' });
  expect((await server.request(`/v1/sessions/${sessionId}/events`)).status).toBe(503);
  expect((await server.request('/v1/sessions')).status).toBe(200);
  third.close();
  await waitUntil(async () => {
    const client = await connectWebSocket(server).catch(() => undefined);
    return client !== undefined;
  });
});

test('many clients that connect at the same time do not exceed the limit', async () => {
  const server = await startWith({ 'serve.maxClients': 5 });
  const results = await Promise.all(
    Array.from({ length: 30 }, async () => {
      try {
        const client = await connectWebSocket(server);
        return await Promise.race([
          client.next({ type: 'session_attached' }).then(() => 'attached'),
          client.closed.then(({ code }) => `closed ${code}`),
        ]);
      } catch (thrown) {
        return `refused ${(thrown as RefusedHandshake).status}`;
      }
    }),
  );
  expect(results.filter((result) => result === 'attached')).toHaveLength(5);
  for (const result of results) expect(['attached', 'refused 503', 'closed 1013']).toContain(result);
});

describe('names', () => {
  const getServer = shareServer(({ home }) => [...OFFLINE, '--socket', join(home, 's')]);
  const NAMES = ['a\r\nset-cookie: x', 'a\nb', 'a\0b', 'x'.repeat(65), '<script>', '"', '\u2028'];

  test.each(NAMES)('the client name %j is refused', async (name) => {
    const server = await getServer();
    await expect(connectWebSocket(server, { client: name })).rejects.toMatchObject({ status: 400 });
    const path = `/v1/commands/ping?client=${encodeURIComponent(name)}`;
    expect((await server.request(path, { method: 'POST' })).status).toBe(400);
    const client = await connectSocket(server.socket ?? '', { type: 'connect', client: name });
    expect(await client.next({ type: 'connect_error' })).toMatchObject({ code: 'invalid_params' });
  });

  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'prototype'])(
    '%s is no command, session, dialect, stream or dialog',
    async (name) => {
      const server = await getServer();
      const session = await server.createSession();
      const post = (path: string) => server.request(path, { method: 'POST', body: { confirmed: true } });
      expect(await post(`/v1/sessions/${session}/commands/${name}`)).toMatchObject({
        ...{ status: 404, json: { success: false, error: { code: 'unknown_command' } } },
      });
      expect((await post(`/v1/commands/${name}`)).status).toBe(404);
      expect((await post(`/v1/sessions/${session}/dialogs/${name}`)).status).toBe(404);
      expect((await server.request(`/v1/sessions/${name}`)).status).toBe(404);
      expect((await server.request(`/v1/sessions/${session}/events?stream=${name}`)).status).toBe(400);
      const client = await connectWebSocket(server, { session });
      await client.next({ type: 'session_attached' });
      client.send({ type: name });
      expect(await client.next({ type: 'response' })).toMatchObject({ success: false, command: name });
      expect(await (await connectWebSocket(server, { dialect: name })).closed).toMatchObject({ code: 4400 });
      expect(await (await connectWebSocket(server, { session: name })).closed).toMatchObject({ code: 4404 });
      expect(await (await connectWebSocket(server, { stream: name })).closed).toMatchObject({ code: 4400 });
    },
  );
});

test('a client that sends several calls with large replies at once gets all of them', async () => {
  const server = await startWith({ 'serve.clientBuffer': 1_000_000 });
  const session = await server.createSession();
  const body = { message: `say \`hello\` ${'x'.repeat(3_000_000)}` };
  const path = `/v1/sessions/${session}/commands/prompt?wait=settled`;
  expect((await server.request(path, { method: 'POST', body })).status).toBe(200);
  const client = await connectWebSocket(server, { session });
  await client.next({ type: 'session_attached' });
  const ids = Array.from({ length: 8 }, (_, id) => id);
  client.send(...ids.map((id) => ({ id, type: 'get_messages' })));
  for (const id of ids) expect(await client.next({ type: 'response', id })).toMatchObject({ success: true });
});
