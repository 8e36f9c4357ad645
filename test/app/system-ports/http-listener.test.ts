// The HTTP listener: slow requests are ended, the number of connections is limited, and a port in use is reported.
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { listenHttp } from '../../../src/app/system-ports/http-listener.ts';
import { createDeferred } from '../../../src/base/index.ts';
import { withDeadline } from '../../support/deadline.ts';

type Options = Parameters<typeof listenHttp>[0];

/** Only for connections that must be ended: on a busy machine a correct request can take longer. */
const SHORT_TIMEOUTS = {
  requestTimeout: 300,
  headersTimeout: 200,
  connectionsCheckingInterval: 20,
  stalledTimeout: 150,
};

const answerAtOnce: Options['onRequest'] = (request, response) =>
  void request.resume().on('end', () => response.end('ok'));

async function listen(options: Partial<Pick<Options, 'maxConnections' | 'onRequest' | 'timeouts'>> = {}) {
  const listener = await listenHttp({
    ...{ host: '127.0.0.1', port: 0, maxConnections: 100, onRequest: answerAtOnce },
    ...options,
    onUpgrade: async () => {
      throw new Error('not a WebSocket');
    },
  });
  onTestFinished(() => listener.close());
  return listener;
}

/** Sends a text and then nothing. Resolves with what was received when the server closes the connection. */
function exchange(port: number, text: string, socket: Socket = connect(port, '127.0.0.1')): Promise<string> {
  let answer = '';
  socket.on('data', (chunk) => {
    answer += String(chunk);
  });
  socket.on('error', () => {});
  if (text !== '') socket.write(text);
  const closed = new Promise<string>((resolve) => socket.on('close', () => resolve(answer)));
  return withDeadline(closed, 'the end of a slow connection');
}

test.each([
  ['no byte', ''],
  ['an unfinished request line', 'GET / HT'],
  ['unfinished headers', 'GET / HTTP/1.1\r\nHost: x\r\nX-A: '],
])('a connection with %s is ended', async (_, text) => {
  const { port } = await listen({ timeouts: SHORT_TIMEOUTS });
  expect(await exchange(port, text)).not.toContain('200 OK');
});

test('a body that does not arrive is ended', async () => {
  const { port } = await listen({ timeouts: SHORT_TIMEOUTS });
  const answer = await exchange(port, 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{');
  expect(answer).not.toContain('200 OK');
});

test('headers that arrive byte by byte do not keep a connection open', async () => {
  const { port } = await listen({ timeouts: SHORT_TIMEOUTS });
  const socket = connect(port, '127.0.0.1');
  const timer = setInterval(() => socket.write('X-A: b\r\n'), 10);
  onTestFinished(() => clearInterval(timer));
  expect(await exchange(port, 'GET / HTTP/1.1\r\nHost: x\r\n', socket)).not.toContain('200 OK');
});

test('connections beyond the limit are closed', async () => {
  const { port } = await listen({ maxConnections: 2 });
  const kept = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')];
  for (const socket of kept) socket.on('error', () => {});
  onTestFinished(() => kept.forEach((socket) => void socket.destroy()));
  await Promise.all(kept.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
  expect(await exchange(port, 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')).toBe('');
});

test('a failure of an upgrade ends its connection only', async () => {
  const { port } = await listen();
  const upgrade = 'GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
  expect(await exchange(port, upgrade)).toBe('');
  expect(await exchange(port, 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')).toContain('200 OK');
});

test('a port in use is a failure of the configuration', async () => {
  const { port } = await listen();
  const options = { host: '127.0.0.1', port, maxConnections: 1, onRequest: () => {}, onUpgrade: async () => {} };
  await expect(listenHttp(options)).rejects.toMatchObject({
    ...{ code: 'config', message: expect.stringContaining(`Port ${port} of 127.0.0.1 is in use`) },
  });
  await expect(listenHttp({ ...options, host: '192.0.2.1', port: 0 })).rejects.toMatchObject({ code: 'config' });
});

test('a client that does not read its response is disconnected', async () => {
  // More than the buffers of the system hold.
  const large = Buffer.alloc(50_000_000);
  const closed = createDeferred();
  const { port } = await listen({
    onRequest({ socket }, response) {
      socket.on('close', () => closed.resolve());
      response.end(large);
      socket.setTimeout(1);
    },
  });
  const socket = connect(port, '127.0.0.1').pause();
  socket.on('error', () => {});
  onTestFinished(() => void socket.destroy());
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await withDeadline(closed.promise, 'the end of the connection');
});

test('a response that has nothing to send yet may take longer', async () => {
  const { port } = await listen({
    onRequest({ socket }, response) {
      socket.setTimeout(1);
      // After the listener of the server.
      socket.once('timeout', () => response.end('late'));
    },
  });
  expect(await exchange(port, 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')).toContain('late');
});

test('an upgrade to another protocol is refused, or ignored where Node can ignore it', async () => {
  const { port } = await listen();
  const answer = await exchange(
    port,
    'GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AA\r\n\r\n',
  );
  expect(answer).toMatch(/^HTTP\/1\.1 (200|400) /);
  expect(answer).toMatch(/ok$|Upgrade: .*h2c.* is not supported/);
});

test.each([
  [400, 'Bad Header'],
  [431, `X-A: ${'x'.repeat(20_000)}`],
  [417, 'Expect: something'],
])('what Node refuses itself with %i has the security headers', async (status, header) => {
  const { port } = await listen();
  const answer = await exchange(port, `GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${header}\r\n\r\n`);
  expect(answer).toContain(`HTTP/1.1 ${status} `);
  expect(answer).toContain("content-security-policy: default-src 'none'");
  expect(answer).toContain('"success":false');
});

test('the next request of a connection starts when the response before it was read', async () => {
  const large = Buffer.alloc(10_000_000);
  const started: (string | undefined)[] = [];
  const { port } = await listen({
    onRequest({ url }, response) {
      started.push(url);
      response.end(url === '/large' ? large : 'ok');
    },
  });
  const socket = connect(port, '127.0.0.1');
  socket.write('GET /large HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(3));
  socket.pause();
  // Answered after the requests of the first connection were parsed.
  await exchange(port, 'GET /small HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  expect(started).toEqual(['/large', '/small']);
  let received = 0;
  socket.on('data', (chunk) => {
    received += chunk.length;
    if (received > 3 * large.length) socket.destroy();
  });
  socket.resume();
  await withDeadline(new Promise((resolve) => socket.on('close', resolve)), 'the three responses');
  expect(started).toEqual(['/large', '/small', '/large', '/large']);
});

test('requests that wait on one connection are limited, and are answered in order', async () => {
  const { port } = await listen();
  const answer = await exchange(port, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(300));
  const statuses = [...answer.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
  expect(statuses).toEqual([...Array(101).fill('200'), '429']);
});
