import { describe, expect, test } from 'vitest';
import { createSend } from '../../../src/app/system-ports/send.ts';
import { createAnthropicMessages } from '../../../src/llm/apis/anthropic-messages/index.ts';
import type { ProviderFailure } from '../../../src/protocol/index.ts';
import { expectGrammar, observe } from '../contract.ts';
import { errorBody, KEY, type Reply } from '../servers/anthropic-messages.ts';
import { frame, framesOf } from '../servers/anthropic-messages-frames.ts';
import { createApiFixture } from './anthropic-fixture.ts';
import { IDLE_MS, TOTAL_MS } from './api-fixture.ts';

const fixture = createApiFixture();
const TEXT = { parts: [{ text: ['Half ', 'an ', 'answer'] }] };

async function expectFailure(reply: Reply, overrides: Parameters<typeof fixture.request>[0] = {}) {
  fixture.server.reply(reply);
  const observed = await observe(fixture.api.stream(fixture.request(overrides)));
  expectGrammar(observed);
  expect(JSON.stringify(observed.events)).not.toContain(KEY);
  const last = observed.events.at(-1);
  if (last?.type !== 'error') throw new Error(`The request was answered: ${last?.type}`);
  return {
    text: observed.message.errorMessage,
    failure: last.failure,
    reason: last.reason,
    content: observed.message.content,
  };
}

const createErrorReply = (
  status: number,
  type: string,
  message: string,
  headers: Record<string, string> = {},
): Reply => ({
  plain: { status, headers: { 'content-type': 'application/json', ...headers }, body: errorBody(type, message) },
});

describe('a response that is not a stream', () => {
  test.each<[number, string, string, ProviderFailure['kind']]>([
    [401, 'authentication_error', 'invalid x-api-key', 'auth'],
    [403, 'permission_error', 'Your API key does not have permission to use the specified resource.', 'auth'],
    [
      429,
      'rate_limit_error',
      'This request would exceed your organization’s rate limit of 50,000 input tokens per minute',
      'rate_limit',
    ],
    [400, 'invalid_request_error', 'Your credit balance is too low to access the Anthropic API.', 'quota'],
    [402, 'billing_error', 'There is a problem with your billing.', 'quota'],
    [400, 'invalid_request_error', 'prompt is too long: 215000 tokens > 200000 maximum', 'overflow'],
    [
      400,
      'invalid_request_error',
      'input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000',
      'overflow',
    ],
    [413, 'request_too_large', 'Request exceeds the maximum size', 'overflow'],
    [400, 'invalid_request_error', 'Output blocked by content filtering policy', 'filter'],
    [404, 'not_found_error', 'model: claude-nowhere', 'refused'],
    [500, 'api_error', 'Internal server error', 'server'],
    [529, 'overloaded_error', 'Overloaded', 'overloaded'],
  ])('%i %s: %s', async (status, type, message, kind) => {
    const { text, failure } = await expectFailure(createErrorReply(status, type, message));
    expect(failure).toEqual({ kind, status });
    expect(text).toBe(`${status} ${type}: ${message} (request req_011Loopback)`);
  });

  test('reports the retry delay', async () => {
    const { failure } = await expectFailure(
      createErrorReply(429, 'rate_limit_error', 'Slow down', { 'retry-after': '7' }),
    );
    expect(failure).toEqual({ kind: 'rate_limit', status: 429, retryAfterMs: 7000 });
  });

  test('an HTML page of a gateway', async () => {
    const page = { status: 502, headers: { 'content-type': 'text/html' }, body: '<h1>Bad gateway</h1>' };
    expect(await expectFailure({ plain: page })).toMatchObject({
      text: '502 <h1>Bad gateway</h1>',
      failure: { kind: 'server' },
    });
  });

  test('another content type', async () => {
    const page = { status: 200, headers: { 'content-type': 'text/html' }, body: '<h1>Sign in</h1>' };
    const { text, failure } = await expectFailure({ plain: page });
    expect(failure).toEqual({ kind: 'malformed' });
    expect(text).toMatch(/answered with text\/html instead of a stream: <h1>Sign in/);
  });

  test('an error that contains the key', async () => {
    const { text } = await expectFailure(createErrorReply(401, 'authentication_error', `invalid key ${KEY}`));
    expect(text).toContain('invalid key [redacted]');
  });

  test('a key that is not a valid header value', async () => {
    const { text } = await expectFailure({ lax: true }, { apiKey: `${KEY}\nx` });
    expect(text).toMatch(/header/i);
  });

  test('a request that the provider rejects', async () => {
    const { text, failure } = await expectFailure({ answer: TEXT }, { messages: [] });
    expect(failure).toMatchObject({ kind: 'refused', status: 400 });
    expect(text).toContain('messages: at least one message is required');
  });
});

describe('a failing stream', () => {
  const half = framesOf(TEXT).slice(0, 5);
  const PARTIAL = [{ type: 'text', text: 'Half an ' }];

  test.each<[string, ProviderFailure]>([
    ['overloaded_error', { kind: 'overloaded', status: 529 }],
    ['rate_limit_error', { kind: 'rate_limit', status: 429 }],
    ['api_error', { kind: 'server', status: 500 }],
    ['timeout_error', { kind: 'timeout', status: 504 }],
    ['authentication_error', { kind: 'auth', status: 401 }],
    ['invalid_request_error', { kind: 'refused', status: 400 }],
    ['brand_new_error', { kind: 'server' }],
  ])('with an %s', async (type, failure) => {
    const error = { type: 'error', error: { type, message: 'Something happened' } };
    const observed = await expectFailure({ frames: [...half, frame(error)] });
    expect(observed).toEqual({
      reason: 'error',
      text: `${failure.status ? `${failure.status} ` : ''}${type}: Something happened`,
      failure,
      content: PARTIAL,
    });
  });

  test('with a key in its error', async () => {
    const { text } = await expectFailure({
      frames: [frame({ type: 'error', error: { type: 'api_error', message: KEY } })],
    });
    expect(text).toContain('[redacted]');
  });

  test.each([
    ['before the first event', 0],
    ['after the start', 1],
    ['inside a block', 5],
    ['before its last event', -1],
  ])('that ends early, %s', async (_name, upTo) => {
    const { text, failure } = await expectFailure({ answer: TEXT, upTo });
    expect(failure).toEqual({ kind: 'malformed' });
    expect(text).toBe("The provider's stream ended early, before the answer was complete");
  });

  test('with a connection reset', async () => {
    const { text, failure, content } = await expectFailure({ answer: TEXT, upTo: 5, after: 'reset' });
    expect(failure).toEqual({ kind: 'network' });
    expect(text).toMatch(/^Connection error: /);
    expect(content).toEqual(PARTIAL);
  });

  test.each([
    ['invalid JSON', 'data: {"type":"content_block_del\n\n', '{"type":"content_block_del'],
    ['not an object', 'data: 7\n\n', '7'],
    ['no delta', 'data: {"type":"content_block_delta","index":0}\n\n', '{"type":"content_block_delta","index":0}'],
    ['a key', `data: ${KEY}\n\n`, '[redacted]'],
    ['a key at the end of the excerpt', `data: ${'x'.repeat(195)}${KEY}\n\n`, `${'x'.repeat(195)}[reda`],
  ])('with an unreadable event: %s', async (_name, bytes, excerpt) => {
    const { text, failure } = await expectFailure({ frames: [...half, bytes] });
    expect(failure).toEqual({ kind: 'malformed' });
    expect(text).toBe(`The provider sent an unreadable event: ${excerpt}`);
  });

  test('with arguments that are not JSON', async () => {
    const parts = [{ call: 'toolu_1', name: 'bash', input: '{"command":' }];
    const { text, failure } = await expectFailure({ answer: { parts } });
    expect(failure).toEqual({ kind: 'malformed' });
    expect(text).toContain('unreadable arguments for the tool bash');
  });

  test('with arguments that are not JSON, followed by another call', async () => {
    const parts = [
      { call: 'toolu_1', name: 'bash', input: '{"a":1,' },
      { call: 'toolu_2', name: 'read', input: {} },
    ];
    expect((await expectFailure({ answer: { parts } })).failure).toEqual({ kind: 'malformed' });
  });
});

describe('an end without a reply', () => {
  test('a refusal explains what to do', async () => {
    const stopDetails = { type: 'refusal', category: 'cyber', explanation: 'This looks like malware.' };
    const observed = await expectFailure({ answer: { ...TEXT, stop: 'refusal', stopDetails } });
    expect(observed).toMatchObject({
      reason: 'error',
      failure: { kind: 'filter' },
      content: [{ text: 'Half an answer' }],
    });
    expect(observed.text).toBe(
      "The provider's safety filter refused to answer (cyber): This looks like malware. Rephrase the request or choose another model",
    );
  });

  test('a refusal without explanation, inside a call', async () => {
    const parts = [{ call: 'toolu_1', name: 'bash', input: '{"command":' }];
    const { text, failure } = await expectFailure({ answer: { parts, stop: 'refusal' } });
    expect(failure).toEqual({ kind: 'filter' });
    expect(text).toBe("The provider's safety filter refused to answer. Rephrase the request or choose another model");
  });

  test('a context window that is full before the first token', async () => {
    const { text, failure } = await expectFailure({ answer: { parts: [], stop: 'model_context_window_exceeded' } });
    expect(failure).toEqual({ kind: 'overflow' });
    expect(text).toMatch(/fills the context window of claude-sonnet-4-5/);
  });
});

describe('timeouts', () => {
  test('a server that never responds', async () => {
    fixture.server.reply({ silent: true });
    const nextRequest = fixture.server.next();
    const events = observe(fixture.api.stream(fixture.request()));
    const { closed } = await nextRequest;
    await fixture.clock.advance(IDLE_MS);
    const observed = await events;
    expectGrammar(observed);
    expect(observed.events.at(-1)).toMatchObject({ type: 'error', failure: { kind: 'limit' } });
    expect(observed.message.errorMessage).toBe(
      'The provider sent no content for 60 seconds. The limit is the setting http.idleTimeoutMs (60000).',
    );
    await closed;
  });

  test('a stream that stalls', async () => {
    fixture.server.reply({ answer: TEXT, upTo: 5, after: 'stall' });
    const observed = await observe(fixture.api.stream(fixture.request()), ({ type }, count) => {
      if (type === 'text_delta' && count === 4) setImmediate(() => void fixture.clock.advance(IDLE_MS));
    });
    expectGrammar(observed);
    expect(observed.events.at(-1)).toMatchObject({ type: 'error', failure: { kind: 'limit' } });
    expect(observed.message.content).toEqual([{ type: 'text', text: 'Half an ' }]);
  });

  test('idle time does not count while the host processes events', async () => {
    fixture.server.reply({ answer: TEXT });
    const observed = await observe(fixture.api.stream(fixture.request()), ({ type }) => {
      if (type === 'text_delta') void fixture.clock.advance(2 * IDLE_MS);
    });
    expectGrammar(observed);
    expect(observed.events.at(-1)?.type).toBe('done');
  });

  test('a connection that stays open after the last event', async () => {
    fixture.server.reply({ answer: TEXT, after: 'stall' });
    const observed = await observe(fixture.api.stream(fixture.request()), ({ type }) => {
      if (type === 'text_end') setImmediate(() => void fixture.clock.advance(1000));
    });
    expectGrammar(observed);
    expect(observed.events.at(-1)?.type).toBe('done');
  });

  test('a stream that exceeds the total timeout', async () => {
    const ports = {
      fetch,
      send: createSend(fixture.clock),
      clock: fixture.clock,
      userAgent: 'parley/test',
      idleTimeoutMs: 10 * TOTAL_MS,
      totalTimeoutMs: TOTAL_MS,
    };
    fixture.server.reply({ answer: TEXT, upTo: 5, after: 'stall' });
    const observed = await observe(createAnthropicMessages(ports).stream(fixture.request()), ({ type }, count) => {
      if (type === 'text_delta' && count === 4) void fixture.clock.advance(TOTAL_MS);
    });
    expectGrammar(observed);
    expect(observed.events.at(-1)).toMatchObject({ type: 'error', failure: { kind: 'limit' } });
    expect(observed.message.errorMessage).toBe(
      'The response took longer than 600 seconds. The limit is the setting http.totalTimeoutMs (600000).',
    );
  });
});

test('an abort during the stream closes the connection and keeps the received content', async () => {
  const aborter = new AbortController();
  fixture.server.reply({ answer: TEXT, upTo: 5, after: 'stall' });
  const observed = await observe(fixture.api.stream(fixture.request({ signal: aborter.signal })), ({ type }, count) => {
    if (type === 'text_delta' && count === 4) aborter.abort();
  });
  expectGrammar(observed);
  expect(observed.events.at(-1)).toEqual({ type: 'error', reason: 'aborted', error: observed.message });
  expect(observed.message).toMatchObject({
    errorMessage: 'Request was aborted',
    content: [{ type: 'text', text: 'Half an ' }],
  });
  await fixture.server.received.at(-1)?.closed;
});

test('an abort before the response ends immediately', async () => {
  const aborter = new AbortController();
  fixture.server.reply({ silent: true });
  const nextRequest = fixture.server.next();
  const events = observe(fixture.api.stream(fixture.request({ signal: aborter.signal })));
  const { closed } = await nextRequest;
  aborter.abort();
  expect((await events).message).toMatchObject({ stopReason: 'aborted', content: [] });
  await closed;
});

test('an abort after the whole response was received still aborts', async () => {
  const aborter = new AbortController();
  fixture.server.reply({ answer: TEXT, upTo: 5 });
  const observed = await observe(fixture.api.stream(fixture.request({ signal: aborter.signal })), ({ type }, count) => {
    if (type === 'text_delta' && count === 4) aborter.abort();
  });
  expectGrammar(observed);
  expect(observed.message.stopReason).toBe('aborted');
});
