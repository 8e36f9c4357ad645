// The Responses format as Azure serves it: where requests go, and what opens the door.
import { describe, expect, test } from 'vitest';
import { createAzureOpenAiResponses } from '../../../src/llm/apis/azure-openai-responses/index.ts';
import { apiLoaders } from '../../../src/llm/index.ts';
import { createFakeClock } from '../../../src/testing/fake-clock.ts';
import { expectGrammar, modelApiContract, observe } from '../contract.ts';
import { type Answer, framesOf } from '../servers/openai-responses-frames.ts';
import { fetchOf, modelOf, portsWith } from './ai-sdk-stage.ts';
import { requestFor } from './anthropic-stage.ts';

const KEY = 'azure-key-loopback';
const TOKEN = 'eyJhbGciOiJub25lIn0.eyJhdWQiOiJhenVyZSJ9.c2lnbmF0dXJl';
const MODEL = modelOf({
  id: 'gpt-5',
  api: 'azure-openai-responses',
  provider: 'azure',
  baseUrl: 'https://loop.openai.azure.com/openai/v1',
});

interface Sent {
  url: string;
  headers: Headers;
}

function azure(answer: Answer, sent: Sent[] = []) {
  const frames = framesOf(answer).map((text) => Buffer.from(text));
  const answered = fetchOf('text/event-stream', frames);
  const fetch: typeof globalThis.fetch = (url, init) => {
    sent.push({ url: String(url), headers: new Headers(init?.headers) });
    init?.signal?.throwIfAborted();
    return answered(url, init);
  };
  return createAzureOpenAiResponses(portsWith(createFakeClock(), { send: fetch }));
}

modelApiContract('azure-openai-responses', () => {
  let answer: Answer = { parts: [] };
  return {
    api: { stream: (request) => azure(answer).stream(request) },
    long(signal) {
      answer = { parts: [{ text: Array.from({ length: 20 }, (_, n) => `${n} `) }] };
      return requestFor(MODEL, { signal });
    },
    calling(signal) {
      answer = { parts: [{ call: 'call_1', name: 'read', input: { path: 'a' } }] };
      return requestFor(MODEL, { signal });
    },
  };
});

const asked = async (other: Parameters<typeof requestFor>[1], baseUrl = MODEL.baseUrl) => {
  const sent: Sent[] = [];
  const api = azure({ parts: [{ text: 'ok' }] }, sent);
  const seen = await observe(api.stream(requestFor({ ...MODEL, baseUrl }, other)));
  expectGrammar(seen);
  expect(seen.message).toMatchObject({ api: 'azure-openai-responses', stopReason: 'stop' });
  return sent[0]!;
};

describe('what opens the door', () => {
  test('a key goes into the header that Azure looks at', async () => {
    const { headers } = await asked({ apiKey: KEY });
    expect([headers.get('api-key'), headers.get('authorization')]).toEqual([KEY, null]);
  });

  test('the token of a sign-in is no key', async () => {
    const { headers } = await asked({ apiKey: TOKEN });
    expect([headers.get('api-key'), headers.get('authorization')]).toEqual([null, `Bearer ${TOKEN}`]);
  });

  test('what models.json says counts more', async () => {
    const { headers } = await asked({ apiKey: KEY, headers: { 'api-key': 'given' } });
    expect(headers.get('api-key')).toBe('given');
  });

  test('it is not repeated when Azure repeats it', async () => {
    const fetch: typeof globalThis.fetch = async () => new Response(`Access denied for ${KEY}`, { status: 401 });
    const api = createAzureOpenAiResponses(portsWith(createFakeClock(), { send: fetch }));
    const { events, message } = await observe(api.stream(requestFor(MODEL, { apiKey: KEY })));
    expect(events.at(-1)).toMatchObject({ failure: { kind: 'auth', status: 401 } });
    expect(message.errorMessage).toBe('401 Access denied for [redacted]');
  });
});

test.each([
  'https://loop.openai.azure.com',
  'https://loop.openai.azure.com/',
  'https://loop.openai.azure.com/openai',
  'https://loop.openai.azure.com/openai/v1/',
])('the address %s', async (baseUrl) => {
  const { url } = await asked({}, baseUrl);
  expect(url).toBe('https://loop.openai.azure.com/openai/v1/responses');
});

test('another address is taken as it is', async () => {
  expect((await asked({}, 'https://gateway.test/azure')).url).toBe('https://gateway.test/azure/responses');
});

test('the table of formats loads it', async () => {
  const clock = createFakeClock();
  const load = apiLoaders({ clock, wire: portsWith(clock) })['azure-openai-responses'];
  expect((await load?.())?.stream).toBeTypeOf('function');
});
