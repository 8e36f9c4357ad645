// Sign-ins in the browser and with device codes, against loopback servers that speak the formats of the providers.
import { createHash, randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { openCallbackServer } from '../../../src/app/system-ports/callback-server.ts';
import { createSystemPorts } from '../../../src/app/system-ports/index.ts';
import { createDeferred } from '../../../src/base/index.ts';
import type { OAuthEntry } from '../../../src/llm/credentials/auth-file.ts';
import { renewOpenAiLogin, signInToOpenAi } from '../../../src/llm/credentials/openai-login.ts';
import { signInToOpenRouter } from '../../../src/llm/credentials/openrouter-login.ts';
import { renewXaiLogin, signInToXai } from '../../../src/llm/credentials/xai-login.ts';
import { type LoginContext, parsePastedText } from '../../../src/support/oauth/browser-login.ts';
import { startAuthServer } from '../../support/auth-server.ts';

/** `browse` is what the browser does with the URL that the user opens. */
function createContext(browse: (url: URL, userCode?: string) => void, options: Partial<LoginContext> = {}) {
  let now = 1_000_000;
  const { clock } = createSystemPorts();
  const context: LoginContext = {
    fetch,
    clock: {
      now: () => now,
      async sleep(ms) {
        now += ms;
      },
      after: clock.after,
    },
    ids: { uuid: randomUUID },
    env: {},
    openCallbackServer,
    showUrl: (url, userCode) => browse(new URL(url), userCode),
    ...options,
  };
  return context;
}

/** Opens the redirect address as a browser does after the approval. */
async function redirect(uri: string, query: Record<string, string>) {
  return fetch(`${uri}?${new URLSearchParams(query)}`);
}

const sha256 = (value: string) => createHash('sha256').update(value).digest('base64url');

describe('OpenRouter', () => {
  test('returns a key for the code of the redirect', async () => {
    const server = await startAuthServer([200, { key: 'sk-or-1' }]);
    let opened: URLSearchParams | undefined;
    const context = createContext((url) => {
      opened = url.searchParams;
      void redirect(opened.get('callback_url') ?? '', { code: 'the-code' });
    });
    expect(await signInToOpenRouter(context, server.url)).toEqual({ type: 'api_key', key: 'sk-or-1' });
    expect(opened?.get('callback_url')).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback\/[0-9a-f]{64}$/);
    const [request] = server.requests;
    expect(request).toEqual({
      path: '/api/v1/auth/keys',
      fields: { code: 'the-code', code_verifier: expect.any(String), code_challenge_method: 'S256' },
    });
    expect(sha256(request?.fields.code_verifier ?? '')).toBe(opened?.get('code_challenge'));
    expect(request?.fields.code_verifier).toMatch(/^[0-9a-f]{64}$/);
  });

  test('another path of the callback server does not end the wait', async () => {
    const server = await startAuthServer([200, { key: 'k' }]);
    const statuses: number[] = [];
    const context = createContext(async (url) => {
      const callback = url.searchParams.get('callback_url') ?? '';
      statuses.push((await redirect(new URL('/callback', callback).href, { code: 'x' })).status);
      statuses.push((await redirect(callback, { nothing: 'x' })).status);
      statuses.push((await redirect(callback, { code: 'x' })).status);
    });
    await signInToOpenRouter(context, server.url);
    expect(statuses).toEqual([404, 400, 200]);
  });

  test('the pasted URL replaces the redirect', async () => {
    const server = await startAuthServer([200, { key: 'k' }]);
    const context = createContext(() => {}, { readLine: async () => ' http://127.0.0.1:1/callback/x?code=pasted \n' });
    await signInToOpenRouter(context, server.url);
    expect(server.requests[0]?.fields.code).toBe('pasted');
  });

  test('a cancelled sign-in closes its port and withdraws the question', async () => {
    const controller = new AbortController();
    const asked = createDeferred<AbortSignal>();
    let callback = '';
    const context = createContext(
      (url) => {
        callback = url.searchParams.get('callback_url') ?? '';
      },
      {
        signal: controller.signal,
        readLine(_, signal) {
          asked.resolve(signal);
          return new Promise(() => {});
        },
      },
    );
    const signIn = signInToOpenRouter(context, 'http://127.0.0.1:9');
    const question = await asked.promise;
    expect(question.aborted).toBe(false);
    controller.abort();
    await expect(signIn).rejects.toThrow('The login was cancelled');
    expect(question.aborted).toBe(true);
    await expect(redirect(callback, { code: 'late' })).rejects.toThrow('fetch failed');
  });

  test('a refusal of the user and of the server', async () => {
    const server = await startAuthServer([403, { error: 'secret-code' }]);
    const refused = createContext((url) => {
      void redirect(url.searchParams.get('callback_url') ?? '', { error: 'access_denied' });
    });
    await expect(signInToOpenRouter(refused, server.url)).rejects.toThrow('The sign-in was refused: access_denied.');
    const failed = createContext((url) => {
      void redirect(url.searchParams.get('callback_url') ?? '', { code: 'c' });
    });
    await expect(signInToOpenRouter(failed, server.url)).rejects.toThrow(/issued no token \(403\)\.$/);
  });
});

describe('OpenAI', () => {
  const TOKEN = {
    access_token: 'access-1',
    refresh_token: 'refresh-1',
    expires_in: 3600,
    id_token: 'id',
    scope: 'openid chatgpt.tokens.use.direct',
  };

  test('registers a client and returns a login with its id', async () => {
    const server = await startAuthServer([200, TOKEN]);
    let opened: URLSearchParams | undefined;
    const context = createContext((url) => {
      opened = url.searchParams;
      const { redirect_uri: uri = '', state = '' } = Object.fromEntries(opened);
      void redirect(uri, { code: 'c', state: 'of another sign-in', client_id: 'x' }).then(() =>
        redirect(uri, { code: 'c', state, client_id: 'client-7' }),
      );
    });
    const login = await signInToOpenAi(context, undefined, { site: server.url, port: 0 });
    expect(login).toEqual({
      type: 'oauth',
      access: 'access-1',
      refresh: 'refresh-1',
      expires: context.clock.now() + 3_600_000,
      clientId: 'client-7',
      hostId: expect.any(String),
    });
    expect(Object.fromEntries(opened ?? [])).toMatchObject({
      client_id: 'dynamic_agent_client',
      agent_name_hint: 'Parley',
      ext_agent_host_id: `urn:uuid:${login.hostId}`,
      response_type: 'code',
      resource: 'https://api.openai.com/v1',
      scope: expect.stringContaining('chatgpt.tokens.use.direct'),
      code_challenge_method: 'S256',
    });
    const [request] = server.requests;
    expect(request).toEqual({
      path: '/api/accounts/oauth/token',
      fields: {
        grant_type: 'authorization_code',
        client_id: 'client-7',
        code: 'c',
        code_verifier: expect.any(String),
        redirect_uri: opened?.get('redirect_uri'),
        resource: 'https://api.openai.com/v1',
      },
    });
    expect(sha256(request?.fields.code_verifier ?? '')).toBe(opened?.get('code_challenge'));
  });

  test('the id of the installation is kept, and a login is renewed with its client', async () => {
    const server = await startAuthServer([200, TOKEN]);
    const previous: OAuthEntry = { type: 'oauth', access: 'a', refresh: 'r', expires: 0, clientId: 'c1', hostId: 'h1' };
    const context = createContext((url) => {
      const { redirect_uri: uri = '', state = '', ext_agent_host_id: host } = Object.fromEntries(url.searchParams);
      expect(host).toBe('urn:uuid:h1');
      void redirect(uri, { code: 'c', state, client_id: 'c2' });
    });
    const endpoints = { site: server.url, port: 0 };
    expect(await signInToOpenAi(context, previous, endpoints)).toMatchObject({ hostId: 'h1', clientId: 'c2' });
    expect(await renewOpenAiLogin(context, previous, server.url)).toMatchObject({ access: 'access-1', clientId: 'c1' });
    expect(server.requests[1]?.fields).toEqual({
      grant_type: 'refresh_token',
      refresh_token: 'r',
      client_id: 'c1',
      resource: 'https://api.openai.com/v1',
    });
  });

  test.each([
    ['an account without the right', [200, { ...TOKEN, scope: 'openid' }], 'does not permit the use of its models'],
    ['an expired grant', [400, { error: 'invalid_grant' }], 'no longer accepts the login. Sign in again.'],
    ['no refresh token', [200, { ...TOKEN, refresh_token: '' }], 'issued no token (200)'],
    ['a server error', [503, 'busy'], 'answered 503'],
    ['an HTML page', [200, '<html>'], 'is not JSON'],
  ] as const)('%s', async (_, reply, message) => {
    const server = await startAuthServer(reply);
    const login: OAuthEntry = { type: 'oauth', access: 'a', refresh: 'canary', expires: 0, clientId: 'c' };
    const fault = await renewOpenAiLogin(
      createContext(() => {}),
      login,
      server.url,
    ).catch((thrown: Error) => thrown);
    expect((fault as Error).message).toContain(message);
    expect((fault as Error).message).not.toContain('canary');
  });

  test('a busy port: the URL can be pasted, and without a terminal there is an error', async () => {
    const busy = { openCallbackServer: () => Promise.reject(new Error('EADDRINUSE')) };
    const endpoints = { site: 'http://127.0.0.1:9', port: 1455 };
    const without = signInToOpenAi(
      createContext(() => {}, busy),
      undefined,
      endpoints,
    );
    await expect(without).rejects.toThrow('Port 1455 is in use');
    const readLine = async () => 'http://127.0.0.1:1455/auth/callback?code=c&state=wrong&client_id=x';
    const pasted = signInToOpenAi(
      createContext(() => {}, { ...busy, readLine }),
      undefined,
      endpoints,
    );
    await expect(pasted).rejects.toThrow('The pasted URL belongs to another sign-in');
    const codeOnly = signInToOpenAi(
      createContext(() => {}, { ...busy, readLine: async () => 'c' }),
      undefined,
      endpoints,
    );
    await expect(codeOnly).rejects.toThrow('Paste the whole URL');
    const nothing = signInToOpenAi(
      createContext(() => {}, { ...busy, readLine: async () => undefined }),
      undefined,
      endpoints,
    );
    await expect(nothing).rejects.toThrow('No authorization code was received');
  });
});

describe('xAI', () => {
  const CODE = {
    device_code: 'dev',
    user_code: 'AB-12',
    verification_uri: 'https://x.test/device',
    interval: 2,
    expires_in: 60,
  };

  test('shows the code, polls, and returns a login', async () => {
    const server = await startAuthServer(
      [200, CODE],
      [400, { error: 'authorization_pending' }],
      [400, { error: 'slow_down' }],
      [200, { access_token: 'a1', refresh_token: 'r1', expires_in: 600 }],
    );
    const shown: unknown[] = [];
    const context = createContext((url, userCode) => shown.push(url.href, userCode));
    const expires = () => context.clock.now() + 600_000;
    const login = await signInToXai(context, server.url);
    expect(login).toEqual({ type: 'oauth', access: 'a1', refresh: 'r1', expires: expires() });
    expect(shown).toEqual(['https://x.test/device', 'AB-12']);
    expect(server.requests.map(({ path }) => path)).toEqual([
      '/oauth2/device/code',
      ...Array.from({ length: 3 }, () => '/oauth2/token'),
    ]);
    expect(server.requests[1]?.fields).toMatchObject({
      device_code: 'dev',
      grant_type: expect.stringContaining('device_code'),
    });
  });

  test('a cancelled sign-in does not poll', async () => {
    const server = await startAuthServer([200, CODE]);
    const context = createContext(() => {}, { signal: AbortSignal.abort() });
    await expect(signInToXai(context, server.url)).rejects.toThrow('The login was cancelled');
    expect(server.requests).toHaveLength(1);
  });

  test('a renewal keeps the refresh token when the server sends none', async () => {
    const server = await startAuthServer([200, { access_token: 'a2' }]);
    const expired: OAuthEntry = { type: 'oauth', access: 'a1', refresh: 'r1', expires: 0 };
    const context = createContext(() => {});
    expect(await renewXaiLogin(context, expired, server.url)).toEqual({
      type: 'oauth',
      access: 'a2',
      refresh: 'r1',
      expires: context.clock.now() + 3_600_000,
    });
  });

  test('an address that is no web page is refused', async () => {
    const server = await startAuthServer([200, { ...CODE, verification_uri: 'file:///etc/passwd' }]);
    await expect(
      signInToXai(
        createContext(() => {}),
        server.url,
      ),
    ).rejects.toThrow('returned no device code');
  });
});

test.each([
  ['http://127.0.0.1:1/cb?code=a&state=b', { code: 'a', state: 'b' }],
  ['/cb?code=a&state=b', { code: 'a', state: 'b' }],
  ['code=a', { code: 'a' }],
  ['abc123', { code: 'abc123' }],
])('pasted: %s', (pasted, fields) => {
  expect(Object.fromEntries(parsePastedText(pasted))).toEqual(fields);
});
