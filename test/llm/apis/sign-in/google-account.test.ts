// Vertex AI with a Google account file: tokens for signed assertions and refresh tokens, cached until they expire.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ApiRequest } from '../../../../src/contracts/index.ts';
import { createGoogleVertex } from '../../../../src/llm/apis/ai-sdk/google-vertex.ts';
import { observe } from '../../contract.ts';
import { startGemini, TOKEN } from '../../servers/gemini.ts';
import type { GeminiAnswer } from '../../servers/gemini-frames.ts';
import { EMAIL, PRIVATE_KEY, startGoogleTokens, type TokenServer, USER } from '../../servers/google-tokens.ts';
import { createApiFixture } from '../ai-sdk-fixture.ts';
import { createPorts } from '../api-fixture.ts';
import { createMemoryFiles, createSystemFakeClock, type MemoryFiles } from './files.ts';

const fixture = createApiFixture<GeminiAnswer>({
  start: startGemini,
  create: (ports) => createGoogleVertex(ports, {}),
  model: { id: 'gemini-3-flash-preview', api: 'google-vertex', provider: 'google-vertex' },
});
const PATH = '/home/me/account.json';
const OK = { answer: { parts: [{ text: 'ok' }] } } as const;

let tokens: TokenServer;
const clock = createSystemFakeClock();
beforeAll(async () => {
  tokens = await startGoogleTokens(() => clock.now());
});
afterAll(() => tokens.close());

function createServiceAccount(overrides: Record<string, unknown> = {}): Record<string, unknown> {
  const account = {
    type: 'service_account',
    project_id: 'loop-project',
    client_email: EMAIL,
    private_key: PRIVATE_KEY,
  };
  return { ...account, private_key_id: 'k1', token_uri: tokens.url, ...overrides };
}

const createUserAccount = (overrides = {}) => ({
  type: 'authorized_user',
  ...USER,
  quota_project_id: 'loop-project',
  ...overrides,
});

/** Redirects the fixed token URL of user accounts to the loopback server. */
const toLoopback: typeof fetch = (url, init) =>
  fetch(String(url) === 'https://oauth2.googleapis.com/token' ? tokens.url : url, init);

function createApi(files: MemoryFiles, env: Record<string, string> = {}) {
  const ports = createPorts(clock, { fetch: toLoopback });
  return createGoogleVertex(ports, { GOOGLE_APPLICATION_CREDENTIALS: PATH, ...env }, files);
}

async function sendRequest(api: ReturnType<typeof createApi>, overrides: Partial<ApiRequest> = {}) {
  const { events, message } = await observe(api.stream(fixture.request({ apiKey: undefined, ...overrides })));
  const last = events.at(-1)!;
  return { text: message.errorMessage, failure: last.type === 'error' ? last.failure : undefined, message };
}

describe.each([
  ['a service account', () => createServiceAccount()],
  ['a user account', () => createUserAccount()],
])('%s', (_, account) => {
  test('gets a token for its project', async () => {
    fixture.server.reply(OK);
    const { message } = await sendRequest(createApi(createMemoryFiles({ [PATH]: account() })));
    expect(message).toMatchObject({ stopReason: 'stop', content: [{ text: 'ok' }] });
    const { path, headers } = fixture.server.received.at(-1)!;
    expect(path).toContain('/projects/loop-project/locations/global/');
    expect(headers.authorization).toBe(`Bearer ${TOKEN}`);
  });

  test('requests one token for concurrent callers, and a new one shortly before it expires', async () => {
    fixture.server.reply(OK, OK, OK, OK, OK);
    const files = createMemoryFiles({ [PATH]: account() });
    const api = createApi(files);
    const before = tokens.grants.length;
    await Promise.all([sendRequest(api), sendRequest(api), sendRequest(api)]);
    expect(tokens.grants.length - before).toBe(1);
    await clock.advance(50 * 60_000);
    await sendRequest(api);
    expect(tokens.grants.length - before).toBe(1);
    await clock.advance(5 * 60_000);
    await sendRequest(api);
    expect(tokens.grants.length - before).toBe(2);
    expect(files.reads).toHaveLength(1);
  });

  test('a changed file is a different account', async () => {
    fixture.server.reply(OK);
    const files = createMemoryFiles({ [PATH]: account() });
    const api = createApi(files);
    await sendRequest(api);
    files.put(PATH, { ...account(), client_email: 'else@loop', refresh_token: 'refresh-token-2' });
    expect(await sendRequest(api)).toMatchObject({ failure: { kind: 'auth', status: 400 } });
  });
});

test('a key or a header overrides the file', async () => {
  const files = createMemoryFiles({ [PATH]: createServiceAccount() });
  const before = tokens.grants.length;
  fixture.server.reply(OK, OK);
  const env = { GOOGLE_VERTEX_PROJECT: 'loop-project' };
  await sendRequest(createApi(files, env), { apiKey: TOKEN });
  await sendRequest(createApi(files, env), { headers: { Authorization: `Bearer ${TOKEN}` } });
  expect([files.reads.length, tokens.grants.length - before]).toEqual([0, 0]);
});

test('the project of the environment overrides that of the file', async () => {
  fixture.server.reply(OK);
  const files = createMemoryFiles({ [PATH]: createServiceAccount({ project_id: 'other' }) });
  expect((await sendRequest(createApi(files, { GOOGLE_CLOUD_PROJECT: 'loop-project' }))).message.stopReason).toBe(
    'stop',
  );
});

describe('no token', () => {
  test.each([
    ['no file', undefined, /names \/home\/me\/account\.json, which does not exist\. .*print-access-token/],
    ['invalid JSON', 'not-json-at-all', /which is not JSON/],
    ['an unsupported type', { type: 'gdch_service_account', name: 'x' }, /unsupported type \(gdch_service_account\)/],
    ['a missing field', { type: 'service_account', client_email: EMAIL }, /where private_key is missing/],
    [
      'a bad key',
      { type: 'service_account', client_email: EMAIL, private_key: 'hush-hush' },
      /private_key .* cannot be read/,
    ],
  ])('%s: the error names the file and the remedy', async (_name, content, expected) => {
    const files = createMemoryFiles(content === undefined ? {} : { [PATH]: content });
    const { text, failure } = await sendRequest(createApi(files));
    expect(text).toMatch(expected);
    expect(failure).toEqual({ kind: 'auth' });
    expect(text).not.toMatch(/hush-hush|not-json-at-all/);
  });

  test('a rejection is reported without the secrets it contains, and is not cached', async () => {
    const files = createMemoryFiles({ [PATH]: createUserAccount({ refresh_token: 'refresh-token-revoked' }) });
    const api = createApi(files);
    const { text, failure } = await sendRequest(api);
    expect(text).toContain('Google Cloud returned no token: 400 invalid_grant');
    expect(text).not.toContain('refresh-token-revoked');
    expect(failure).toEqual({ kind: 'auth', status: 400 });
    files.put(PATH, createUserAccount());
    fixture.server.reply(OK);
    expect((await sendRequest(api)).message.stopReason).toBe('stop');
  });

  test('an overloaded server is a temporary failure', async () => {
    tokens.override = { status: 503, body: 'busy' };
    const api = createApi(createMemoryFiles({ [PATH]: createServiceAccount() }));
    expect((await sendRequest(api)).failure).toEqual({ kind: 'overloaded', status: 503 });
    tokens.override = undefined;
    fixture.server.reply(OK);
    expect((await sendRequest(api)).message.stopReason).toBe('stop');
  });

  test('an invalid response, and no response', async () => {
    tokens.override = { status: 200, body: '{}' };
    const api = createApi(createMemoryFiles({ [PATH]: createServiceAccount() }));
    expect((await sendRequest(api)).failure).toEqual({ kind: 'malformed' });
    tokens.override = 'nothing';
    const nextRequest = tokens.next();
    const reply = sendRequest(api);
    await nextRequest;
    await clock.advance(15_000);
    expect(await reply).toMatchObject({ failure: { kind: 'timeout' }, text: expect.stringContaining('15 seconds') });
    tokens.override = undefined;
  });

  test('an abort does not wait for the token', async () => {
    tokens.override = 'nothing';
    const api = createApi(createMemoryFiles({ [PATH]: createServiceAccount() }));
    const aborter = new AbortController();
    const nextRequest = tokens.next();
    const reply = sendRequest(api, { signal: aborter.signal });
    await nextRequest;
    aborter.abort();
    expect((await reply).message.stopReason).toBe('aborted');
    tokens.override = undefined;
  });
});
