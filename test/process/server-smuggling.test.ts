// Malformed and ambiguous HTTP requests to `parley serve`: each is refused, and the server continues.
import { connect } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { withDeadline } from '../support/deadline.ts';
import { type Server, shareServer, startServer } from '../support/server.ts';
import { connectWebSocket, type RefusedHandshake } from '../support/server-clients.ts';

const head = ({ port }: Server, target: string, ...headers: string[]) =>
  [`GET ${target} HTTP/1.1`, `Host: 127.0.0.1:${port}`, ...headers, '', ''].join('\r\n');

const UPGRADE = [
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
];

const getServer = shareServer();

const isHealthy = async ({ request }: Server) => (await request('/healthz')).status === 200;

test.each(['//', '///ws', 'http://[', 'http://', '//[/ws', '/\\ws', '/ws%', '/%00', '*'])(
  'a WebSocket with the address %s is refused',
  async (target) => {
    const server = await getServer();
    const answer = await server.exchange(head(server, target, ...UPGRADE));
    expect(answer).toMatch(/^HTTP\/1\.1 40[0134] /);
    expect(await isHealthy(server)).toBe(true);
  },
);

test('a WebSocket whose client disconnects during the handshake does not end the server', async () => {
  const server = await startServer();
  for (let i = 0; i < 20; i++) {
    const socket = connect(server.port, '127.0.0.1');
    socket.on('error', () => {});
    socket.write(head(server, `/ws?token=${server.token}`, ...UPGRADE));
    await new Promise((resolve) => socket.once('connect', resolve));
    socket.resetAndDestroy();
  }
  expect(await isHealthy(server)).toBe(true);
});

describe('wrong Host and Origin', () => {
  const WRONG: Record<string, string>[] = [
    { host: 'evil.example:7420' },
    { host: 'localhost' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: 'http://127.0.0.1:3000' },
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' },
  ];

  test.each(WRONG)('%j is refused over HTTP, as an event stream and as a WebSocket', async (headers) => {
    const server = await getServer();
    const session = await server.createSession();
    for (const path of ['/', '/healthz', '/v1/sessions', `/v1/sessions/${session}/events`, '/none', '/metrics']) {
      const response = await server.request(path, { headers });
      expect([path, response.status]).toEqual([path, 403]);
      expect(response.headers['access-control-allow-origin']).toBeUndefined();
    }
    const refused = connectWebSocket(server, { session }, { headers });
    await expect(refused).rejects.toMatchObject({ status: 403, body: expect.stringContaining('"forbidden"') });
  });

  test('a request without a Host header is refused', async () => {
    const server = await getServer();
    for (const line of [
      'GET /v1/sessions HTTP/1.0',
      'GET /v1/sessions HTTP/1.1',
      'GET /v1/sessions HTTP/1.1\r\nHost:',
    ]) {
      const text = `${line}\r\nAuthorization: Bearer ${server.token}\r\nConnection: close\r\n\r\n`;
      expect(await server.exchange(text)).toMatch(/^HTTP\/1\.1 40[03] /);
    }
  });

  test('refused handshakes have the security headers, too', async () => {
    const server = await getServer();
    const refused = (await connectWebSocket(server, {}, { token: null }).catch((thrown) => thrown)) as RefusedHandshake;
    expect(refused.status).toBe(401);
    expect(refused.headers['content-security-policy']).toContain("default-src 'none'");
    expect(JSON.parse(refused.body)).toEqual({
      ...{ success: false, error: { code: 'unauthorized', message: expect.stringContaining('A token is needed') } },
    });
  });

  test('an address in the request line does not replace the Host header', async () => {
    const server = await getServer();
    const request = (host: string) =>
      [
        `GET http://127.0.0.1:${server.port}/v1/sessions HTTP/1.1`,
        `Host: ${host}`,
        ...[`Authorization: Bearer ${server.token}`, 'Connection: close', '', ''],
      ].join('\r\n');
    expect(await server.exchange(request('evil.example'))).toMatch(/^HTTP\/1\.1 400 /);
    expect(await server.exchange(request(`127.0.0.1:${server.port}`))).toMatch(/^HTTP\/1\.1 200 /);
  });
});

describe('requests for an unclear host', () => {
  const send = (server: Server, target: string, ...headers: string[]) => {
    const lines = [`GET ${target} HTTP/1.1`, ...headers, `Authorization: Bearer ${server.token}`];
    return server.exchange([...lines, 'Connection: close', '', ''].join('\r\n'));
  };

  test('several Host headers are refused: for the page, the API and WebSockets', async () => {
    const server = await getServer();
    const own = `Host: 127.0.0.1:${server.port}`;
    for (const hosts of [
      [own, 'Host: evil.example'],
      ['Host: evil.example', own],
      [own, own],
    ]) {
      for (const target of ['/', '/healthz', '/v1/sessions'])
        expect([target, hosts, await send(server, target, ...hosts)]).toEqual([
          ...[target, hosts, expect.stringMatching(/^HTTP\/1\.1 400 [\s\S]*content-security-policy: /)],
        ]);
      const handshake = [`GET /ws?token=${server.token} HTTP/1.1`, ...hosts, ...UPGRADE, '', ''].join('\r\n');
      expect(await server.exchange(handshake)).toMatch(/^HTTP\/1\.1 400 /);
    }
  });

  test('an address of another host in the request line is refused', async () => {
    const server = await getServer();
    const host = `Host: 127.0.0.1:${server.port}`;
    const evil = ['http://evil.example/v1/sessions', `http://localhost:${server.port}/v1/sessions`, 'ftp://x/', 'a:b'];
    for (const target of [...evil, `https://127.0.0.1:${server.port}/`, '*', 'http://[', 'v1/sessions'])
      expect([target, await send(server, target, host)]).toEqual([
        ...[target, expect.stringMatching(/^HTTP\/1\.1 400 [\s\S]*content-security-policy: /)],
      ]);
  });

  test.each(['evil@127.0.0.1', '127.0.0.1:80:80', 'a b', '127.0.0.1/x', '127.0.0.1#', '127.0.0.1?x'])(
    'the host %j is refused, with the security headers',
    async (host) => {
      const server = await getServer();
      const answer = await send(server, '/v1/sessions', `Host: ${host}:${server.port}`);
      expect(answer).toMatch(/^HTTP\/1\.1 40[03] [\s\S]*content-security-policy: /);
      expect(answer).toContain('"success":false');
    },
  );
});

test('a refused WebSocket is disconnected, also when its client keeps its side open', async () => {
  const server = await startServer();
  const closed = Array.from({ length: 20 }, (_, index) => {
    const socket = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true });
    onTestFinished(() => void socket.destroy());
    const key = index % 2 === 0 ? UPGRADE : UPGRADE.slice(0, 3);
    socket.write(head(server, index % 2 === 0 ? '/ws' : `/ws?token=${server.token}`, ...key));
    // Writing after the server has closed its side fails only if it has given up the connection.
    socket.on('end', () => {
      const timer = setInterval(() => socket.write('x'), 20);
      socket.on('close', () => clearInterval(timer));
    });
    socket.resume();
    return new Promise((resolve) => socket.on('error', resolve));
  });
  const problems = await withDeadline(Promise.all(closed), 'the end of refused WebSockets');
  expect(problems).toHaveLength(20);
});

describe('ambiguous requests', () => {
  const body = '{"message":"smuggled"}';
  const hidden = (server: Server) =>
    `POST /v1/commands/shutdown HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nAuthorization: Bearer ${server.token}\r\nContent-Length: 2\r\n\r\n{}`;

  test.each([
    ['two lengths', ['Content-Length: 5', 'Content-Length: 6']],
    ['a length and chunks', ['Content-Length: 5', 'Transfer-Encoding: chunked']],
    ['two encodings', ['Transfer-Encoding: chunked', 'Transfer-Encoding: identity']],
    ['an unknown encoding', ['Transfer-Encoding: xchunked']],
    ['an encoding after chunked', ['Transfer-Encoding: chunked, gzip']],
    ['a signed length', ['Content-Length: +5']],
    ['a negative length', ['Content-Length: -5']],
    ['a length with a line break', ['Content-Length:', ' 5']],
    ['a space before the colon', ['Content-Length : 5']],
    ['a control character', ['X-A: a\0b']],
    ['a bare line feed in a value', ['X-A: a\nX-B: b\rX-C: c']],
  ])('with %s are refused, and what follows is not read as a request', async (_, headers) => {
    const server = await getServer();
    const session = await server.createSession();
    const text = [
      `POST /v1/sessions/${session}/commands/get_state HTTP/1.1`,
      `Host: 127.0.0.1:${server.port}`,
      `Authorization: Bearer ${server.token}`,
      ...headers,
      ...['', ''],
    ].join('\r\n');
    const answer = await server.exchange(`${text}${body}${hidden(server)}`);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer.match(/HTTP\/1\.1/g)).toHaveLength(1);
    expect(await isHealthy(server)).toBe(true);
  });

  test.each(['CONNECT', 'TRACE', 'PUT', 'PATCH', 'PROPFIND', 'LINK', 'QUERY'])('%s changes nothing', async (method) => {
    const server = await getServer();
    const session = await server.createSession();
    const path = `/v1/sessions/${session}`;
    const response = await server.request(path, { method }).catch(() => ({ status: 0, text: '' }));
    expect([0, 404, 405]).toContain(response.status);
    expect(response.text).not.toContain(server.token);
    expect((await server.request(path)).status).toBe(200);
    expect(await isHealthy(server)).toBe(true);
  });

  test.each(['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'GET / HTTP/9.9\r\n\r\n', '\x16\x03\x01\x02\x00', 'hello\r\n\r\n'])(
    '%j is not HTTP/1',
    async (text) => {
      const server = await getServer();
      expect(await server.exchange(text)).not.toMatch(/HTTP\/1\.1 [23]/);
      expect(await isHealthy(server)).toBe(true);
    },
  );
});

describe('path traversal', () => {
  const OUTSIDE = ['../serve/token', '..%2fserve%2ftoken', '%2e%2e/%2e%2e/serve/token', '..%5c..%5cserve%5ctoken'];
  const ENCODED = [
    '%2e%2e%2f%2e%2e%2fpackage.json',
    '..%00.js',
    'x%00.js',
    '%252e%252e%252fpackage.json',
    '.env',
    '..;/x.js',
  ];

  test.each([...OUTSIDE, ...ENCODED, `${'../'.repeat(20)}etc/passwd`, '%c0%ae%c0%ae/x', '\\..\\x'])(
    '%s leads to no file',
    async (name) => {
      const server = await getServer();
      const session = await server.createSession();
      const paths = [
        `/assets/${name}`,
        `/v1/sessions/${session}/artifacts/${name}`,
        `/v1/sessions/${name}`,
        `/${name}`,
      ];
      for (const path of paths) {
        const { status, text } = await server.request(path);
        expect([path, status >= 400 && status < 500]).toEqual([path, true]);
        expect(text).not.toContain(server.token);
        expect(text).not.toContain('root:');
      }
    },
  );
});
