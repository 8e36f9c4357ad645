// Vertex with an account of Google Cloud: a token for a signed assertion or a refresh token, kept for as long as it is good.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ApiRequest } from '../../../../src/contracts/index.ts';
import { createGoogleVertex } from '../../../../src/llm/apis/ai-sdk/google-vertex.ts';
import { createFakeClock } from '../../../../src/testing/fake-clock.ts';
import { observe } from '../../contract.ts';
import { startGemini, TOKEN } from '../../servers/gemini.ts';
import type { GeminiAnswer } from '../../servers/gemini-frames.ts';
import { EMAIL, PRIVATE_KEY, startGoogleTokens, type TokenServer, USER } from '../../servers/google-tokens.ts';
import { portsWith, stage } from '../ai-sdk-stage.ts';
import { type HeldFiles, holding } from './files.ts';

const at = stage<GeminiAnswer>({
  start: startGemini,
  create: (ports) => createGoogleVertex(ports, {}),
  model: { id: 'gemini-3-flash-preview', api: 'google-vertex', provider: 'google-vertex' },
});
const PATH = '/home/me/account.json';
const OK = { answer: { parts: [{ text: 'ok' }] } } as const;

let tokens: TokenServer;
const clock = createFakeClock();
beforeAll(async () => {
  tokens = await startGoogleTokens(() => clock.now());
});
afterAll(() => tokens.close());

function robot(other: Record<string, unknown> = {}): Record<string, unknown> {
  const account = {
    type: 'service_account',
    project_id: 'loop-project',
    client_email: EMAIL,
    private_key: PRIVATE_KEY,
  };
  return { ...account, private_key_id: 'k1', token_uri: tokens.url, ...other };
}

const person = (other = {}) => ({ type: 'authorized_user', ...USER, quota_project_id: 'loop-project', ...other });

/** The fixed address that accounts of people go to leads to the loopback server. */
const toLoopback: typeof fetch = (url, init) =>
  fetch(String(url) === 'https://oauth2.googleapis.com/token' ? tokens.url : url, init);

function vertex(files: HeldFiles, env: Record<string, string> = {}) {
  const ports = portsWith(clock, { fetch: toLoopback });
  return createGoogleVertex(ports, { GOOGLE_APPLICATION_CREDENTIALS: PATH, ...env }, files);
}

async function asked(api: ReturnType<typeof vertex>, other: Partial<ApiRequest> = {}) {
  const { events, message } = await observe(api.stream(at.request({ apiKey: undefined, ...other })));
  const last = events.at(-1)!;
  return { text: message.errorMessage, failure: last.type === 'error' ? last.failure : undefined, message };
}

describe.each([
  ['a service account', () => robot()],
  ['a person', () => person()],
])('%s', (_, account) => {
  test('gets a token, which opens the door of its project', async () => {
    at.server.reply(OK);
    const { message } = await asked(vertex(holding({ [PATH]: account() })));
    expect(message).toMatchObject({ stopReason: 'stop', content: [{ text: 'ok' }] });
    const { path, headers } = at.server.received.at(-1)!;
    expect(path).toContain('/projects/loop-project/locations/global/');
    expect(headers.authorization).toBe(`Bearer ${TOKEN}`);
  });

  test('asks once for all who wait, and again a little before the hour is over', async () => {
    at.server.reply(OK, OK, OK, OK, OK);
    const files = holding({ [PATH]: account() });
    const api = vertex(files);
    const before = tokens.grants.length;
    await Promise.all([asked(api), asked(api), asked(api)]);
    expect(tokens.grants.length - before).toBe(1);
    await clock.advance(50 * 60_000);
    await asked(api);
    expect(tokens.grants.length - before).toBe(1);
    await clock.advance(5 * 60_000);
    await asked(api);
    expect(tokens.grants.length - before).toBe(2);
    expect(files.reads).toHaveLength(1);
  });

  test('a file that changes is another account', async () => {
    at.server.reply(OK);
    const files = holding({ [PATH]: account() });
    const api = vertex(files);
    await asked(api);
    files.put(PATH, { ...account(), client_email: 'else@loop', refresh_token: 'refresh-token-2' });
    expect(await asked(api)).toMatchObject({ failure: { kind: 'auth', status: 400 } });
  });
});

test('a key or a header comes before the file', async () => {
  const files = holding({ [PATH]: robot() });
  const before = tokens.grants.length;
  at.server.reply(OK, OK);
  const env = { GOOGLE_VERTEX_PROJECT: 'loop-project' };
  await asked(vertex(files, env), { apiKey: TOKEN });
  await asked(vertex(files, env), { headers: { Authorization: `Bearer ${TOKEN}` } });
  expect([files.reads.length, tokens.grants.length - before]).toEqual([0, 0]);
});

test('the project of the environment counts more than that of the file', async () => {
  at.server.reply(OK);
  const files = holding({ [PATH]: robot({ project_id: 'other' }) });
  expect((await asked(vertex(files, { GOOGLE_CLOUD_PROJECT: 'loop-project' }))).message.stopReason).toBe('stop');
});

describe('no token', () => {
  test.each([
    ['no file', undefined, /names \/home\/me\/account\.json, which is not there\. .*print-access-token/],
    ['no JSON', 'not-json-at-all', /which is no JSON/],
    ['another kind', { type: 'external_account', audience: 'x' }, /not read here \(external_account\)/],
    ['a hole', { type: 'service_account', client_email: EMAIL }, /where private_key is missing/],
    [
      'a bad key',
      { type: 'service_account', client_email: EMAIL, private_key: 'hush-hush' },
      /private_key .* cannot be read/,
    ],
  ])('%s: the file and the way out are named', async (_name, content, expected) => {
    const files = holding(content === undefined ? {} : { [PATH]: content });
    const { text, failure } = await asked(vertex(files));
    expect(text).toMatch(expected);
    expect(failure).toEqual({ kind: 'auth' });
    expect(text).not.toMatch(/hush-hush|not-json-at-all/);
  });

  test('a refusal is shown without the secrets that it echoes, and is not kept', async () => {
    const files = holding({ [PATH]: person({ refresh_token: 'refresh-token-of-old' }) });
    const api = vertex(files);
    const { text, failure } = await asked(api);
    expect(text).toContain('Google Cloud gave no token: 400 invalid_grant');
    expect(text).not.toContain('refresh-token-of-old');
    expect(failure).toEqual({ kind: 'auth', status: 400 });
    files.put(PATH, person());
    at.server.reply(OK);
    expect((await asked(api)).message.stopReason).toBe('stop');
  });

  test('a busy server is worth another try', async () => {
    tokens.instead = { status: 503, body: 'busy' };
    const api = vertex(holding({ [PATH]: robot() }));
    expect((await asked(api)).failure).toEqual({ kind: 'overloaded', status: 503 });
    tokens.instead = undefined;
    at.server.reply(OK);
    expect((await asked(api)).message.stopReason).toBe('stop');
  });

  test('a server that says nothing sensible, and one that says nothing', async () => {
    tokens.instead = { status: 200, body: '{}' };
    const api = vertex(holding({ [PATH]: robot() }));
    expect((await asked(api)).failure).toEqual({ kind: 'malformed' });
    tokens.instead = 'nothing';
    const asking = tokens.next();
    const waiting = asked(api);
    await asking;
    await clock.advance(15_000);
    expect(await waiting).toMatchObject({ failure: { kind: 'timeout' }, text: expect.stringContaining('15 seconds') });
    tokens.instead = undefined;
  });

  test('an abort does not wait for it', async () => {
    tokens.instead = 'nothing';
    const api = vertex(holding({ [PATH]: robot() }));
    const aborter = new AbortController();
    const asking = tokens.next();
    const waiting = asked(api, { signal: aborter.signal });
    await asking;
    aborter.abort();
    expect((await waiting).message.stopReason).toBe('aborted');
    tokens.instead = undefined;
  });
});
