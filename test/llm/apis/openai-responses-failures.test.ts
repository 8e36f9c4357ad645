// Responses format failures end with one error event that explains them without the key.
import { describe, expect, test } from 'vitest';
import type { ProviderFailure } from '../../../src/protocol/index.ts';
import { expectGrammar, observe } from '../contract.ts';
import { KEY, type Reply } from '../servers/openai-responses.ts';
import { frame, framesOf } from '../servers/openai-responses-frames.ts';
import { errorBody } from '../servers/openai-responses-refusal.ts';
import { IDLE_MS } from './api-fixture.ts';
import { createApiFixture } from './openai-responses-fixture.ts';

const fixture = createApiFixture();

async function expectFailure(reply: Reply, overrides: Parameters<typeof fixture.request>[0] = {}) {
  fixture.server.reply(reply);
  const observed = await observe(fixture.api.stream(fixture.request(overrides)));
  expectGrammar(observed);
  expect(JSON.stringify(observed.events)).not.toContain(KEY);
  const last = observed.events.at(-1)!;
  if (last.type !== 'error') throw new Error(`Expected an error, got ${last.type}`);
  return { failure: last.failure, text: observed.message.errorMessage ?? '', content: observed.message.content };
}

function createErrorReply(status: number, body: string, headers: Record<string, string> = {}): Reply {
  return { plain: { status, body, headers: { 'content-type': 'application/json', ...headers } } };
}

describe('before the stream', () => {
  const quota = errorBody(
    'You exceeded your current quota, please check your plan and billing details.',
    'insufficient_quota',
    'insufficient_quota',
  );
  const cases: [string, Reply, ProviderFailure, RegExp][] = [
    [
      'too many requests',
      createErrorReply(429, errorBody('Rate limit reached for gpt-5', 'rate_limit_exceeded', 'tokens'), {
        'retry-after': '7',
      }),
      { kind: 'rate_limit', status: 429, retryAfterMs: 7000 },
      /^429 .*Rate limit reached for gpt-5/s,
    ],
    [
      'an exceeded quota',
      createErrorReply(429, quota, { 'retry-after': '7' }),
      { kind: 'quota', status: 429, retryAfterMs: 7000 },
      /quota/,
    ],
    [
      'an unsupported country',
      createErrorReply(
        403,
        errorBody('Country, region, or territory not supported', 'unsupported_country_region_territory'),
      ),
      { kind: 'auth', status: 403 },
      /^403 .*not supported/s,
    ],
    [
      'a conversation that is too long',
      createErrorReply(
        400,
        errorBody(
          'Your input exceeds the context window of this model. Please adjust your input and try again.',
          'context_length_exceeded',
        ),
      ),
      { kind: 'overflow', status: 400 },
      /context window/,
    ],
    [
      'a server error',
      createErrorReply(500, errorBody('The server had an error while processing your request.', null, 'server_error')),
      { kind: 'server', status: 500 },
      /^500 .*had an error/s,
    ],
    [
      'a bad gateway',
      createErrorReply(502, '<html>Bad gateway</html>', { 'content-type': 'text/html' }),
      { kind: 'server', status: 502 },
      /^502/,
    ],
    [
      'an overloaded server',
      createErrorReply(503, ''),
      { kind: 'overloaded', status: 503 },
      /^503 the provider is overloaded$/,
    ],
    [
      'a flagged prompt',
      createErrorReply(
        400,
        errorBody('Invalid prompt: limited access to this content for safety reasons.', 'invalid_prompt'),
      ),
      { kind: 'filter', status: 400 },
      /^400 .*safety reasons/s,
    ],
  ];
  test.each(cases)('%s', async (_name, reply, failure, text) => {
    const failed = await expectFailure(reply);
    expect(failed).toMatchObject({ failure, content: [] });
    expect(failed.text).toMatch(text);
  });

  test('a wrong key that the provider repeats', async () => {
    const apiKey = 'sk-proj-of-another-user';
    const failed = await expectFailure({}, { apiKey });
    expect(failed.failure).toEqual({ kind: 'auth', status: 401 });
    expect(failed.text).toContain('Incorrect API key provided: [redacted]');
    expect(failed.text).not.toContain(apiKey);
  });

  test('no key', async () => {
    expect(await expectFailure({}, { apiKey: undefined })).toMatchObject({ failure: { kind: 'auth', status: 401 } });
  });

  test('an unknown model', async () => {
    const failed = await expectFailure({}, { model: fixture.model('gpt-0') });
    expect(failed).toMatchObject({ failure: { kind: 'refused', status: 400 } });
    expect(failed.text).toContain("The requested model 'gpt-0' does not exist.");
  });

  test('another content type', async () => {
    const failed = await expectFailure(createErrorReply(200, '{"object":"response"}'));
    expect(failed.failure).toEqual({ kind: 'malformed' });
    expect(failed.text).toMatch(/answered with application\/json instead of a stream: \{"object"/);
  });

  test('connection refused', async () => {
    const model = fixture.model('gpt-5', { baseUrl: 'http://127.0.0.1:1/v1' });
    const { events } = await observe(fixture.api.stream(fixture.request({ model })));
    expect(events.at(-1)).toMatchObject({ failure: { kind: 'network' } });
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
  const frames = framesOf({ parts: [{ text: ['One', ' two'] }] });
  // created, in_progress, added, part, "One"
  const partial = frames.slice(0, 5);
  const createErrorEvent = (fields: Record<string, unknown>): Reply => ({
    frames: [...partial, frame({ type: 'error', ...fields })],
  });
  const createFailedResponse = (code: string, message: string): Reply => ({
    frames: [...partial, framesOf({ parts: [], failed: { code, message } }).at(-1)!],
  });

  const cases: [string, Reply, ProviderFailure, string][] = [
    [
      'a server error',
      createFailedResponse('server_error', 'An error occurred while processing your request.'),
      { kind: 'server' },
      'server_error: An error occurred while processing your request.',
    ],
    [
      'too many tokens per minute, with the retry delay in the text',
      createFailedResponse(
        'rate_limit_exceeded',
        'Rate limit reached for gpt-5 on tokens per min (TPM). Please try again in 1.898s.',
      ),
      { kind: 'rate_limit', retryAfterMs: 1898 },
      'rate_limit_exceeded: Rate limit reached for gpt-5 on tokens per min (TPM). Please try again in 1.898s.',
    ],
    [
      'a retry delay in milliseconds',
      createFailedResponse('rate_limit_exceeded', 'Please try again in 28ms.'),
      { kind: 'rate_limit', retryAfterMs: 28 },
      'rate_limit_exceeded: Please try again in 28ms.',
    ],
    [
      'a retry delay in minutes',
      createFailedResponse('rate_limit_exceeded', 'Please try again in 6m0s.'),
      { kind: 'rate_limit', retryAfterMs: 360_000 },
      'rate_limit_exceeded: Please try again in 6m0s.',
    ],
    [
      'a conversation that is too long',
      createFailedResponse('context_length_exceeded', 'Your input exceeds the context window of this model.'),
      { kind: 'overflow' },
      'context_length_exceeded: Your input exceeds the context window of this model.',
    ],
    [
      'a flagged prompt',
      createFailedResponse('invalid_prompt', 'Your prompt was flagged as potentially violating our usage policy.'),
      { kind: 'filter' },
      'invalid_prompt: Your prompt was flagged as potentially violating our usage policy.',
    ],
    [
      'an invalid image, which is not retried',
      createFailedResponse('invalid_image', 'The image data you provided does not represent a valid image.'),
      { kind: 'refused' },
      'invalid_image: The image data you provided does not represent a valid image.',
    ],
    [
      'an error event, flat as documented',
      createErrorEvent({ code: 'server_is_overloaded', message: 'Our servers are currently overloaded.', param: null }),
      { kind: 'overloaded' },
      'server_is_overloaded: Our servers are currently overloaded.',
    ],
    [
      'an error event, nested as sent',
      createErrorEvent({
        error: { type: 'insufficient_quota', code: 'insufficient_quota', message: 'Quota is used up.' },
      }),
      { kind: 'quota' },
      'insufficient_quota: Quota is used up.',
    ],
    [
      'an error without a code',
      createErrorEvent({ error: { type: 'invalid_request_error', code: null, message: `No: ${KEY}` } }),
      { kind: 'refused' },
      'invalid_request_error: No: [redacted]',
    ],
    [
      'an error without a type, as gateways send it',
      { frames: [...partial, 'data: {"error":{"message":"upstream"}}\n\n'] },
      { kind: 'server' },
      'error: upstream',
    ],
    ['a failure without reasons', createErrorEvent({}), { kind: 'server' }, 'error: The provider gave no reason'],
    [
      'an event that is not JSON',
      { frames: [...partial, 'event: response.output_text.delta\ndata: {"type":"response.outp\n\n'] },
      { kind: 'malformed' },
      'The provider sent an unreadable event: {"type":"response.outp',
    ],
    [
      'an event that is not an object',
      { frames: [...partial, 'data: 7\n\n'] },
      { kind: 'malformed' },
      'The provider sent an unreadable event: 7',
    ],
    [
      'an item event without its item',
      { frames: [...partial, frame({ type: 'response.output_item.done', output_index: 0 })] },
      { kind: 'malformed' },
      'The provider sent an unreadable event: {"type":"response.output_item.done","sequence_number":0,"output_index":0}',
    ],
    [
      'an end without a final event',
      { frames: frames.slice(0, -1) },
      { kind: 'malformed' },
      "The provider's stream ended early, before the answer was complete",
    ],
  ];
  test.each(cases)('%s', async (_name, reply, failure, text) => {
    const { content, ...failed } = await expectFailure(reply);
    expect(failed).toEqual({ failure, text });
    expect(content).toMatchObject([{ type: 'text', text: expect.stringMatching(/^One/) }]);
  });

  test('the content filter', async () => {
    const reply = { answer: { parts: [{ text: 'Once' }], incomplete: 'content_filter' as const } };
    const { content, ...failed } = await expectFailure(reply);
    expect(failed).toEqual({
      failure: { kind: 'filter' },
      text: "The provider's content filter stopped the answer. Rephrase the request or choose another model",
    });
    expect(content).toMatchObject([{ text: 'Once' }]);
  });

  test('arguments that are not JSON are rejected', async () => {
    const parts = [{ call: 'call_1', name: 'bash', input: '{"command":' }];
    const { failure, text } = await expectFailure({ answer: { parts } });
    expect(failure).toEqual({ kind: 'malformed' });
    expect(text).toMatch(/^The model sent unreadable arguments for the tool bash: /);
  });

  test('a call without a name', async () => {
    const item = { type: 'function_call', id: 'fc_1', call_id: 'call_1', arguments: '' };
    const frames = [...partial.slice(0, 2), frame({ type: 'response.output_item.added', output_index: 0, item })];
    expect(await expectFailure({ frames })).toMatchObject({ failure: { kind: 'malformed' }, content: [] });
  });

  test('a connection reset keeps the received content', async () => {
    const { failure, text, content } = await expectFailure({ frames: frames, upTo: 5, after: 'reset' });
    expect(failure).toEqual({ kind: 'network' });
    expect(text).toMatch(/^Connection error: /);
    expect(content).toEqual([{ type: 'text', text: 'One' }]);
  });

  test('a stream that stalls', async () => {
    fixture.server.reply({ frames: frames, upTo: 5, after: 'stall' });
    const stalled = observe(fixture.api.stream(fixture.request()), ({ type }) => {
      if (type === 'text_delta') setImmediate(() => void fixture.clock.advance(IDLE_MS));
    });
    expect((await stalled).events.at(-1)).toMatchObject({ failure: { kind: 'limit' } });
  });

  test('an abort closes the connection', async () => {
    const aborter = new AbortController();
    fixture.server.reply({ frames: frames, upTo: 5, after: 'stall' });
    const observed = await observe(fixture.api.stream(fixture.request({ signal: aborter.signal })), ({ type }) => {
      if (type === 'text_delta') aborter.abort();
    });
    await fixture.server.received.at(-1)?.closed;
    expect(observed.events.at(-1)).toMatchObject({ type: 'error', reason: 'aborted' });
    expect(observed.message).toMatchObject({ content: [{ type: 'text', text: 'One' }], stopReason: 'aborted' });
  });
});
