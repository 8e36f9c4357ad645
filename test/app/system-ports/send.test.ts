// Sending requests to a model: streamed responses, reused connections and errors.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createSend } from '../../../src/app/system-ports/send.ts';
import type { HttpRequest, HttpResponse } from '../../../src/contracts/index.ts';
import { createFakeClock } from '../../../src/testing/index.ts';

type RequestHandler = (request: IncomingMessage, response: ServerResponse, body: string) => void;

async function startServer(handleRequest: RequestHandler) {
  const sockets = new Set<Socket>();
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    handleRequest(request, response, body);
  });
  server.on('connection', (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, sockets };
}

function createRequest(overrides: Partial<HttpRequest> = {}): HttpRequest {
  return {
    method: 'POST',
    headers: { 'x-mark': 'here' },
    signal: new AbortController().signal,
    redirect: 'error',
    ...overrides,
  };
}

async function readText({ body }: HttpResponse): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body ?? []) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

const send = createSend(createFakeClock());

test('sends method, headers and body, with the length of the body in bytes', async () => {
  const { url } = await startServer(({ method, headers }, response, body) => {
    response.setHeader('x-answer', 'yes');
    response.end(JSON.stringify({ method, mark: headers['x-mark'], length: headers['content-length'], body }));
  });
  const httpResponse = await send(url, createRequest({ body: 'naïve' }));
  expect([
    httpResponse.ok,
    httpResponse.status,
    httpResponse.headers.get('X-Answer'),
    httpResponse.headers.get('x-none'),
  ]).toEqual([true, 200, 'yes', null]);
  expect(JSON.parse(await readText(httpResponse))).toEqual({
    method: 'POST',
    mark: 'here',
    length: '6',
    body: 'naïve',
  });
});

test('a response is read while the server still writes it', async () => {
  const { url } = await startServer((_request, response) => {
    response.write('first');
    endResponse = () => response.end('second');
  });
  let endResponse = () => {};
  const httpResponse = await send(url, createRequest());
  const chunks = (httpResponse.body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
  expect(`${Buffer.from((await chunks.next()).value)}`).toBe('first');
  endResponse();
  expect(`${Buffer.from((await chunks.next()).value)}`).toBe('second');
  expect((await chunks.next()).done).toBe(true);
});

test('a connection is reused after its response was read completely', async () => {
  const { url, sockets } = await startServer((_request, response) => response.end('ok'));
  for (let i = 0; i < 3; i++) expect(await readText(await send(url, createRequest()))).toBe('ok');
  expect(sockets.size).toBe(1);
});

test('a request on an idle connection that the server has closed is sent again', async () => {
  let served = 0;
  const { url, sockets } = await startServer((request, response) => {
    served++;
    // Closes the connection at the second request, without a response.
    if (served === 2) request.socket.destroy();
    else response.end('ok');
  });
  await readText(await send(url, createRequest()));
  expect(await readText(await send(url, createRequest({ body: 'again' })))).toBe('ok');
  expect([served, sockets.size]).toEqual([3, 2]);
});

test('an error on a new connection fails the request, which is not sent again', async () => {
  let served = 0;
  const { url } = await startServer((request) => {
    served++;
    request.socket.destroy();
  });
  await expect(createSend(createFakeClock())(url, createRequest())).rejects.toThrow('socket hang up');
  expect(served).toBe(1);
});

describe('a response with an encoding that was not requested is decoded', () => {
  test.each([
    ['gzip', gzipSync('hello')],
    ['br', brotliCompressSync('hello')],
  ])('%s', async (encoding, bytes) => {
    const { url } = await startServer((_request, response) => {
      response.setHeader('content-encoding', encoding);
      response.end(bytes);
    });
    expect(await readText(await send(url, createRequest()))).toBe('hello');
  });
});

test('a redirect is refused, so that the key is not sent to another host', async () => {
  const { url } = await startServer((_request, response) => {
    response.writeHead(302, { location: 'http://elsewhere.test/' });
    response.end();
  });
  await expect(send(url, createRequest())).rejects.toThrow(/redirects to another address \(302\)/);
});

test('a refused connection is reported with the address', async () => {
  await expect(send('http://127.0.0.1:1/', createRequest())).rejects.toThrow('connect ECONNREFUSED 127.0.0.1:1');
});

test('a URL that is not http or https is refused', async () => {
  await expect(send('ftp://x.test/', createRequest())).rejects.toThrow('http:// or https:// (got ftp://)');
});

describe('abort', () => {
  test('before sending: no request is sent', async () => {
    let served = 0;
    const { url } = await startServer(() => served++);
    await expect(send(url, createRequest({ signal: AbortSignal.abort() }))).rejects.toThrow(/abort/i);
    expect(served).toBe(0);
  });

  test('during the response: reading fails and the connection is closed', async () => {
    const aborter = new AbortController();
    let connectionClosed: Promise<unknown> | undefined;
    const { url } = await startServer((_request, response) => {
      response.write('first');
      connectionClosed = new Promise((resolve) => response.on('close', resolve));
    });
    const httpResponse = await send(url, createRequest({ signal: aborter.signal }));
    const reading = readText(httpResponse);
    aborter.abort();
    await expect(reading).rejects.toThrow();
    await connectionClosed;
  });

  test('after the response: the connection stays open', async () => {
    const aborter = new AbortController();
    const { url, sockets } = await startServer((_request, response) => response.end('ok'));
    await readText(await send(url, createRequest({ signal: aborter.signal })));
    aborter.abort();
    expect(await readText(await send(url, createRequest()))).toBe('ok');
    expect(sockets.size).toBe(1);
  });
});
