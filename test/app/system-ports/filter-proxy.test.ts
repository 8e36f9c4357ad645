// The proxy of sandboxed commands over real sockets: what it forwards, what it refuses, and hostile clients.
import { existsSync, statSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createOpenFilterProxy } from '../../../src/app/system-ports/filter-proxy/open-filter-proxy.ts';
import { createAllowListPolicy } from '../../../src/sandbox/network/allow-list-policy.ts';
import { startForwardProxy } from '../../support/forward-proxy.ts';
import { startHttpServer } from '../../support/http-server.ts';

interface ProxyTestOptions {
  readonly rules?: readonly string[];
  readonly env?: Record<string, string>;
  readonly addresses?: Readonly<Record<string, readonly string[]>>;
  readonly listenOn?: 'socket' | 'port';
}

async function openProxy({ rules = [], env = {}, addresses = {}, listenOn = 'socket' }: ProxyTestOptions) {
  const refused: string[] = [];
  const lookups: string[] = [];
  const open = createOpenFilterProxy({
    env,
    async lookup(name) {
      lookups.push(name);
      const found = addresses[name];
      if (!found) throw new Error('ENOTFOUND');
      return found;
    },
  });
  const policy = createAllowListPolicy(rules);
  const proxy = await open({ policy, listenOn, onRefused: (host) => void refused.push(host) });
  onTestFinished(() => proxy.close());
  /** Opens a connection that has sent the token. */
  const dial = (token = `${proxy.token}\n`): Socket => {
    const { address } = proxy;
    const socket = 'port' in address ? connect(address.port, '127.0.0.1') : connect(address.socketPath);
    if (!('port' in address)) socket.write(token);
    onTestFinished(() => void socket.destroy());
    return socket;
  };
  /** Everything that the proxy sends until it ends the connection. */
  const send = (text: string, token?: string) => readAll(dial(token).end(text));
  return { proxy, refused, lookups, dial, send };
}

async function readAll(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on('error', () => {});
  socket.on('data', (chunk) => chunks.push(chunk));
  await new Promise((resolve) => socket.once('close', resolve));
  return Buffer.concat(chunks).toString('latin1');
}

/** A server whose requests are recorded. */
async function startCanary() {
  const requests: { method: string; url: string; headers: IncomingMessage['headers']; body: string }[] = [];
  const { url } = await startHttpServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request;
      requests.push({ method, url: path, headers, body });
      response.setHeader('X-Canary', ['one', 'two']);
      if (path === '/redirect') response.writeHead(302, { location: 'http://other.test/' });
      response.end(`canary ${path}`);
    });
  });
  return { requests, port: Number(new URL(url).port) };
}

async function openWithCanary(options: ProxyTestOptions = {}) {
  const canary = await startCanary();
  const { port } = canary;
  const rules = [`ok.test:${port}`, `127.0.0.1:${port}`, ...(options.rules ?? [])];
  const addresses = { 'ok.test': ['127.0.0.1'], 'evil.test': ['127.0.0.1'], ...options.addresses };
  const opened = await openProxy({ ...options, rules, addresses });
  const get = (path = '/', headers = '') =>
    `GET http://ok.test:${port}${path} HTTP/1.1\r\nHost: ok.test:${port}\r\n${headers}Connection: close\r\n\r\n`;
  return { ...canary, ...opened, get };
}

describe('allowed targets', () => {
  test('a plain request', async () => {
    const { send, get, requests, port, refused } = await openWithCanary();
    const answer = await send(get('/path?query', 'X-Own: 1\r\n'));
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(answer).toContain('canary /path?query');
    expect(answer).toMatch(/X-Canary: one\r\nX-Canary: two/);
    expect(requests).toMatchObject([
      { method: 'GET', url: '/path?query', headers: { host: `ok.test:${port}`, 'x-own': '1' } },
    ]);
    expect(refused).toEqual([]);
  });

  test('a tunnel, with bytes that the client sends before the answer', async () => {
    const { send, requests, port } = await openWithCanary();
    const inner = 'GET /inner HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
    const answer = await send(`CONNECT ok.test:${port} HTTP/1.1\r\nHost: ok.test:${port}\r\n\r\n${inner}`);
    expect(answer).toMatch(/^HTTP\/1\.1 200 Connection Established\r\n\r\nHTTP\/1\.1 200 OK/);
    expect(answer).toContain('canary /inner');
    expect(requests).toHaveLength(1);
  });

  test.each([
    ['Content-Length: 5', 'hello'],
    ['Transfer-Encoding: chunked', '2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n'],
  ])('a request with a body: %s', async (header, body) => {
    const { send, requests, port } = await openWithCanary();
    const head = `POST http://ok.test:${port}/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${header}\r\n\r\n`;
    expect(await send(head + body)).toContain('canary /');
    expect(requests).toMatchObject([{ method: 'POST', body: 'hello' }]);
  });

  test('a large body in both directions of a tunnel arrives complete, also after one side has ended', async () => {
    const echo = createServer({ allowHalfOpen: true }, (socket) => void socket.pipe(socket));
    await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void echo.close());
    const { port } = echo.address() as AddressInfo;
    const { send } = await openProxy({ rules: [`127.0.0.1:${port}`] });
    const text = 'x'.repeat(3_000_000);
    const answer = await send(`CONNECT 127.0.0.1:${port} HTTP/1.1\r\nHost: a\r\n\r\n${text}`);
    expect(answer.length).toBe('HTTP/1.1 200 Connection Established\r\n\r\n'.length + text.length);
  });

  test('the second address is tried when the first cannot be reached', async () => {
    const canary = await startCanary();
    // ::1 has no server at this port.
    const rules = [`two.test:${canary.port}`, `[::1]:${canary.port}`, `127.0.0.1:${canary.port}`];
    const { send } = await openProxy({ rules, addresses: { 'two.test': ['::1', '127.0.0.1'] } });
    expect(
      await send(`GET http://two.test:${canary.port}/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`),
    ).toContain('canary');
  });

  test('HTTP/1.0', async () => {
    const { send, port } = await openWithCanary();
    expect(await send(`GET http://ok.test:${port}/old HTTP/1.0\r\n\r\n`)).toContain('canary /old');
  });
});

describe('refused targets', () => {
  test('a plain request gets 403 with the host and the remedy in status line, header and body', async () => {
    const { send, refused, lookups, requests } = await openWithCanary();
    const answer = await send('GET http://evil.test/ HTTP/1.1\r\nHost: evil.test\r\nConnection: close\r\n\r\n');
    const reason = 'evil.test is not in sandbox.allowedHosts. Add "evil.test" to this setting to allow it.';
    expect(answer).toContain(`HTTP/1.1 403 Forbidden (${reason})\r\n`);
    expect(answer).toContain(`Proxy-Status: parley-sandbox; details="${reason.replaceAll('"', '\\"')}"\r\n`);
    expect(answer).toMatch(/\r\n\r\nevil\.test is not in sandbox\.allowedHosts\..*\n$/);
    expect([refused, lookups, requests]).toEqual([['evil.test'], [], []]);
  });

  test('a tunnel gets the same', async () => {
    const { send, refused, port, requests } = await openWithCanary();
    const answer = await send(`CONNECT evil.test:${port} HTTP/1.1\r\nHost: ok.test:${port}\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 403 Forbidden \(evil\.test:\d+ is not in sandbox\.allowedHosts/);
    expect([refused, requests]).toEqual([[`evil.test:${port}`], []]);
  });

  test('the URL decides, not the Host header', async () => {
    const { send, requests, refused, port } = await openWithCanary();
    const spoofed = `GET http://evil.test:${port}/ HTTP/1.1\r\nHost: ok.test:${port}\r\nConnection: close\r\n\r\n`;
    expect(await send(spoofed)).toContain('403');
    const rewritten = `GET http://ok.test:${port}/ HTTP/1.1\r\nHost: evil.test\r\nHost: other.test\r\nConnection: close\r\n\r\n`;
    expect(await send(rewritten)).toMatch(/ (200|400) /);
    expect(await send(rewritten.replace('Host: other.test\r\n', ''))).toContain('canary');
    for (const { headers } of requests) expect(headers.host).toBe(`ok.test:${port}`);
    expect(refused).toEqual([`evil.test:${port}`]);
  });

  test('every request of a connection is checked', async () => {
    const { dial, requests, refused, port } = await openWithCanary();
    const request = (host: string, last = false) =>
      `GET http://${host}:${port}/${host} HTTP/1.1\r\nHost: ok.test:${port}\r\n${last ? 'Connection: close\r\n' : ''}\r\n`;
    const answer = await readAll(dial().end(request('ok.test') + request('evil.test') + request('ok.test', true)));
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 403', 'HTTP/1.1 200']);
    expect(requests.map(({ url }) => url)).toEqual(['/ok.test', '/ok.test']);
    expect(refused).toEqual([`evil.test:${port}`]);
  });

  test('a redirect is given to the client and not followed', async () => {
    const { send, get, requests } = await openWithCanary();
    expect(await send(get('/redirect'))).toMatch(/^HTTP\/1\.1 302 /);
    expect(requests).toHaveLength(1);
  });

  test('a name that resolves to a special address, also to one beside an allowed one', async () => {
    const addresses = { 'meta.test': ['169.254.169.254'], 'both.test': ['10.0.0.1', '127.0.0.1'] };
    const { send } = await openProxy({ rules: ['meta.test', 'both.test'], addresses });
    expect(await send('CONNECT meta.test:80 HTTP/1.1\r\nHost: a\r\n\r\n')).toContain(
      '169.254.169.254, a link-local address',
    );
    expect(await send('CONNECT both.test:80 HTTP/1.1\r\nHost: a\r\n\r\n')).toContain('127.0.0.1, a loopback address');
  });

  test('a name is looked up once: the connection goes to the checked address', async () => {
    const { send, get, lookups } = await openWithCanary();
    await send(get());
    expect(lookups).toEqual(['ok.test']);
  });
});

describe('headers', () => {
  test('those of one connection are not forwarded, in either direction', async () => {
    const { send, get, requests } = await openWithCanary();
    const headers = [
      'Proxy-Authorization: Basic c2VjcmV0',
      'Proxy-Connection: keep-alive',
      'Connection: X-Private, keep-alive',
      'X-Private: 1',
      'Keep-Alive: 5',
      'TE: trailers',
      'Upgrade: websocket',
      'X-Public: 1',
    ];
    await send(get('/', headers.map((line) => `${line}\r\n`).join('')));
    expect(Object.keys(requests[0]?.headers ?? {}).sort()).toEqual(['connection', 'host', 'x-public']);
    expect(requests[0]?.headers.connection).toBe('close');
  });

  test('Connection cannot remove the length of the body', async () => {
    const { send, requests, port } = await openWithCanary();
    const head = `POST http://ok.test:${port}/ HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nConnection: content-length, close\r\n\r\nabc`;
    await send(head);
    expect(requests).toMatchObject([{ body: 'abc' }]);
  });
});

test.each([
  [
    'both lengths',
    'POST http://ok.test:PORT/ HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  ],
  [
    'two lengths',
    'POST http://ok.test:PORT/ HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nabcd',
  ],
  [
    'an unknown transfer encoding',
    'POST http://ok.test:PORT/ HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n',
  ],
  ['bare LF', 'GET http://ok.test:PORT/ HTTP/1.1\nHost: a\n\n'],
  ['bare CR in a header', 'GET http://ok.test:PORT/ HTTP/1.1\r\nHost: a\r\nX: a\rX-Other: b\r\n\r\n'],
  ['a space before a colon', 'GET http://ok.test:PORT/ HTTP/1.1\r\nHost: a\r\nContent-Length : 4\r\n\r\nabcd'],
  ['a NUL in the URL', 'GET http://ok.test:PORT/\0 HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['a tab in the URL', 'GET http://ok.test:PORT/\tx HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['origin form', 'GET / HTTP/1.1\r\nHost: ok.test:PORT\r\n\r\n'],
  ['no host', 'GET http:///path HTTP/1.1\r\nHost: ok.test:PORT\r\n\r\n'],
  ['a user name', 'GET http://ok.test:PORT@evil.test/ HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['a backslash', 'GET http://ok.test:PORT\\@evil.test/ HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['a fragment', 'GET http://ok.test:PORT#@evil.test/ HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['https', 'GET https://ok.test:PORT/ HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['ftp', 'GET ftp://ok.test:PORT/ HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['file', 'GET file:///etc/passwd HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['asterisk form', 'OPTIONS * HTTP/1.1\r\nHost: ok.test:PORT\r\n\r\n'],
  ['an empty port', 'GET http://ok.test:/ HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['a large port', 'GET http://ok.test:99999/ HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['CONNECT without a port', 'CONNECT ok.test HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['CONNECT to a URL', 'CONNECT http://ok.test:PORT/ HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['CONNECT with a user name', 'CONNECT evil@ok.test:PORT HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['CONNECT to port 0', 'CONNECT ok.test:0 HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['large headers', `GET http://ok.test:PORT/ HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`],
  ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
  ['nothing', ''],
])('hostile request: %s', async (_name, text) => {
  const { send, requests, get, port } = await openWithCanary();
  const answer = await send(text.replaceAll('PORT', String(port)));
  expect(answer).toMatch(/^(HTTP\/1\.1 (400|403|431|501) |$)/);
  expect(requests).toEqual([]);
  expect(await send(get())).toContain('canary');
});

describe('access to the proxy', () => {
  test('the socket is in a directory that only the user can enter, and both are removed', async () => {
    const { proxy } = await openProxy({});
    const path = 'socketPath' in proxy.address ? proxy.address.socketPath : '';
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
    expect(statSync(path).isSocket()).toBe(true);
    await proxy.close();
    expect(existsSync(dirname(path))).toBe(false);
  });

  test.each(['', '\n', 'wrong\n', `${'x'.repeat(32)}\n`, 'GET http://ok.test/ HTTP/1.1\r\nHost: ok.test\r\n\r\n'])(
    'the token %j is refused without an answer',
    async (token) => {
      const { send, get, requests } = await openWithCanary();
      expect(await send(get(), token)).toBe('');
      expect(requests).toEqual([]);
    },
  );

  test('a token in several parts is accepted', async () => {
    const { dial, get, proxy } = await openWithCanary();
    const socket = dial(proxy.token.slice(0, 5));
    await new Promise((resolve) => setImmediate(resolve));
    socket.write(proxy.token.slice(5));
    await new Promise((resolve) => setImmediate(resolve));
    expect(await readAll(socket.end(`\n${get()}`))).toContain('canary');
  });

  test('the port needs the token as password, which is not forwarded', async () => {
    const { send, get, requests, proxy } = await openWithCanary({ listenOn: 'port' });
    const authorize = (password: string) =>
      `Proxy-Authorization: Basic ${Buffer.from(`parley:${password}`).toString('base64')}\r\n`;
    for (const headers of ['', authorize('wrong'), authorize(''), 'Proxy-Authorization: Bearer x\r\n']) {
      expect(await send(get('/', headers))).toMatch(/^HTTP\/1\.1 407 .*Proxy-Authenticate: Basic/s);
    }
    expect(await send('CONNECT ok.test:80 HTTP/1.1\r\nHost: a\r\n\r\n')).toMatch(/^HTTP\/1\.1 407 /);
    expect(requests).toEqual([]);
    expect(await send(get('/', authorize(proxy.token)))).toContain('canary');
    expect(requests[0]?.headers).not.toHaveProperty('proxy-authorization');
  });

  test('close() ends open tunnels', async () => {
    const { dial, port, proxy } = await openWithCanary();
    const socket = dial();
    const answer = readAll(socket);
    socket.write(`CONNECT ok.test:${port} HTTP/1.1\r\nHost: a\r\n\r\n`);
    await new Promise((resolve) => socket.once('data', resolve));
    await proxy.close();
    expect(await answer).toContain('200');
  });
});

describe('failures', () => {
  test('a name that cannot be resolved and a server that cannot be reached', async () => {
    const { send } = await openProxy({ rules: ['none.test', '127.0.0.1:1'] });
    expect(await send('CONNECT none.test:443 HTTP/1.1\r\nHost: a\r\n\r\n')).toContain(
      '502 Bad Gateway (none.test cannot be resolved: ENOTFOUND)',
    );
    const unreachable = 'GET http://127.0.0.1:1/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
    expect(await send(unreachable)).toMatch(/^HTTP\/1\.1 502 .*127\.0\.0\.1:1 cannot be reached: connect ECONNREFUSED/);
  });

  test.each([
    '',
    'garbage\r\n\r\n',
    'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\npart',
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n',
  ])('a server that answers %j', async (text) => {
    const server = createServer((socket) => void socket.on('error', () => {}).end(text));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const { send } = await openProxy({ rules: [`127.0.0.1:${port}`] });
    const answer = await send(`GET http://127.0.0.1:${port}/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 (502|200) /);
    expect(answer).not.toContain('101');
  });
});

describe("the user's own proxy", () => {
  test('gets allowed requests and tunnels with its password, and only those', async () => {
    const canary = await startCanary();
    const upstream = await startForwardProxy({
      ports: { 80: canary.port, 443: canary.port },
      credentials: 'me:secret',
    });
    const url = `http://me:secret@${upstream.address}`;
    const { send, lookups } = await openProxy({ rules: ['ok.test'], env: { HTTP_PROXY: url, HTTPS_PROXY: url } });
    expect(await send('GET http://ok.test/a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')).toContain('canary /a');
    const inner = 'GET /b HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
    expect(await send(`CONNECT ok.test:443 HTTP/1.1\r\nHost: a\r\n\r\n${inner}`)).toContain('canary /b');
    expect(await send('CONNECT evil.test:443 HTTP/1.1\r\nHost: a\r\n\r\n')).toContain('403');
    expect(upstream.forwarded).toEqual([
      { how: 'forward', to: 'ok.test' },
      { how: 'tunnel', to: 'ok.test:443' },
    ]);
    expect([lookups, upstream.unauthorized()]).toEqual([[], 0]);
    for (const { headers } of canary.requests) expect(headers).not.toHaveProperty('proxy-authorization');
  });

  test('is not used for the addresses of NO_PROXY', async () => {
    const upstream = await startForwardProxy({ ports: {} });
    const env = { HTTPS_PROXY: upstream.url, HTTP_PROXY: upstream.url, NO_PROXY: 'ok.test' };
    const { send, get } = await openWithCanary({ env });
    expect(await send(get())).toContain('canary');
    expect(upstream.forwarded).toEqual([]);
  });

  test('its errors do not show the password', async () => {
    const upstream = await startForwardProxy({ ports: {}, credentials: 'me:other' });
    const { send } = await openProxy({
      rules: ['ok.test'],
      env: { HTTPS_PROXY: `http://me:secret@${upstream.address}` },
    });
    const answer = await send('CONNECT ok.test:443 HTTP/1.1\r\nHost: a\r\n\r\n');
    expect(answer).toContain(
      `502 Bad Gateway (The proxy ${upstream.address} (HTTPS_PROXY) refused a connection to ok.test:443 (407))`,
    );
    expect(answer).not.toContain('secret');
  });
});
