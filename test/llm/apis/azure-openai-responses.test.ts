// The Responses format on Azure: URLs and authentication.
import { describe, expect, test } from 'vitest';
import { createAzureOpenAiResponses } from '../../../src/llm/apis/azure-openai-responses/index.ts';
import { createApiLoaders } from '../../../src/llm/index.ts';
import { createFakeClock } from '../../../src/testing/fake-clock.ts';
import { expectGrammar, modelApiContract, observe } from '../contract.ts';
import { type Answer, framesOf } from '../servers/openai-responses-frames.ts';
import { createFetch, createModel } from './ai-sdk-fixture.ts';
import { createRequest } from './anthropic-fixture.ts';
import { createPorts } from './api-fixture.ts';

const KEY = 'azure-key-loopback';
const TOKEN = 'eyJhbGciOiJub25lIn0.eyJhdWQiOiJhenVyZSJ9.c2lnbmF0dXJl';
const MODEL = createModel({
  id: 'gpt-5',
  api: 'azure-openai-responses',
  provider: 'azure',
  baseUrl: 'https://loop.openai.azure.com/openai/v1',
});

interface Sent {
  url: string;
  headers: Headers;
}

function createApi(answer: Answer, sent: Sent[] = []) {
  const frames = framesOf(answer).map((text) => Buffer.from(text));
  const respond = createFetch('text/event-stream', frames);
  const fetch: typeof globalThis.fetch = (url, init) => {
    sent.push({ url: String(url), headers: new Headers(init?.headers) });
    init?.signal?.throwIfAborted();
    return respond(url, init);
  };
  return createAzureOpenAiResponses(createPorts(createFakeClock(), { send: fetch }));
}

modelApiContract('azure-openai-responses', () => {
  let answer: Answer = { parts: [] };
  return {
    api: { stream: (request) => createApi(answer).stream(request) },
    long(signal) {
      answer = { parts: [{ text: Array.from({ length: 20 }, (_, n) => `${n} `) }] };
      return createRequest(MODEL, { signal });
    },
    calling(signal) {
      answer = { parts: [{ call: 'call_1', name: 'read', input: { path: 'a' } }] };
      return createRequest(MODEL, { signal });
    },
  };
});

const sendRequest = async (overrides: Parameters<typeof createRequest>[1], baseUrl = MODEL.baseUrl) => {
  const sent: Sent[] = [];
  const api = createApi({ parts: [{ text: 'ok' }] }, sent);
  const observed = await observe(api.stream(createRequest({ ...MODEL, baseUrl }, overrides)));
  expectGrammar(observed);
  expect(observed.message).toMatchObject({ api: 'azure-openai-responses', stopReason: 'stop' });
  return sent[0]!;
};

describe('authentication', () => {
  test('a key is sent in the api-key header', async () => {
    const { headers } = await sendRequest({ apiKey: KEY });
    expect([headers.get('api-key'), headers.get('authorization')]).toEqual([KEY, null]);
  });

  test('a sign-in token is sent as bearer token', async () => {
    const { headers } = await sendRequest({ apiKey: TOKEN });
    expect([headers.get('api-key'), headers.get('authorization')]).toEqual([null, `Bearer ${TOKEN}`]);
  });

  test('headers of models.json win', async () => {
    const { headers } = await sendRequest({ apiKey: KEY, headers: { 'api-key': 'custom' } });
    expect(headers.get('api-key')).toBe('custom');
  });

  test('the key is redacted when Azure repeats it', async () => {
    const fetch: typeof globalThis.fetch = async () => new Response(`Access denied for ${KEY}`, { status: 401 });
    const api = createAzureOpenAiResponses(createPorts(createFakeClock(), { send: fetch }));
    const { events, message } = await observe(api.stream(createRequest(MODEL, { apiKey: KEY })));
    expect(events.at(-1)).toMatchObject({ failure: { kind: 'auth', status: 401 } });
    expect(message.errorMessage).toBe('401 Access denied for [redacted]');
  });
});

test.each([
  'https://loop.openai.azure.com',
  'https://loop.openai.azure.com/',
  'https://loop.openai.azure.com/openai',
  'https://loop.openai.azure.com/openai/v1/',
])('the base URL %s', async (baseUrl) => {
  const { url } = await sendRequest({}, baseUrl);
  expect(url).toBe('https://loop.openai.azure.com/openai/v1/responses');
});

test('another URL is not changed', async () => {
  expect((await sendRequest({}, 'https://gateway.test/azure')).url).toBe('https://gateway.test/azure/responses');
});

test('createApiLoaders loads it', async () => {
  const clock = createFakeClock();
  const load = createApiLoaders({ clock, wire: createPorts(clock) })['azure-openai-responses'];
  expect((await load?.())?.stream).toBeTypeOf('function');
});
