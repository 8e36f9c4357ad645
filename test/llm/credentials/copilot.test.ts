// Signing in with a code, against a provider on the loopback. Time passes when somebody waits for it.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createCopilotLogin } from '../../../src/llm/credentials/copilot.ts';

type Answers = Record<string, unknown>[];

async function provider(polls: Answers) {
  const seen: { path: string; body: string; authorization: string | undefined }[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const path = request.url ?? '';
    seen.push({ path, body, authorization: request.headers.authorization });
    const answers: Record<string, () => unknown> = {
      '/login/device/code': () => ({
        device_code: 'dev',
        user_code: 'ABCD-1234',
        verification_uri: 'https://example.test/device',
        interval: 5,
        expires_in: 60,
      }),
      '/login/oauth/access_token': () => polls.shift() ?? { error: 'authorization_pending' },
      '/copilot_internal/v2/token': () => ({
        token: 'short-lived',
        expires_at: 2_000,
        endpoints: { api: 'https://copilot.example.test' },
      }),
    };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(answers[path]?.() ?? {}));
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
