// Copilot device login against a loopback provider. The fake clock advances with every sleep.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createCopilotLogin } from '../../../src/llm/credentials/copilot-login.ts';

/** A JSON object, a status and a text, or a connection reset. */
type Replies = (Record<string, unknown> | { status: number; text: string } | 'reset')[];

async function startProvider(polls: Replies, tokens: Replies = []) {
  const requests: { path: string; body: string; authorization: string | undefined }[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const path = request.url ?? '';
    requests.push({ path, body, authorization: request.headers.authorization });
    const replies: Record<string, () => Replies[number]> = {
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
    const reply = replies[path]?.() ?? {};
    if (reply === 'reset') return void response.socket?.resetAndDestroy();
    const { status = 200, text = JSON.stringify(reply) } = reply as { status?: number; text?: string };
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const sleeps: number[] = [];
  let now = 0;
  const clock = {
    now: () => now,
    async sleep(ms: number) {
      sleeps.push(ms);
      now += ms;
    },
  };
  const env = { OPAL_COPILOT_DOMAIN: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  return { login: createCopilotLogin({ fetch, clock, env }), seen: requests, waits: sleeps };
}

test('requests a code, polls at its interval, and returns a login', async () => {
  const { login, seen, waits } = await startProvider([
    { error: 'authorization_pending' },
    { error: 'slow_down' },
    { access_token: 'long-lived' },
  ]);
  expect(await login.start()).toEqual({
    deviceCode: 'dev',
    userCode: 'ABCD-1234',
    verificationUri: 'https://example.test/device',
    interval: 5,
  });
  expect(await login.waitForApproval({ deviceCode: 'dev', interval: 5 })).toEqual({
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

test.each<[string, Replies[number]]>([
  ['502 with HTML', BAD_GATEWAY],
  ['503 with JSON', { status: 503, text: '{"error":"server_error"}' }],
  ['429', { status: 429, text: '' }],
  ['200 with HTML', { status: 200, text: '<html>maintenance</html>' }],
  ['a broken connection', 'reset'],
])('one failed poll does not end the login: %s', async (_, failure) => {
  const { login, waits } = await startProvider([
    { error: 'authorization_pending' },
    failure,
    { access_token: 'long-lived' },
  ]);
  await login.start();
  expect(await login.waitForApproval({ deviceCode: 'dev', interval: 5 })).toMatchObject({ access: 'short-lived' });
  expect(waits).toEqual([5_000, 5_000, 10_000]);
});

test('a failing server is polled less and less often, and named when the code expires', async () => {
  const { login, waits } = await startProvider(Array.from({ length: 50 }, () => BAD_GATEWAY));
  await login.start();
  const approval = login.waitForApproval({ deviceCode: 'dev', interval: 5 });
  await expect(approval).rejects.toThrow(
    /^The code has expired\. The last poll failed: 127\.0\.0\.1:\d+ answered 502\. Start the login again\.$/,
  );
  expect(waits).toEqual([5_000, 10_000, 15_000, 25_000, 35_000]);
});

test('an error response that is not JSON ends the login with its status', async () => {
  const { login } = await startProvider([{ status: 404, text: '<html>' }]);
  await expect(login.waitForApproval({ deviceCode: 'dev', interval: 1 })).rejects.toThrow(
    /^127\.0\.0\.1:\d+ answered 404$/,
  );
});

test('the Copilot token request is retried after a failure, and rejections are explained', async () => {
  const approvals = [{ access_token: 'long-lived' }];
  const waitForToken = async (tokens: Replies) =>
    (await startProvider([...approvals], tokens)).login.waitForApproval({ deviceCode: 'dev', interval: 1 });
  expect(await waitForToken([BAD_GATEWAY, 'reset'])).toMatchObject({ access: 'short-lived' });
  await expect(waitForToken([BAD_GATEWAY, BAD_GATEWAY, BAD_GATEWAY])).rejects.toThrow(/answered 502$/);
  await expect(waitForToken([{ status: 401, text: '{"message":"Bad credentials"}' }])).rejects.toThrow('Sign in again');
  await expect(waitForToken([{ status: 403, text: '{"message":"no"}' }])).rejects.toThrow('has no access to Copilot');
});

test('device code expires when the user never enters it', async () => {
  const { login } = await startProvider([]);
  await login.start();
  await expect(login.waitForApproval({ deviceCode: 'dev', interval: 5 })).rejects.toThrow('The code has expired');
});

test.each([
  ['access_denied', 'The login was refused.'],
  ['expired_token', 'The code has expired. Start the login again.'],
  ['unsupported_grant_type', 'The login failed: unsupported_grant_type'],
])('%s ends the login', async (error, sentence) => {
  const { login } = await startProvider([{ error }]);
  await expect(login.waitForApproval({ deviceCode: 'dev', interval: 1 })).rejects.toThrow(sentence);
});

test('an aborted login sends no requests', async () => {
  const { login, seen } = await startProvider([]);
  const aborted = AbortSignal.abort();
  await expect(login.waitForApproval({ deviceCode: 'dev', interval: 1 }, aborted)).rejects.toThrow(
    'The login was cancelled',
  );
  expect(seen).toEqual([]);
});
