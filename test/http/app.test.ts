// The HTTP API: which token every route needs, the headers of every response, CORS, cookies, bodies and failures.
import { describe, expect, test } from 'vitest';
import { Fault } from '../../src/base/index.ts';
import { SECURITY_HEADERS } from '../../src/http/security-headers.ts';
import { createTestApp, HOST, isPublic, listRoutes, MAIN_TOKEN, PUBLIC_ROUTES, READ_TOKEN } from './http-app.ts';

const LISTED = 'https://app.example.com';
const routes = listRoutes();
const named = routes.map((route) => [`${route.method} ${route.pattern}`, route] as const);

test('the public routes exist', () => {
  expect(routes.filter(isPublic).map(({ method, pattern }) => `${method} ${pattern}`)).toEqual(PUBLIC_ROUTES);
});

describe.each(named)('%s', (_, route) => {
  const { method, path } = route;
  const body = method === 'POST' ? '{}' : undefined;
  const send = async (options: object, appOptions = {}) => {
    const { request, calls } = createTestApp(appOptions);
    const response = await request(path, { method, ...(body === undefined ? {} : { body }), ...options });
    await response.body?.cancel();
    return { response, calls };
  };

  test('needs a token, unless it is public', async () => {
    const expected = isPublic(route) ? [200, 401] : [401];
    for (const token of [null, 'wrong', '']) {
      const { response, calls } = await send({ token });
      expect(expected).toContain(response.status);
      expect(calls).toEqual([]);
    }
  });

  test('refuses another Host and another Origin, also with the token', async () => {
    for (const headers of [{ host: 'evil.example:7420' }, { origin: 'https://evil.example' }, { origin: 'null' }]) {
      const { response, calls } = await send({ headers });
      expect([headers, response.status, calls]).toEqual([headers, 403, []]);
      expect(response.headers.get('access-control-allow-origin')).toBeNull();
    }
  });

  test('has all security headers, on success and on failure', async () => {
    for (const options of [{}, { token: null }, { headers: { host: 'evil.example' } }, { method: 'PUT' }]) {
      const { response } = await send(options);
      for (const name of Object.keys(SECURITY_HEADERS))
        expect([name, response.headers.get(name)]).not.toEqual([name, null]);
      expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(response.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    }
  });

  test('has CORS headers for a listed origin only, and never for cookies', async () => {
    const listed = { allowedOrigins: [LISTED] };
    const { response } = await send({ headers: { origin: LISTED } }, listed);
    expect(response.headers.get('access-control-allow-origin')).toBe(LISTED);
    expect(response.headers.get('access-control-allow-credentials')).toBeNull();
    expect(response.headers.get('vary')).toContain('Origin');
    const own = await send({ headers: { origin: `http://${HOST}` } }, listed);
    expect(own.response.headers.get('access-control-allow-origin')).toBeNull();
    const without = await send({}, listed);
    expect(without.response.headers.get('access-control-allow-origin')).toBeNull();
  });

  test('has a preflight for a listed origin only', async () => {
    const preflight = { method: 'OPTIONS', token: null, body: undefined };
    const headers = { origin: LISTED, 'access-control-request-method': method };
    const listed = await send({ ...preflight, headers }, { allowedOrigins: [LISTED] });
    expect(listed.response.status).toBe(204);
    expect(listed.response.headers.get('access-control-allow-methods')).toContain(method);
    const foreign = await send({ ...preflight, headers });
    expect(foreign.response.status).toBe(403);
    expect(foreign.response.headers.get('access-control-allow-methods')).toBeNull();
    expect(foreign.calls).toEqual([]);
  });
});

test('the content security policy has no inline script and no other source', () => {
  const policy = SECURITY_HEADERS['content-security-policy'] ?? '';
  expect(policy).not.toMatch(/unsafe|\*|https?:/);
  expect(policy).toContain("script-src 'self';");
});

describe('a read-only token', () => {
  test.each(named.filter(([, route]) => !isPublic(route)))('%s passes its access on', async (_, route) => {
    const { request, calls } = createTestApp();
    const response = await request(route.path, { method: route.method, token: READ_TOKEN, body: bodyOf(route.method) });
    await response.body?.cancel();
    expect(calls.every(({ caller }) => caller.access === 'read')).toBe(true);
  });

  test('cannot answer a dialog', async () => {
    let answers = 0;
    const answerDialog = async () => {
      answers += 1;
      return true;
    };
    const { request } = createTestApp({ backend: { answerDialog } });
    const answer = { method: 'POST', body: '{"confirmed":true}' };
    expect((await request('/v1/sessions/s1/dialogs/d1', { ...answer, token: READ_TOKEN })).status).toBe(403);
    expect((await request('/v1/sessions/s1/dialogs/d1?access=read', answer)).status).toBe(403);
    expect(answers).toBe(0);
    expect((await request('/v1/sessions/s1/dialogs/d1', answer)).status).toBe(200);
    expect(answers).toBe(1);
  });
});

function bodyOf(method: string): string {
  return method === 'POST' ? '{}' : (undefined as never);
}

describe('access and client name', () => {
  const callerOf = async (query: string, token = MAIN_TOKEN, headers = {}) => {
    const { request, calls } = createTestApp();
    const { status } = await request(`/v1/commands/ping?${query}`, { method: 'POST', token, headers });
    const [call] = calls;
    return call ? `${call.caller.name} ${call.caller.access}` : status;
  };

  test('access=read narrows, access=full does not widen, other values are refused', async () => {
    expect(await callerOf('')).toBe('http owner full');
    expect(await callerOf('access=read')).toBe('http owner read');
    expect(await callerOf('access=full', READ_TOKEN)).toBe('http dashboard read');
    for (const value of ['Read', 'readonly', '', 'read%20', 'none'])
      expect(await callerOf(`access=${value}`)).toBe(400);
  });

  test.each(['a\r\nx: y', 'a\nb', 'a\0', '<b>', 'x'.repeat(65), '', '"', '\u2028', '{}'])(
    'the name %j is refused',
    async (name) => {
      expect(await callerOf(`client=${encodeURIComponent(name)}`)).toBe(400);
    },
  );

  test('a valid name is used, from the query or the header', async () => {
    expect(await callerOf('client=Editor%20of%20me@host:1')).toBe('Editor of me@host:1 full');
    expect(await callerOf('', MAIN_TOKEN, { 'x-parley-client': 'bot-1' })).toBe('bot-1 full');
  });
});

describe('the cookie of the page', () => {
  test('is set by the address with the token, and by the login', async () => {
    const { request, readAudit } = createTestApp();
    const opened = await request(`/?token=${MAIN_TOKEN}&session=a%0D%0Ax%3A`, { token: null });
    expect(opened.status).toBe(302);
    expect(opened.headers.get('location')).toBe('/?session=a%0D%0Ax%3A');
    const cookie = `parley_7420=${MAIN_TOKEN}; HttpOnly; SameSite=Strict; Path=/; Max-Age=31536000`;
    expect(opened.headers.get('set-cookie')).toBe(cookie);
    const login = { method: 'POST', token: null, body: JSON.stringify({ token: READ_TOKEN }) };
    const signedIn = await request('/login', login);
    expect(await signedIn.json()).toEqual({ success: true, data: { access: 'read' } });
    expect(signedIn.headers.get('set-cookie')).toContain(`parley_7420=${READ_TOKEN}; HttpOnly; SameSite=Strict;`);
    expect(await readAudit()).toMatchObject([
      { action: 'login', token: 'owner' },
      { action: 'login', token: 'dashboard' },
    ]);
  });

  test('is only sent over TLS when a proxy with TLS is in front', async () => {
    const headers = { 'x-forwarded-proto': 'https' };
    const opened = await createTestApp().request(`/?token=${MAIN_TOKEN}`, { token: null, headers });
    expect(opened.headers.get('set-cookie')).toMatch(/; Secure$/);
  });

  test('is not set for a wrong token', async () => {
    const { request } = createTestApp();
    const responses = [
      await request('/?token=wrong', { token: null }),
      await request('/?token=', { token: null }),
      await request('/login', { token: null, method: 'POST', body: '{"token":"wrong"}' }),
      await request('/login', { token: null, method: 'POST', body: '{"token":["x"]}' }),
      await request('/login', { token: null, method: 'POST', body: 'null' }),
      await request('/login', { token: null, method: 'POST' }),
    ];
    for (const response of responses) {
      expect(response.status).toBe(401);
      expect(response.headers.get('set-cookie')).toBeNull();
    }
  });
});

describe('a code that logs in once', () => {
  test('sets the cookie, once and within two minutes', async () => {
    const { request, loginCodes, clock } = createTestApp();
    const open = async (code: string) => (await request(`/?code=${code}`, { token: null })).headers.get('set-cookie');
    const code = loginCodes.create();
    expect(code).not.toContain(MAIN_TOKEN);
    expect(await open(code)).toContain(`parley_7420=${MAIN_TOKEN};`);
    expect(await open(code)).toBeNull();
    const late = loginCodes.create();
    await clock.advance(120_000);
    expect(await open(late)).toBeNull();
    expect(await open('')).toBeNull();
  });

  test('wrong codes are limited like wrong tokens', async () => {
    const { request } = createTestApp();
    for (let i = 0; i < 20; i++) expect((await request(`/?code=guess-${i}`, { token: null })).status).toBe(401);
    expect((await request('/?code=guess', { token: null })).status).toBe(429);
  });
});

describe('bodies', () => {
  const post = async (body: AppBody, path = '/v1/commands/ping') =>
    createTestApp({ maxBodyBytes: 100 }).request(path, { method: 'POST', body: body as string });
  type AppBody = string | ReadableStream<Uint8Array>;
  const codeOf = async (response: Response) => ({
    status: response.status,
    code: ((await response.json()) as { error?: { code: string } }).error?.code,
  });

  test.each(['{', '"text" x', 'undefined', '{"a":1}}'])('%s is not JSON', async (body) => {
    expect(await codeOf(await post(body))).toEqual({ status: 400, code: 'parse' });
  });

  test.each(['[]', '1', 'null', '"text"', 'true'])('%s is not an object', async (body) => {
    expect(await codeOf(await post(body))).toEqual({ status: 400, code: 'invalid_params' });
  });

  test('a large body is refused, with and without a declared length', async () => {
    const text = JSON.stringify({ a: 'x'.repeat(200) });
    expect(await codeOf(await post(text))).toMatchObject({ status: 413 });
    let sent = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 1;
        controller.enqueue(new Uint8Array(50).fill(0x20));
      },
    });
    expect(await codeOf(await post(endless))).toMatchObject({ status: 413 });
    expect(sent).toBeLessThan(10);
  });

  test('names of the prototype are ordinary fields', async () => {
    const { request, calls } = createTestApp();
    const body = '{"__proto__":{"persist":false},"constructor":1}';
    expect((await request('/v1/sessions', { method: 'POST', body })).status).toBe(400);
    await request('/v1/commands/ping', { method: 'POST', body });
    expect(Object.getPrototypeOf(calls[0]?.params)).toBe(Object.prototype);
    expect(calls[0]?.params).not.toHaveProperty('persist');
  });
});

describe('failures', () => {
  const failWith = async (thrown: Error) => {
    const test = createTestApp({
      backend: {
        describeSession: async () => {
          throw thrown;
        },
      },
    });
    const response = await test.request('/v1/sessions/s1');
    return { status: response.status, body: await response.json(), logged: test.logged };
  };

  test('the reason of an unexpected failure is in the log, not in the response', async () => {
    const { status, body, logged } = await failWith(new TypeError('cannot read x of /secret/path'));
    expect(status).toBe(500);
    expect(JSON.stringify(body)).not.toContain('secret');
    expect(logged).toEqual([['request failed', { error: 'cannot read x of /secret/path' }]]);
  });

  test.each([
    ['invalid_params', 400],
    ['not_found', 404],
    ['unknown_command', 404],
    ['busy', 409],
    ['refused', 422],
    ['config', 422],
    ['internal', 500],
  ] as const)('%s is %i', async (code, expected) => {
    const { status, body } = await failWith(new Fault(code, 'why'));
    expect({ status, body }).toEqual({ status: expected, body: { success: false, error: { code, message: 'why' } } });
  });
});

test('HEAD of an event stream opens no connection', async () => {
  let connections = 0;
  const serveConnection = async () => {
    connections += 1;
  };
  const { request } = createTestApp({ backend: { serveConnection } });
  const response = await request('/v1/sessions/s1/events', { method: 'HEAD' });
  expect(response.status).toBe(200);
  expect(connections).toBe(0);
});

test('a method cannot be replaced by a header or a parameter', async () => {
  const { request, calls } = createTestApp();
  const headers = { 'x-http-method-override': 'DELETE', 'x-method-override': 'DELETE' };
  await request('/v1/sessions/s1?_method=DELETE', { headers });
  expect(calls).toEqual([]);
  expect((await request('/v1/sessions/s1', { method: 'PATCH' })).status).toBe(405);
});
