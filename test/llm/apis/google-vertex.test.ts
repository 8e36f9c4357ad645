// Gemini through Vertex AI, with a project token or an API key.
import { describe, expect, test } from 'vitest';
import { createGoogleVertex } from '../../../src/llm/apis/ai-sdk/google-vertex.ts';
import { createApiLoaders } from '../../../src/llm/index.ts';
import { createFakeClock } from '../../../src/testing/fake-clock.ts';
import { modelApiContract, observe } from '../contract.ts';
import { KEY, PROJECT, startGemini, TOKEN } from '../servers/gemini.ts';
import { frame, type GeminiAnswer } from '../servers/gemini-frames.ts';
import { getList, lastBody } from '../servers/loopback.ts';
import { createApiFixture, createFetch } from './ai-sdk-fixture.ts';
import { createPorts } from './api-fixture.ts';
import { result, user } from './request-samples.ts';

const ENV = { GOOGLE_VERTEX_PROJECT: PROJECT, GOOGLE_VERTEX_LOCATION: 'europe-west1' };
const MODEL = { id: 'gemini-3-flash-preview', api: 'google-vertex', provider: 'google-vertex' };
const fixture = createApiFixture<GeminiAnswer>({
  start: startGemini,
  create: (ports) => createGoogleVertex(ports, ENV),
  model: MODEL,
  apiKey: TOKEN,
});

modelApiContract('google-vertex', () => ({
  api: fixture.api,
  long(signal) {
    fixture.server.reply({ answer: { parts: [{ text: Array.from({ length: 20 }, (_, n) => `${n} `) }] }, pieces: 300 });
    return fixture.request({ signal });
  },
  calling(signal) {
    fixture.server.reply({ answer: { parts: [{ call: 'read', input: { path: 'a' }, signed: true }] } });
    return fixture.request({ signal });
  },
}));

test('a conversation with a token that continues with a key', async () => {
  fixture.server.reply(
    {
      answer: {
        parts: [
          { thought: 'Hm.', signed: true },
          { call: 'read', input: { path: 'a' }, signed: true },
        ],
      },
    },
    { answer: { parts: [{ text: 'Done.' }] } },
    { answer: { parts: [{ text: 'Again.' }] } },
  );
  const answer = await fixture.ask({ thinkingLevel: 'high' });
  const call = answer.content[1] as { id: string };
  expect(call).toMatchObject({ type: 'toolCall', thoughtSignature: expect.any(String) });
  const messages = [user('Hello'), answer, result(call.id, 'text')];
  expect(await fixture.ask({ messages })).toMatchObject({ stopReason: 'stop', content: [{ text: 'Done.' }] });
  const { path, headers } = fixture.server.received.at(-1)!;
  expect(path).toMatch(
    /^POST \/v1beta1\/projects\/loop-project\/locations\/europe-west1\/publishers\/google\/models\//,
  );
  expect(headers).toMatchObject({ authorization: `Bearer ${TOKEN}`, 'user-agent': 'parley/test' });
  expect(getList(getList(lastBody(fixture.server), 'contents')[1] ?? {}, 'parts')[0]).toMatchObject({ thought: true });
  expect(await fixture.ask({ messages, apiKey: KEY })).toMatchObject({ content: [{ text: 'Again.' }] });
  expect(fixture.server.received.at(-1)?.headers).toMatchObject({ 'x-goog-api-key': KEY });
});

test('a wrong token', async () => {
  const apiKey = 'ya29.of-another-user';
  const { events, message } = await observe(fixture.api.stream(fixture.request({ apiKey })));
  expect(events.at(-1)).toMatchObject({ failure: { kind: 'auth', status: 401 } });
  expect(message.errorMessage).toContain('invalid authentication credentials');
});

describe('the URL', () => {
  const PATH = 'publishers/google/models/gemini-3-flash-preview:streamGenerateContent?alt=sse';
  const getUrlOrError = async (
    env: Record<string, string>,
    baseUrl: string,
    overrides: Parameters<typeof fixture.request>[0] = {},
  ) => {
    const urls: string[] = [];
    const respond = createFetch('text/event-stream', [frame({ candidates: [{ finishReason: 'STOP' }] })]);
    const fetch: typeof globalThis.fetch = (url, init) => {
      urls.push(String(url));
      return respond(url, init);
    };
    const api = createGoogleVertex(createPorts(createFakeClock(), { fetch }), env);
    const { message } = await observe(
      api.stream(fixture.request({ model: { ...fixture.model(), baseUrl }, ...overrides })),
    );
    return urls[0] ?? message.errorMessage;
  };
  const CLOUD = 'https://aiplatform.googleapis.com';
  const P = { GOOGLE_CLOUD_PROJECT: 'p' };

  test.each([
    [{ ...P }, CLOUD, `${CLOUD}/v1beta1/projects/p/locations/global/${PATH}`],
    [
      { ...P, GOOGLE_VERTEX_LOCATION: 'eu' },
      CLOUD,
      `https://aiplatform.eu.rep.googleapis.com/v1beta1/projects/p/locations/eu/${PATH}`,
    ],
    [
      { ...P, GOOGLE_CLOUD_LOCATION: 'us-central1' },
      `${CLOUD}/`,
      `https://us-central1-aiplatform.googleapis.com/v1beta1/projects/p/locations/us-central1/${PATH}`,
    ],
    [{ ...P }, 'https://proxy.test', `https://proxy.test/v1beta1/projects/p/locations/global/${PATH}`],
    [
      {},
      'https://proxy.test/v1/projects/x/locations/y/publishers/google',
      `https://proxy.test/v1/projects/x/locations/y/${PATH}`,
    ],
    [{}, CLOUD, 'Google Vertex AI requires a project: set GOOGLE_VERTEX_PROJECT'],
  ] as [Record<string, string>, string, string][])('%j and %s', async (env, baseUrl, expected) => {
    expect(await getUrlOrError(env, baseUrl)).toBe(expected);
  });

  test('a key needs no project', async () => {
    expect(await getUrlOrError(P, CLOUD, { apiKey: KEY })).toBe(`${CLOUD}/v1/${PATH}`);
  });

  test('without credentials', async () => {
    expect(await getUrlOrError(P, CLOUD, { apiKey: undefined })).toMatch(/gcloud auth print-access-token/);
    const headers = { Authorization: 'Bearer custom' };
    expect(await getUrlOrError(P, CLOUD, { apiKey: undefined, headers })).toContain('/projects/p/');
  });
});

test('createApiLoaders loads it and passes the environment', async () => {
  const wire = createPorts(fixture.clock);
  const api = await createApiLoaders({ clock: fixture.clock, wire, env: ENV })['google-vertex']?.();
  fixture.server.reply({ answer: { parts: [{ text: 'ok' }] } });
  const { message } = await observe(api!.stream(fixture.request()));
  expect(message).toMatchObject({ stopReason: 'stop', content: [{ text: 'ok' }] });
});
