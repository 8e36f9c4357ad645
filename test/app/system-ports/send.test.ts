// The hot road to a model: answers as they arrive, connections that are used again, and failures in words.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createSend } from '../../../src/app/system-ports/send.ts';
import type { HttpAnswer, HttpRequest } from '../../../src/contracts/index.ts';
import { createFakeClock } from '../../../src/testing/index.ts';

type Answering = (request: IncomingMessage, response: ServerResponse, body: string) => void;

async function serverWith(answering: Answering) {
  const sockets = new Set<Socket>();
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    answering(request, response, body);
  });
  server.on('connection', (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, sockets };
}

function asked(other: Partial<HttpRequest> = {}): HttpRequest {
  return {
    method: 'POST',
    headers: { 'x-mark': 'here' },
    signal: new AbortController().signal,
    redirect: 'error',
    ...other,
  };
}

async function textOf({ body }: HttpAnswer): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body ?? []) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

const send = createSend(createFakeClock());

test('the request arrives as it was given, with the length of its body in bytes', async () => {
  const { url } = await serverWith(({ method, headers }, response, body) => {
    response.setHeader('x-answer', 'yes');
    response.end(JSON.stringify({ method, mark: headers['x-mark'], length: headers['content-length'], body }));
  });
  const answer = await send(url, asked({ body: 'naïve' }));
  expect([answer.ok, answer.status, answer.headers.get('X-Answer'), answer.headers.get('x-none')]).toEqual([
    true,
    200,
    'yes',
    null,
  ]);
  expect(JSON.parse(await textOf(answer))).toEqual({ method: 'POST', mark: 'here', length: '6', body: 'naïve' });
});

test('an answer is read while it is still being written', async () => {
  const { url } = await serverWith((_request, response) => {
    response.write('first');
    onward = () => response.end('second');
  });
  let onward = () => {};
  const answer = await send(url, asked());
  const pieces = (answer.body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
  expect(`${Buffer.from((await pieces.next()).value)}`).toBe('first');
  onward();
  expect(`${Buffer.from((await pieces.next()).value)}`).toBe('second');
  expect((await pieces.next()).done).toBe(true);
});

test('a connection whose answer was read to the end is used again', async () => {
  const { url, sockets } = await serverWith((_request, response) => response.end('ok'));
  for (let i = 0; i < 3; i++) expect(await textOf(await send(url, asked()))).toBe('ok');
  expect(sockets.size).toBe(1);
});

test('a kept connection that the server closed in the meantime is not held against the request', async () => {
  let served = 0;
  const { url, sockets } = await serverWith((request, response) => {
    served++;
    // The second request on a connection finds it closed, without a word.
    if (served === 2) request.socket.destroy();
    else response.end('ok');
  });
  await textOf(await send(url, asked()));
  expect(await textOf(await send(url, asked({ body: 'again' })))).toBe('ok');
  expect([served, sockets.size]).toEqual([3, 2]);
});

test('a fresh connection that breaks is a failure, and is not tried again', async () => {
  let served = 0;
  const { url } = await serverWith((request) => {
    served++;
    request.socket.destroy();
  });
  await expect(createSend(createFakeClock())(url, asked())).rejects.toThrow('socket hang up');
  expect(served).toBe(1);
});

describe('an encoding that nobody asked for is undone', () => {
  test.each([
    ['gzip', gzipSync('hello')],
    ['br', brotliCompressSync('hello')],
  ])('%s', async (encoding, bytes) => {
    const { url } = await serverWith((_request, response) => {
      response.setHeader('content-encoding', encoding);
      response.end(bytes);
    });
    expect(await textOf(await send(url, asked()))).toBe('hello');
  });
});

test('a redirect is refused: the key must not go elsewhere', async () => {
  const { url } = await serverWith((_request, response) => {
    response.writeHead(302, { location: 'http://elsewhere.test/' });
    response.end();
  });
  await expect(send(url, asked())).rejects.toThrow(/redirects elsewhere \(302\)/);
});

test('nobody there: the words name the address', async () => {
  await expect(send('http://127.0.0.1:1/', asked())).rejects.toThrow('connect ECONNREFUSED 127.0.0.1:1');
});

test('an address of another kind is named', async () => {
  await expect(send('ftp://x.test/', asked())).rejects.toThrow('http:// or https://, not ftp://');
});

describe('abort', () => {
  test('before it is sent: nothing is', async () => {
    let served = 0;
    const { url } = await serverWith(() => served++);
    await expect(send(url, asked({ signal: AbortSignal.abort() }))).rejects.toThrow(/abort/i);
    expect(served).toBe(0);
  });

  test('in the middle of the answer: reading fails and the connection is closed', async () => {
    const aborter = new AbortController();
    let gone: Promise<unknown> | undefined;
    const { url } = await serverWith((_request, response) => {
      response.write('first');
      gone = new Promise((resolve) => response.on('close', resolve));
    });
    const answer = await send(url, asked({ signal: aborter.signal }));
    const reading = textOf(answer);
    aborter.abort();
    await expect(reading).rejects.toThrow();
    await gone;
  });

  test('after the end: the connection stays', async () => {
    const aborter = new AbortController();
    const { url, sockets } = await serverWith((_request, response) => response.end('ok'));
    await textOf(await send(url, asked({ signal: aborter.signal })));
    aborter.abort();
    expect(await textOf(await send(url, asked()))).toBe('ok');
    expect(sockets.size).toBe(1);
  });
});
