// What every route refuses: unknown and repeated query parameters, other methods, other media types; and the headers of refusals.
import { describe, expect, test } from 'vitest';
import { Fault } from '../../src/base/index.ts';
import { createTestApp, isPublic, listRoutes, READ_TOKEN } from './http-app.ts';

const readError = async (response: Response) =>
  ((await response.json()) as { error: { code: string; message: string } }).error;

describe('query parameters', () => {
  const routes = listRoutes().filter((route) => !isPublic(route));

  test.each(routes.map(({ method, path }) => [method, path]))('%s %s refuses unknown ones', async (method, path) => {
    const { request, calls } = createTestApp();
    for (const query of ['acces=read', 'Access=read', 'access%20=read', 'token=x', '__proto__=1']) {
      const response = await request(`${path}?${query}`, { method });
      expect([query, response.status]).toEqual([query, 400]);
      const { code, message } = await readError(response);
      expect(code).toBe('invalid_params');
      expect(message).toContain(
        `Unknown query parameter: ${decodeURIComponent(query.split('=')[0] ?? '')}. Allowed here: `,
      );
    }
    expect(calls).toEqual([]);
  });

  test.each(['access=read&access=full', 'access=full&access=read', 'client=a&client=b'])(
    '%s is refused, because it is not clear which one holds',
    async (query) => {
      const { request, calls } = createTestApp();
      const response = await request(`/v1/commands/ping?${query}`, { method: 'POST' });
      expect(response.status).toBe(400);
      expect((await readError(response)).message).toContain('must not be repeated');
      expect(calls).toEqual([]);
    },
  );

  test.each([
    ['POST', '/v1/commands/ping?wait=yes', 'wait must be accepted or settled (got "yes")'],
    ['POST', '/v1/sessions/s/commands/prompt?wait=', 'wait must be accepted or settled (got "")'],
    ['GET', '/v1/sessions/s/export?download=1', 'download must be true or false (got "1")'],
    ['GET', '/v1/sessions/s/export?branch=', 'branch must be true or false (got "")'],
  ])('%s %s names the value', async (method, path, message) => {
    const { request, calls } = createTestApp();
    const response = await request(path, { method });
    expect([response.status, (await readError(response)).message]).toEqual([400, message]);
    expect(calls).toEqual([]);
  });
});

test('the list asks what the sessions of its page are doing, and no others', async () => {
  const asked: (readonly string[])[] = [];
  const { request } = createTestApp({
    backend: {
      call: async () => ({
        status: 'settled',
        result: { sessions: [{ id: 'a' }, { id: 'b', interrupted: true }, { id: 'c' }], nextCursor: 'x' },
      }),
      async listActivities(ids) {
        asked.push(ids);
        return new Map([['a', 'running']]);
      },
    },
  });
  const { sessions } = ((await (await request('/v1/sessions')).json()) as { data: { sessions: unknown[] } }).data;
  expect(asked).toEqual([['a', 'b', 'c']]);
  expect(sessions).toMatchObject([{ activity: 'running' }, { activity: 'interrupted' }, { activity: 'idle' }]);
});

test('a new session refuses fields that it does not know: one could restrict the session', async () => {
  const { request, calls } = createTestApp();
  for (const path of ['/v1/sessions', '/v1/sessions/s/fork']) {
    const response = await request(path, { method: 'POST', body: '{"tool":["read"]}' });
    expect(response.status).toBe(400);
    expect((await readError(response)).message).toBe(
      'Unknown field: tool. The body can have: id, forkOf, cwd, persist.',
    );
  }
  expect(calls).toEqual([]);
});

describe('methods', () => {
  const patterns = new Map<string, string[]>();
  for (const { method, path } of listRoutes()) patterns.set(path, [...(patterns.get(path) ?? []), method]);

  test.each([...patterns])('%s has %j', async (path, methods) => {
    const { request, calls } = createTestApp();
    const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((name) => !methods.includes(name))) {
      const response = await request(path, { method });
      expect([method, response.status, response.headers.get('allow')]).toEqual([method, 405, allow]);
      expect(await readError(response)).toMatchObject({ code: 'method_not_allowed' });
      expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
    }
    const options = await request(path, { method: 'OPTIONS' });
    expect([options.status, options.headers.get('allow')]).toEqual([204, allow]);
    expect(options.headers.get('access-control-allow-origin')).toBeNull();
    expect(calls).toEqual([]);
  });

  test('without a token, a method that is not allowed does not show that an address exists', async () => {
    const { request } = createTestApp();
    for (const path of ['/v1/sessions', '/v1/none']) {
      const response = await request(path, { method: 'PUT', token: null });
      expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    }
  });
});

describe('media types', () => {
  const post = (headers: Record<string, string>, token?: null) => {
    const { request } = createTestApp();
    return request('/v1/commands/ping', { method: 'POST', body: '{}', headers, ...(token === null ? { token } : {}) });
  };

  test.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/merge-patch+json',
    'APPLICATION/JSON',
  ])('%s is accepted', async (type) => expect((await post({ 'content-type': type })).status).toBe(200));

  test('a tool that sends a token may send the type of curl -d', async () => {
    expect((await post({ 'content-type': 'application/x-www-form-urlencoded' })).status).toBe(200);
  });

  test.each(['text/plain', 'multipart/form-data; boundary=x', 'application/json; charset=utf-16', 'text/html', 'json'])(
    '%s is refused with 415',
    async (type) => {
      const response = await post({ 'content-type': type });
      expect(response.status).toBe(415);
      expect((await readError(response)).message).toContain('Content-Type: application/json');
    },
  );

  test('with the cookie of the page only JSON is accepted: a form of another page cannot send it', async () => {
    const cookie = 'parley_7420=main-token-of-the-test-0123456789';
    expect((await post({ cookie, 'content-type': 'application/json' }, null)).status).toBe(200);
    for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data; boundary=x'])
      expect((await post({ cookie, 'content-type': type }, null)).status).toBe(415);
  });

  test.each(['gzip', 'br', 'deflate', 'identity, gzip'])('a body in %s is refused with 415', async (encoding) => {
    const response = await post({ 'content-type': 'application/json', 'content-encoding': encoding });
    expect(response.status).toBe(415);
  });
});

test('a session that another process uses is a conflict', async () => {
  const { request } = createTestApp({
    backend: {
      async describeSession() {
        throw new Fault('refused', 'in use', { details: { reason: 'in_use' } });
      },
    },
  });
  expect((await request('/v1/sessions/s')).status).toBe(409);
});

test('429 and 503 say when to try again', async () => {
  const { request, clock } = createTestApp({
    backend: {
      async serveConnection() {
        throw new Fault('busy', 'full', { details: { reason: 'too_many_clients' } });
      },
    },
  });
  const full = await request('/v1/sessions/s/events');
  expect([full.status, full.headers.get('retry-after')]).toEqual([503, '5']);
  for (let i = 0; i < 20; i++) await request('/v1/sessions', { token: `wrong-${i}` });
  await clock.advance(20_000);
  const limited = await request('/v1/sessions', { token: 'wrong' });
  expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '40']);
});

test.each([false, true])('a stream of events that fails is ended; its response has begun: %s', async (hasBegun) => {
  let closed: Promise<void> | undefined;
  const { request } = createTestApp({
    backend: {
      async serveConnection({ transport }) {
        closed = transport.readerClosed;
        if (hasBegun) transport.write(['{"type":"ready"}\n']);
        throw new Fault('not_found', 'Session not found: s');
      },
    },
  });
  const response = await request('/v1/sessions/s/events');
  expect(response.status).toBe(hasBegun ? 200 : 404);
  // Without the end, the heartbeats would go on.
  await closed;
  expect(await response.text()).toContain(hasBegun ? 'event: end' : 'not_found');
});

describe('files', () => {
  test('an export has a name, is downloaded on request, and cannot use the server', async () => {
    const { request } = createTestApp();
    const shown = await request('/v1/sessions/a%22%0d%0ab/export', { token: READ_TOKEN });
    expect(shown.headers.get('content-disposition')).toBe('inline; filename="a___b.html"');
    expect(shown.headers.get('content-security-policy')).toContain('sandbox allow-scripts');
    expect(shown.headers.get('content-security-policy')).not.toContain('allow-same-origin');
    expect(shown.headers.get('x-content-type-options')).toBe('nosniff');
    const saved = await request('/v1/sessions/s/export?download=true&branch=true');
    expect(saved.headers.get('content-disposition')).toBe('attachment; filename="s.html"');
  });

  test('the file of an artifact is its parts joined, never shown as a page', async () => {
    const parts = [
      { text: '<script>é', totalBytes: 14, nextOffset: 10 },
      { base64: Buffer.from([0xff, 0xfe]).toString('base64'), totalBytes: 14, nextOffset: 12 },
      { text: 'ab', totalBytes: 14 },
    ];
    const { request } = createTestApp({
      backend: { call: async () => ({ status: 'settled', result: parts.shift() }) },
    });
    const response = await request('/v1/sessions/s/artifacts/7/file', { token: READ_TOKEN });
    expect(Buffer.from(await response.arrayBuffer())).toEqual(
      Buffer.concat([Buffer.from('<script>é'), Buffer.from([0xff, 0xfe]), Buffer.from('ab')]),
    );
    expect(response.headers.get('content-type')).toBe('application/octet-stream');
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="7.txt"');
    expect(response.headers.get('content-length')).toBe('14');
  });
});
