// Gemini failures end with one error event that explains them without the key.
import { describe, expect, test } from 'vitest';
import { createGoogleGenerativeAi } from '../../../src/llm/apis/ai-sdk/google-generative-ai.ts';
import type { ProviderFailure } from '../../../src/protocol/index.ts';
import { expectGrammar, observe } from '../contract.ts';
import { KEY, startGemini } from '../servers/gemini.ts';
import { geminiError } from '../servers/gemini-check.ts';
import { frame, type GeminiAnswer, geminiFrames } from '../servers/gemini-frames.ts';
import type { Reply } from '../servers/loopback.ts';
import { createApiFixture } from './ai-sdk-fixture.ts';
import { IDLE_MS } from './api-fixture.ts';

const fixture = createApiFixture<GeminiAnswer>({
  start: startGemini,
  create: createGoogleGenerativeAi,
  model: { id: 'gemini-3-flash-preview' },
  apiKey: KEY,
  path: '/v1beta',
});

async function expectFailure(reply: Reply<GeminiAnswer>, overrides: Parameters<typeof fixture.request>[0] = {}) {
  fixture.server.reply(reply);
  const observed = await observe(fixture.api.stream(fixture.request(overrides)));
  expectGrammar(observed);
  expect(JSON.stringify(observed.events)).not.toContain(KEY);
  const last = observed.events.at(-1)!;
  if (last.type !== 'error') throw new Error(`Expected an error, got ${last.type}`);
  return { failure: last.failure, text: observed.message.errorMessage ?? '', content: observed.message.content };
}

function createErrorReply(status: number, body: string, headers: Record<string, string> = {}): Reply<GeminiAnswer> {
  return { plain: { status, body, headers } };
}

describe('before the stream', () => {
  const retryInfo = (retryDelay: string) => [
    { '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations: [{ quotaId: 'RequestsPerMinute' }] },
    { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay },
  ];
  const quota = 'You exceeded your current quota, please check your plan and billing details.';
  const cases: [string, Reply<GeminiAnswer>, ProviderFailure, RegExp][] = [
    [
      'a per-minute limit called a quota, with a retry delay in its details',
      createErrorReply(429, geminiError(429, quota, 'RESOURCE_EXHAUSTED', retryInfo('36.429760048s'))),
      { kind: 'rate_limit', status: 429, retryAfterMs: 36_430 },
      /^429 .*exceeded your current quota/s,
    ],
    [
      'an exceeded quota without a retry delay',
      createErrorReply(429, geminiError(429, quota, 'RESOURCE_EXHAUSTED')),
      { kind: 'quota', status: 429 },
      /^429 .*quota/s,
    ],
    [
      'too many requests, with the retry delay in a header',
      createErrorReply(429, geminiError(429, 'Resource has been exhausted (e.g. check quota).', 'RESOURCE_EXHAUSTED'), {
        'retry-after': '7',
      }),
      { kind: 'rate_limit', status: 429, retryAfterMs: 7000 },
      /exhausted/,
    ],
    [
      'an overloaded model',
      createErrorReply(503, geminiError(503, 'The model is overloaded. Please try again later.', 'UNAVAILABLE')),
      { kind: 'overloaded', status: 503 },
      /^503 .*overloaded/s,
    ],
    [
      'a server error',
      createErrorReply(500, geminiError(500, 'An internal error has occurred.', 'INTERNAL')),
      { kind: 'server', status: 500 },
      /^500 /,
    ],
    [
      'a conversation that is too long',
      createErrorReply(
        400,
        geminiError(400, 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).'),
      ),
      { kind: 'overflow', status: 400 },
      /exceeds the maximum/,
    ],
    [
      'a project without access',
      createErrorReply(
        403,
        geminiError(403, 'Generative Language API has not been used in project 1', 'PERMISSION_DENIED'),
      ),
      { kind: 'auth', status: 403 },
      /^403 /,
    ],
  ];
  test.each(cases)('%s', async (_name, reply, failure, text) => {
    const failed = await expectFailure(reply);
    expect(failed).toMatchObject({ failure, content: [] });
    expect(failed.text).toMatch(text);
  });

  test('a wrong key that the provider repeats', async () => {
    const apiKey = 'AIzaOfAnotherUser';
    const failed = await expectFailure({}, { apiKey });
    expect(failed.failure).toEqual({ kind: 'auth', status: 400 });
    expect(failed.text).toContain('API key not valid. Please pass a valid API key. ([redacted])');
    expect(failed.text).not.toContain(apiKey);
  });

  test('no key', async () => {
    expect(await expectFailure({}, { apiKey: undefined })).toMatchObject({ failure: { kind: 'auth', status: 403 } });
  });

  test('an unknown model', async () => {
    const failed = await expectFailure({}, { model: fixture.model('gemini-0') });
    expect(failed).toMatchObject({ failure: { kind: 'refused', status: 404 } });
    expect(failed.text).toContain('models/gemini-0 is not found');
  });

  test('a tool schema that the provider does not support', async () => {
    const parameters = { type: 'object', properties: { a: { enum: ['a', 1] } } };
    const failed = await expectFailure({}, { tools: [{ name: 'odd', description: '', parameters }] });
    expect(failed.failure).toEqual({ kind: 'refused' });
    expect(failed.text).toMatch(/enum/);
  });

  test('another content type', async () => {
    const failed = await expectFailure(createErrorReply(200, '{"candidates":[]}'));
    expect(failed.failure).toEqual({ kind: 'malformed' });
    expect(failed.text).toMatch(/answered with application\/json instead of a stream: \{"candidates"/);
  });

  test('connection refused', async () => {
    const failed = await expectFailure(
      {},
      { model: fixture.model('gemini-3-flash-preview', { baseUrl: 'http://127.0.0.1:1/v1beta' }) },
    );
    expect(failed.failure).toEqual({ kind: 'network' });
    expect(failed.text).toMatch(/^Connection error: .*/);
  });

  test('a provider that never responds', async () => {
    const nextRequest = fixture.server.next();
    const failed = expectFailure({ silent: true });
    await nextRequest;
    await fixture.clock.advance(IDLE_MS);
    expect(await failed).toMatchObject({
      failure: { kind: 'limit' },
      text: 'The provider sent no content for 60 seconds. The limit is the setting http.idleTimeoutMs (60000).',
    });
  });
});

describe('inside the stream', () => {
  const frames = geminiFrames({ parts: [{ text: ['One', ' two'] }] });
  const partial = frames.slice(0, 1);

  const overloaded = { error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } };
  const nameless = { error: { code: null, message: `Lost: ${KEY}`, status: 'CANCELLED_BY_US' } };
  const cases: [string, Uint8Array[], ProviderFailure, string][] = [
    [
      'an error event',
      [...partial, frame(overloaded)],
      { kind: 'overloaded', status: 503 },
      '503 UNAVAILABLE: The model is overloaded.',
    ],
    [
      'an error event without a code',
      [...partial, frame(nameless)],
      { kind: 'server' },
      'CANCELLED_BY_US: Lost: [redacted]',
    ],
    [
      'an event that is not JSON',
      [...partial, Buffer.from('data: {"candidates":[{\r\n\r\n')],
      { kind: 'malformed' },
      'The provider sent an unreadable event: {"candidates":[{',
    ],
    [
      'an event of another shape',
      [...partial, frame({ candidates: 7 })],
      { kind: 'malformed' },
      'The provider sent an unreadable event: {"candidates":7}',
    ],
    [
      'an end without a finish reason',
      frames.slice(0, 2),
      { kind: 'malformed' },
      "The provider's stream ended early, before the answer was complete",
    ],
    [
      'a malformed call',
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
    const { content, ...failed } = await expectFailure({ frames });
    expect(failed).toEqual({ failure, text });
    expect(content).toMatchObject([{ type: 'text', text: expect.stringMatching(/^One/) }]);
  });

  test('a blocked prompt', async () => {
    expect(await expectFailure({ answer: { parts: [], blocked: 'SAFETY' } })).toMatchObject({
      failure: { kind: 'filter' },
      text: expect.stringContaining('(SAFETY)'),
      content: [],
    });
  });

  test('an unknown finish reason: normal end with text, failure without', async () => {
    fixture.server.reply({ answer: { parts: [{ text: 'Well' }], finish: 'OTHER' } });
    expect(await fixture.ask()).toMatchObject({ stopReason: 'stop', content: [{ text: 'Well' }] });
    expect(await expectFailure({ answer: { parts: [], finish: 'OTHER' } })).toMatchObject({
      failure: { kind: 'malformed' },
      text: 'The provider ended the response without content: OTHER',
    });
  });

  test('a call without a name is an error', async () => {
    fixture.server.reply({
      frames: [frame({ candidates: [{ content: { parts: [{ functionCall: { args: {} } }] } }] })],
    });
    expect(await fixture.ask()).toMatchObject({ stopReason: 'error', content: [] });
  });

  test('a connection reset keeps the received content', async () => {
    const { failure, text, content } = await expectFailure({ frames: frames, upTo: 1, after: 'reset' });
    expect(failure).toEqual({ kind: 'network' });
    expect(text).toMatch(/^Connection error: /);
    expect(content).toEqual([{ type: 'text', text: 'One' }]);
  });

  test('a stream that stalls', async () => {
    fixture.server.reply({ frames: frames, upTo: 1, after: 'stall' });
    const stalled = observe(fixture.api.stream(fixture.request()), ({ type }) => {
      if (type === 'text_delta') setImmediate(() => void fixture.clock.advance(IDLE_MS));
    });
    expect((await stalled).events.at(-1)).toMatchObject({ failure: { kind: 'limit' } });
    await fixture.server.received.at(-1)?.closed;
  });

  test('an abort closes the connection', async () => {
    const aborter = new AbortController();
    fixture.server.reply({ frames: frames, upTo: 1, after: 'stall' });
    const observed = await observe(fixture.api.stream(fixture.request({ signal: aborter.signal })), ({ type }) => {
      if (type === 'text_delta') aborter.abort();
    });
    await fixture.server.received.at(-1)?.closed;
    expectGrammar(observed);
    expect(observed.message).toMatchObject({ content: [{ type: 'text', text: 'One' }], stopReason: 'aborted' });
  });

  test('a consumer that stops reading closes the connection', async () => {
    fixture.server.reply({ frames: frames, upTo: 1, after: 'stall' });
    for await (const { type } of fixture.api.stream(fixture.request())) if (type === 'text_delta') break;
    await fixture.server.received.at(-1)?.closed;
  });
});
