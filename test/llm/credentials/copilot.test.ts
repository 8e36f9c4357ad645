// Signing in with a code, against a provider on the loopback. Time passes when somebody waits for it.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createCopilotLogin } from '../../../src/llm/credentials/copilot.ts';

/** A JSON object, or a status and a text, or a connection that breaks. */
type Answers = (Record<string, unknown> | { status: number; text: string } | 'reset')[];

async function provider(polls: Answers, tokens: Answers = []) {
  const seen: { path: string; body: string; authorization: string | undefined }[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const path = request.url ?? '';
    seen.push({ path, body, authorization: request.headers.authorization });
    const answers: Record<string, () => Answers[number]> = {
      '/login/device/code': () => ({
        device_code: 'dev',
        user_code: 'ABCD-1234',
        verification_uri: 'https://example.test/device',
        interval: 5,
        expires_in: 60,
      }),
      '/login/oauth/access_token': () => polls.shift() ?? { error: 'authorization_pending' },
      '/copilot_internal/v2/token': () =>
        tokens.shift() ?? {
          token: 'short-lived',
          expires_at: 2_000,
          endpoints: { api: 'https://copilot.example.test' },
        },
    };
    const answer = answers[path]?.() ?? {};
    if (answer === 'reset') return void response.socket?.resetAndDestroy();
    const { status = 200, text = JSON.stringify(answer) } = answer as { status?: number; text?: string };
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const waits: number[] = [];
  let now = 0;
  const clock = {
    now: () => now,
    async sleep(ms: number) {
      waits.push(ms);
      now += ms;
    },
  };
  const env = { OPAL_COPILOT_DOMAIN: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  return { login: createCopilotLogin({ fetch, clock, env }), seen, waits };
}

test('a code is given, asked about at its pace, and turned into a login', async () => {
  const { login, seen, waits } = await provider([
    { error: 'authorization_pending' },
    { error: 'slow_down' },
    { access_token: 'long-lived' },
  ]);
  expect(await login.begin()).toEqual({
    deviceCode: 'dev',
    userCode: 'ABCD-1234',
    verificationUri: 'https://example.test/device',
    interval: 5,
  });
  expect(await login.granted({ deviceCode: 'dev', interval: 5 })).toEqual({
    type: 'oauth',
    access: 'short-lived',
    refresh: 'long-lived',
    expires: 2_000_000,
    baseUrl: 'https://copilot.example.test',
  });
  expect(waits).toEqual([5_000, 5_000, 10_000]);
  expect(JSON.parse(seen[1]?.body ?? '')).toMatchObject({
    device_code: 'dev',
    grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
  });
  expect(seen.at(-1)?.authorization).toBe('token long-lived');
});

const BAD_GATEWAY = { status: 502, text: '<html>Bad Gateway</html>' };

test.each<[string, Answers[number]]>([
  ['502 with a page of HTML', BAD_GATEWAY],
  ['503 with JSON', { status: 503, text: '{"error":"server_error"}' }],
  ['429', { status: 429, text: '' }],
  ['200 with a page of HTML', { status: 200, text: '<html>maintenance</html>' }],
  ['a broken connection', 'reset'],
])('one bad answer does not end the login: %s', async (_, bad) => {
  const { login, waits } = await provider([{ error: 'authorization_pending' }, bad, { access_token: 'long-lived' }]);
  await login.begin();
  expect(await login.granted({ deviceCode: 'dev', interval: 5 })).toMatchObject({ access: 'short-lived' });
  expect(waits).toEqual([5_000, 5_000, 10_000]);
});

test('a server that does not recover is asked less and less often, and named when the code expires', async () => {
  const { login, waits } = await provider(Array.from({ length: 50 }, () => BAD_GATEWAY));
  await login.begin();
  const granted = login.granted({ deviceCode: 'dev', interval: 5 });
  await expect(granted).rejects.toThrow(
    /^The code has expired\. The last attempt to ask for the login failed: 127\.0\.0\.1:\d+ answered 502\. Begin the login again\.$/,
  );
  expect(waits).toEqual([5_000, 10_000, 15_000, 25_000, 35_000]);
});

test('a refusal that is not JSON ends it with its status', async () => {
  const { login } = await provider([{ status: 404, text: '<html>' }]);
  await expect(login.granted({ deviceCode: 'dev', interval: 1 })).rejects.toThrow(/^127\.0\.0\.1:\d+ answered 404$/);
});

test('the token of Copilot is asked for again after one bad answer, and a refusal says what is true', async () => {
  const agreed = [{ access_token: 'long-lived' }];
  const granted = async (tokens: Answers) =>
    (await provider([...agreed], tokens)).login.granted({ deviceCode: 'dev', interval: 1 });
  expect(await granted([BAD_GATEWAY, 'reset'])).toMatchObject({ access: 'short-lived' });
  await expect(granted([BAD_GATEWAY, BAD_GATEWAY, BAD_GATEWAY])).rejects.toThrow(/answered 502$/);
  await expect(granted([{ status: 401, text: '{"message":"Bad credentials"}' }])).rejects.toThrow('Sign in again');
  await expect(granted([{ status: 403, text: '{"message":"no"}' }])).rejects.toThrow('has no access to Copilot');
});

test('a code that nobody types expires', async () => {
  const { login } = await provider([]);
  await login.begin();
  await expect(login.granted({ deviceCode: 'dev', interval: 5 })).rejects.toThrow('The code has expired');
});

test.each([
  ['access_denied', 'The login was refused.'],
  ['expired_token', 'The code has expired. Begin the login again.'],
  ['unsupported_grant_type', 'The login failed: unsupported_grant_type'],
])('%s ends it', async (error, sentence) => {
  const { login } = await provider([{ error }]);
  await expect(login.granted({ deviceCode: 'dev', interval: 1 })).rejects.toThrow(sentence);
});

test('nobody waits for a host that is gone', async () => {
  const { login, seen } = await provider([]);
  const gone = AbortSignal.abort();
  await expect(login.granted({ deviceCode: 'dev', interval: 1 }, gone)).rejects.toThrow('Nobody waits');
  expect(seen).toEqual([]);
});
