// Every way in which Gemini gives no answer ends in one event that says why, without the key.
import { describe, expect, test } from 'vitest';
import { createGoogleGenerativeAi } from '../../../src/llm/apis/ai-sdk/google-generative-ai.ts';
import type { Failure } from '../../../src/protocol/index.ts';
import { expectGrammar, observe } from '../contract.ts';
import { KEY, startGemini } from '../servers/gemini.ts';
import { geminiError } from '../servers/gemini-check.ts';
import { frame, type GeminiAnswer, geminiFrames } from '../servers/gemini-frames.ts';
import type { Reply } from '../servers/loopback.ts';
import { IDLE_MS, stage } from './ai-sdk-stage.ts';

const at = stage<GeminiAnswer>({
  start: startGemini,
  create: createGoogleGenerativeAi,
  model: { id: 'gemini-3-flash-preview' },
  apiKey: KEY,
  path: '/v1beta',
});

async function failing(reply: Reply<GeminiAnswer>, other: Parameters<typeof at.request>[0] = {}) {
  at.server.reply(reply);
  const seen = await observe(at.api.stream(at.request(other)));
  expectGrammar(seen);
  expect(JSON.stringify(seen.events)).not.toContain(KEY);
  const last = seen.events.at(-1)!;
  if (last.type !== 'error') throw new Error(`Expected an error, got ${last.type}`);
  return { failure: last.failure, text: seen.message.errorMessage ?? '', content: seen.message.content };
}

function plain(status: number, body: string, headers: Record<string, string> = {}): Reply<GeminiAnswer> {
  return { plain: { status, body, headers } };
}

describe('before the stream', () => {
  const retryInfo = (retryDelay: string) => [
    { '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations: [{ quotaId: 'RequestsPerMinute' }] },
    { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay },
  ];
  const quota = 'You exceeded your current quota, please check your plan and billing details.';
  const cases: [string, Reply<GeminiAnswer>, Failure, RegExp][] = [
    [
      'a limit of the minute, called a quota, with the wait in its details',
      plain(429, geminiError(429, quota, 'RESOURCE_EXHAUSTED', retryInfo('36.429760048s'))),
      { kind: 'rate_limit', status: 429, retryAfterMs: 36_430 },
      /^429 .*exceeded your current quota/s,
    ],
    [
      'a used-up quota, which nobody says the end of',
      plain(429, geminiError(429, quota, 'RESOURCE_EXHAUSTED')),
      { kind: 'quota', status: 429 },
      /^429 .*quota/s,
    ],
    [
      'too many requests, with the wait in a header',
      plain(429, geminiError(429, 'Resource has been exhausted (e.g. check quota).', 'RESOURCE_EXHAUSTED'), {
        'retry-after': '7',
      }),
      { kind: 'rate_limit', status: 429, retryAfterMs: 7000 },
      /exhausted/,
    ],
    [
      'an overloaded model',
      plain(503, geminiError(503, 'The model is overloaded. Please try again later.', 'UNAVAILABLE')),
      { kind: 'overloaded', status: 503 },
      /^503 .*overloaded/s,
    ],
    [
      'a server error',
      plain(500, geminiError(500, 'An internal error has occurred.', 'INTERNAL')),
      { kind: 'server', status: 500 },
      /^500 /,
    ],
    [
      'too long a conversation',
      plain(
        400,
        geminiError(400, 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).'),
      ),
      { kind: 'overflow', status: 400 },
      /exceeds the maximum/,
    ],
    [
      'a project that is not let in',
      plain(403, geminiError(403, 'Generative Language API has not been used in project 1', 'PERMISSION_DENIED')),
      { kind: 'auth', status: 403 },
      /^403 /,
    ],
  ];
  test.each(cases)('%s', async (_name, reply, failure, text) => {
    const failed = await failing(reply);
    expect(failed).toMatchObject({ failure, content: [] });
    expect(failed.text).toMatch(text);
  });

  test('a wrong key, which the provider repeats', async () => {
    const apiKey = 'AIzaOfSomebodyElse';
    const failed = await failing({}, { apiKey });
    expect(failed.failure).toEqual({ kind: 'auth', status: 400 });
    expect(failed.text).toContain('API key not valid. Please pass a valid API key. ([redacted])');
    expect(failed.text).not.toContain(apiKey);
  });

  test('no key at all', async () => {
    expect(await failing({}, { apiKey: undefined })).toMatchObject({ failure: { kind: 'auth', status: 403 } });
  });

  test('an unknown model', async () => {
    const failed = await failing({}, { model: at.model('gemini-0') });
    expect(failed).toMatchObject({ failure: { kind: 'refused', status: 404 } });
    expect(failed.text).toContain('models/gemini-0 is not found');
  });

  test('a tool that the provider has no words for', async () => {
    const parameters = { type: 'object', properties: { a: { enum: ['a', 1] } } };
    const failed = await failing({}, { tools: [{ name: 'odd', description: '', parameters }] });
    expect(failed.failure).toEqual({ kind: 'refused' });
    expect(failed.text).toMatch(/enum/);
  });

  test('something else than a stream', async () => {
    const failed = await failing(plain(200, '{"candidates":[]}'));
    expect(failed.failure).toEqual({ kind: 'malformed' });
    expect(failed.text).toMatch(/answered with application\/json instead of a stream: \{"candidates"/);
  });

  test('nobody there', async () => {
    const failed = await failing(
      {},
      { model: at.model('gemini-3-flash-preview', { baseUrl: 'http://127.0.0.1:1/v1beta' }) },
    );
    expect(failed.failure).toEqual({ kind: 'network' });
    expect(failed.text).toMatch(/^Connection error: .*/);
  });

  test('a provider that never answers', async () => {
    const arrived = at.server.next();
    const failed = failing({ silent: true });
    await arrived;
    await at.clock.advance(IDLE_MS);
    expect(await failed).toMatchObject({
      failure: { kind: 'limit' },
      text: 'The provider sent no content for 60 seconds. The limit is the setting http.idleTimeoutMs (60000).',
    });
  });
});

describe('inside the stream', () => {
  const words = geminiFrames({ parts: [{ text: ['One', ' two'] }] });
  const begun = words.slice(0, 1);

  const overloaded = { error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } };
  const nameless = { error: { code: null, message: `Lost: ${KEY}`, status: 'CANCELLED_BY_US' } };
  const cases: [string, Uint8Array[], Failure, string][] = [
    [
      'an error event',
      [...begun, frame(overloaded)],
      { kind: 'overloaded', status: 503 },
      '503 UNAVAILABLE: The model is overloaded.',
    ],
    [
      'an error event without a number',
      [...begun, frame(nameless)],
      { kind: 'server' },
      'CANCELLED_BY_US: Lost: [redacted]',
    ],
    [
      'an event that is no JSON',
      [...begun, Buffer.from('data: {"candidates":[{\r\n\r\n')],
      { kind: 'malformed' },
      'The provider sent an unreadable event: {"candidates":[{',
    ],
    [
      'an event of another shape',
      [...begun, frame({ candidates: 7 })],
      { kind: 'malformed' },
      'The provider sent an unreadable event: {"candidates":7}',
    ],
    [
      'an end without an ending',
      words.slice(0, 2),
      { kind: 'malformed' },
      "The provider's stream ended early, before the answer was complete",
    ],
    [
      'a call that the model got wrong',
      geminiFrames({ parts: [{ text: 'One' }], finish: 'MALFORMED_FUNCTION_CALL' }),
      { kind: 'malformed' },
      "The model's answer cannot be used: MALFORMED_FUNCTION_CALL",
    ],
    [
      'a call of a tool that was not offered',
      geminiFrames({ parts: [{ text: 'One' }], finish: 'UNEXPECTED_TOOL_CALL' }),
      { kind: 'malformed' },
      "The model's answer cannot be used: UNEXPECTED_TOOL_CALL",
    ],
    [
      'the content filter',
      geminiFrames({ parts: [{ text: 'One' }], finish: 'PROHIBITED_CONTENT' }),
      { kind: 'filter' },
      "The provider's content filter stopped the answer (PROHIBITED_CONTENT). Rephrase the request or choose another model",
    ],
  ];
  test.each(cases)('%s', async (_name, frames, failure, text) => {
    const { content, ...said } = await failing({ frames });
    expect(said).toEqual({ failure, text });
    expect(content).toMatchObject([{ type: 'text', text: expect.stringMatching(/^One/) }]);
  });

  test('a question that is not answered', async () => {
    expect(await failing({ answer: { parts: [], blocked: 'SAFETY' } })).toMatchObject({
      failure: { kind: 'filter' },
      text: expect.stringContaining('(SAFETY)'),
      content: [],
    });
  });

  test('an end for reasons of its own: an answer when there are words, a failure when there are none', async () => {
    at.server.reply({ answer: { parts: [{ text: 'Well' }], finish: 'OTHER' } });
    expect(await at.ask()).toMatchObject({ stopReason: 'stop', content: [{ text: 'Well' }] });
    expect(await failing({ answer: { parts: [], finish: 'OTHER' } })).toMatchObject({
      failure: { kind: 'malformed' },
      text: 'The provider ended the answer without a word: OTHER',
    });
  });

  test('a call without a name is no call', async () => {
    at.server.reply({ frames: [frame({ candidates: [{ content: { parts: [{ functionCall: { args: {} } }] } }] })] });
    expect(await at.ask()).toMatchObject({ stopReason: 'error', content: [] });
  });

  test('a connection that is reset keeps what came', async () => {
    const { failure, text, content } = await failing({ frames: words, upTo: 1, after: 'reset' });
    expect(failure).toEqual({ kind: 'network' });
    expect(text).toMatch(/^Connection error: /);
    expect(content).toEqual([{ type: 'text', text: 'One' }]);
  });

  test('a stream that stalls', async () => {
    at.server.reply({ frames: words, upTo: 1, after: 'stall' });
    const stalled = observe(at.api.stream(at.request()), ({ type }) => {
      if (type === 'text_delta') setImmediate(() => void at.clock.advance(IDLE_MS));
    });
    expect((await stalled).events.at(-1)).toMatchObject({ failure: { kind: 'limit' } });
    await at.server.received.at(-1)?.closed;
  });

  test('an abort closes the connection', async () => {
    const aborter = new AbortController();
    at.server.reply({ frames: words, upTo: 1, after: 'stall' });
    const seen = await observe(at.api.stream(at.request({ signal: aborter.signal })), ({ type }) => {
      if (type === 'text_delta') aborter.abort();
    });
    await at.server.received.at(-1)?.closed;
    expectGrammar(seen);
    expect(seen.message).toMatchObject({ content: [{ type: 'text', text: 'One' }], stopReason: 'aborted' });
  });

  test('whoever stops listening closes the connection', async () => {
    at.server.reply({ frames: words, upTo: 1, after: 'stall' });
    for await (const { type } of at.api.stream(at.request())) if (type === 'text_delta') break;
    await at.server.received.at(-1)?.closed;
  });
});
