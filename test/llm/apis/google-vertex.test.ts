// Gemini by Google Cloud: the same words by another door, opened with a token for a project or with a key.
import { describe, expect, test } from 'vitest';
import { createGoogleVertex } from '../../../src/llm/apis/ai-sdk/google-vertex.ts';
import { apiLoaders } from '../../../src/llm/index.ts';
import { createFakeClock } from '../../../src/testing/fake-clock.ts';
import { modelApiContract, observe } from '../contract.ts';
import { KEY, PROJECT, startGemini, TOKEN } from '../servers/gemini.ts';
import { frame, type GeminiAnswer } from '../servers/gemini-frames.ts';
import { lastBody, listIn } from '../servers/loopback.ts';
import { fetchOf, portsWith, result, stage, user } from './ai-sdk-stage.ts';

const ENV = { GOOGLE_VERTEX_PROJECT: PROJECT, GOOGLE_VERTEX_LOCATION: 'europe-west1' };
const MODEL = { id: 'gemini-3-flash-preview', api: 'google-vertex', provider: 'google-vertex' };
const at = stage<GeminiAnswer>({
  start: startGemini,
  create: (ports) => createGoogleVertex(ports, ENV),
  model: MODEL,
  apiKey: TOKEN,
});

modelApiContract('google-vertex', () => ({
  api: at.api,
  long(signal) {
    at.server.reply({ answer: { parts: [{ text: Array.from({ length: 20 }, (_, n) => `${n} `) }] }, pieces: 300 });
    return at.request({ signal });
  },
  calling(signal) {
    at.server.reply({ answer: { parts: [{ call: 'read', input: { path: 'a' }, signed: true }] } });
    return at.request({ signal });
  },
}));

test('a conversation with a token, and how it goes on with a key', async () => {
  at.server.reply(
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
  const answer = await at.ask({ thinkingLevel: 'high' });
  const call = answer.content[1] as { id: string };
  expect(call).toMatchObject({ type: 'toolCall', thoughtSignature: expect.any(String) });
  const messages = [user('Hello'), answer, result(call.id, 'text')];
  expect(await at.ask({ messages })).toMatchObject({ stopReason: 'stop', content: [{ text: 'Done.' }] });
  const { path, headers } = at.server.received.at(-1)!;
  expect(path).toMatch(
    /^POST \/v1beta1\/projects\/loop-project\/locations\/europe-west1\/publishers\/google\/models\//,
  );
  expect(headers).toMatchObject({ authorization: `Bearer ${TOKEN}`, 'user-agent': 'parley/test' });
  expect(listIn(listIn(lastBody(at.server), 'contents')[1] ?? {}, 'parts')[0]).toMatchObject({ thought: true });
  expect(await at.ask({ messages, apiKey: KEY })).toMatchObject({ content: [{ text: 'Again.' }] });
  expect(at.server.received.at(-1)?.headers).toMatchObject({ 'x-goog-api-key': KEY });
});

test('a wrong token', async () => {
  const apiKey = 'ya29.of-somebody-else';
  const { events, message } = await observe(at.api.stream(at.request({ apiKey })));
  expect(events.at(-1)).toMatchObject({ failure: { kind: 'auth', status: 401 } });
  expect(message.errorMessage).toContain('invalid authentication credentials');
});

describe('where it is', () => {
  const PATH = 'publishers/google/models/gemini-3-flash-preview:streamGenerateContent?alt=sse';
  const asked = async (env: Record<string, string>, baseUrl: string, other: Parameters<typeof at.request>[0] = {}) => {
    const urls: string[] = [];
    const answer = fetchOf('text/event-stream', [frame({ candidates: [{ finishReason: 'STOP' }] })]);
    const fetch: typeof globalThis.fetch = (url, init) => {
      urls.push(String(url));
      return answer(url, init);
    };
    const api = createGoogleVertex(portsWith(createFakeClock(), { fetch }), env);
    const { message } = await observe(api.stream(at.request({ model: { ...at.model(), baseUrl }, ...other })));
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
    [{}, CLOUD, 'Google Vertex AI wants to know the project: set GOOGLE_VERTEX_PROJECT'],
  ] as [Record<string, string>, string, string][])('%j and %s', async (env, baseUrl, expected) => {
    expect(await asked(env, baseUrl)).toBe(expected);
  });

  test('a key needs no project', async () => {
    expect(await asked(P, CLOUD, { apiKey: KEY })).toBe(`${CLOUD}/v1/${PATH}`);
  });

  test('nothing to open it with', async () => {
    expect(await asked(P, CLOUD, { apiKey: undefined })).toMatch(/gcloud auth print-access-token/);
    const headers = { Authorization: 'Bearer given' };
    expect(await asked(P, CLOUD, { apiKey: undefined, headers })).toContain('/projects/p/');
  });
});

test('the table of formats loads it, and hands it the environment', async () => {
  const wire = portsWith(at.clock);
  const api = await apiLoaders({ clock: at.clock, wire, env: ENV })['google-vertex']?.();
  at.server.reply({ answer: { parts: [{ text: 'ok' }] } });
  const { message } = await observe(api!.stream(at.request()));
  expect(message).toMatchObject({ stopReason: 'stop', content: [{ text: 'ok' }] });
});
