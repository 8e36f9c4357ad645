// Responses that are not read: the memory for those of one token and of all tokens is limited.
import { expect, test } from 'vitest';
import { createDeferred } from '../../src/base/index.ts';
import { createTestApp, READ_TOKEN } from './http-app.ts';

const LARGE = 'x'.repeat(100_000);
const responseLimits = { maxBytesPerToken: 250_000, maxBytes: 350_000 };

function createApp(result: unknown = LARGE) {
  const backend = { call: async () => ({ status: 'settled', result }) as const };
  const { request } = createTestApp({ responseLimits, backend });
  const call = (sent: Promise<void>, token?: string) =>
    request('/v1/sessions/s1/commands/get_messages', { method: 'POST', sent, ...(token ? { token } : {}) });
  return { call, request };
}

test('a large response is refused while too many bytes of the token wait, and accepted when they were read', async () => {
  const { call } = createApp();
  const read = createDeferred();
  for (let i = 0; i < 2; i++) expect((await call(read.promise)).status).toBe(200);
  const refused = await call(read.promise);
  expect(refused.status).toBe(503);
  expect(refused.headers.get('retry-after')).toBe('5');
  expect(refused.headers.get('content-length')).not.toBe(String(LARGE.length));
  expect(await refused.json()).toMatchObject({ success: false, error: { code: 'busy' } });
  read.resolve();
  await read.promise;
  expect((await call(read.promise)).status).toBe(200);
});

test('the tokens together have a limit, too', async () => {
  const { call } = createApp();
  const read = createDeferred();
  for (let i = 0; i < 2; i++) expect((await call(read.promise)).status).toBe(200);
  expect((await call(read.promise, READ_TOKEN)).status).toBe(200);
  expect((await call(read.promise, READ_TOKEN)).status).toBe(503);
});

test('a response that is larger than the limit is sent when no other one waits', async () => {
  const { call } = createApp('x'.repeat(1_000_000));
  expect((await call(new Promise(() => {}))).status).toBe(200);
});

test('small responses are never refused', async () => {
  const { call } = createApp('x'.repeat(50_000));
  for (let i = 0; i < 20; i++) expect((await call(new Promise(() => {}))).status).toBe(200);
});

test('the file of an artifact does not count, because it is read in parts', async () => {
  const { call, request } = createApp({ text: 'x', totalBytes: 1_000_000 });
  const response = await request('/v1/sessions/s1/artifacts/a1/file', { sent: new Promise(() => {}) });
  expect(response.headers.get('content-length')).toBe('1000000');
  await response.body?.cancel();
  expect((await call(Promise.resolve())).status).toBe(200);
});
