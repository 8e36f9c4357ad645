import { describe, expect, test } from 'vitest';
import { createSend } from '../../../src/app/system-ports/send.ts';
import { createAnthropicMessages } from '../../../src/llm/apis/anthropic-messages/index.ts';
import type { Failure } from '../../../src/protocol/index.ts';
import { expectGrammar, observe } from '../contract.ts';
import { errorBody, KEY, type Reply } from '../servers/anthropic-messages.ts';
import { frame, framesOf } from '../servers/anthropic-messages-frames.ts';
import { IDLE_MS, stage, TOTAL_MS } from './anthropic-stage.ts';

const at = stage();
const TEXT = { parts: [{ text: ['Half ', 'an ', 'answer'] }] };

async function failing(reply: Reply, other: Parameters<typeof at.request>[0] = {}) {
  at.server.reply(reply);
  const seen = await observe(at.api.stream(at.request(other)));
  expectGrammar(seen);
  expect(JSON.stringify(seen.events)).not.toContain(KEY);
  const last = seen.events.at(-1);
  if (last?.type !== 'error') throw new Error(`The request was answered: ${last?.type}`);
  return { text: seen.message.errorMessage, failure: last.failure, reason: last.reason, content: seen.message.content };
}

const plain = (status: number, type: string, message: string, headers: Record<string, string> = {}): Reply => ({
  plain: { status, headers: { 'content-type': 'application/json', ...headers }, body: errorBody(type, message) },
});

describe('an answer that is no stream', () => {
  test.each<[number, string, string, Failure['kind']]>([
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
    const { text, failure } = await failing(plain(status, type, message));
    expect(failure).toEqual({ kind, status });
    expect(text).toBe(`${status} ${type}: ${message} (request req_011Loopback)`);
  });

  test('says how long to wait', async () => {
    const { failure } = await failing(plain(429, 'rate_limit_error', 'Slow down', { 'retry-after': '7' }));
    expect(failure).toEqual({ kind: 'rate_limit', status: 429, retryAfterMs: 7000 });
  });

  test('a gateway’s page instead of JSON', async () => {
    const page = { status: 502, headers: { 'content-type': 'text/html' }, body: '<h1>Bad gateway</h1>' };
    expect(await failing({ plain: page })).toMatchObject({
      text: '502 <h1>Bad gateway</h1>',
      failure: { kind: 'server' },
    });
  });

  test('something else than a stream', async () => {
    const page = { status: 200, headers: { 'content-type': 'text/html' }, body: '<h1>Sign in</h1>' };
    const { text, failure } = await failing({ plain: page });
    expect(failure).toEqual({ kind: 'malformed' });
    expect(text).toMatch(/answered with text\/html instead of a stream: <h1>Sign in/);
  });

  test('an error that repeats the key', async () => {
    const { text } = await failing(plain(401, 'authentication_error', `invalid key ${KEY}`));
    expect(text).toContain('invalid key [redacted]');
  });

  test('a key that cannot be a header', async () => {
    const { text } = await failing({ lax: true }, { apiKey: `${KEY}\nx` });
    expect(text).toMatch(/header/i);
  });

  test('a request that the provider refuses', async () => {
    const { text, failure } = await failing({ answer: TEXT }, { messages: [] });
    expect(failure).toMatchObject({ kind: 'refused', status: 400 });
    expect(text).toContain('messages: at least one message is required');
  });
});

describe('a stream that breaks', () => {
  const half = framesOf(TEXT).slice(0, 5);
  const PARTIAL = [{ type: 'text', text: 'Half an ' }];

  test.each<[string, Failure]>([
    ['overloaded_error', { kind: 'overloaded', status: 529 }],
    ['rate_limit_error', { kind: 'rate_limit', status: 429 }],
    ['api_error', { kind: 'server', status: 500 }],
    ['timeout_error', { kind: 'timeout', status: 504 }],
    ['authentication_error', { kind: 'auth', status: 401 }],
    ['invalid_request_error', { kind: 'refused', status: 400 }],
    ['brand_new_error', { kind: 'server' }],
  ])('with an %s', async (type, failure) => {
    const error = { type: 'error', error: { type, message: 'Something happened' } };
    const seen = await failing({ frames: [...half, frame(error)] });
    expect(seen).toEqual({
      reason: 'error',
      text: `${failure.status ? `${failure.status} ` : ''}${type}: Something happened`,
      failure,
      content: PARTIAL,
    });
  });

  test('with a key in its error', async () => {
    const { text } = await failing({ frames: [frame({ type: 'error', error: { type: 'api_error', message: KEY } })] });
    expect(text).toContain('[redacted]');
  });

  test.each([
    ['before anything', 0],
    ['after the start', 1],
    ['inside a block', 5],
    ['before its last event', -1],
  ])('by ending early, %s', async (_name, upTo) => {
    const { text, failure } = await failing({ answer: TEXT, upTo });
    expect(failure).toEqual({ kind: 'malformed' });
    expect(text).toBe("The provider's stream ended early, before the answer was complete");
  });

  test('by a reset of the connection', async () => {
    const { text, failure, content } = await failing({ answer: TEXT, upTo: 5, after: 'reset' });
    expect(failure).toEqual({ kind: 'network' });
    expect(text).toMatch(/^Connection error: /);
    expect(content).toEqual(PARTIAL);
  });

  test.each([
    ['no JSON', 'data: {"type":"content_block_del\n\n', '{"type":"content_block_del'],
    ['no object', 'data: 7\n\n', '7'],
    ['no delta', 'data: {"type":"content_block_delta","index":0}\n\n', '{"type":"content_block_delta","index":0}'],
    ['a key', `data: ${KEY}\n\n`, '[redacted]'],
    ['a key on the edge of what is shown', `data: ${'x'.repeat(195)}${KEY}\n\n`, `${'x'.repeat(195)}[reda`],
  ])('by sending what cannot be read: %s', async (_name, bytes, shown) => {
    const { text, failure } = await failing({ frames: [...half, bytes] });
    expect(failure).toEqual({ kind: 'malformed' });
    expect(text).toBe(`The provider sent an unreadable event: ${shown}`);
  });

  test('by arguments that are no JSON', async () => {
    const parts = [{ call: 'toolu_1', name: 'bash', input: '{"command":' }];
    const { text, failure } = await failing({ answer: { parts } });
    expect(failure).toEqual({ kind: 'malformed' });
    expect(text).toContain('unreadable arguments for the tool bash');
  });

  test('by arguments that are no JSON, with another call behind them', async () => {
    const parts = [
      { call: 'toolu_1', name: 'bash', input: '{"a":1,' },
      { call: 'toolu_2', name: 'read', input: {} },
    ];
    expect((await failing({ answer: { parts } })).failure).toEqual({ kind: 'malformed' });
  });
});

describe('an end that is no answer', () => {
  test('a refusal says what to do', async () => {
    const stopDetails = { type: 'refusal', category: 'cyber', explanation: 'This looks like malware.' };
    const seen = await failing({ answer: { ...TEXT, stop: 'refusal', stopDetails } });
    expect(seen).toMatchObject({ reason: 'error', failure: { kind: 'filter' }, content: [{ text: 'Half an answer' }] });
    expect(seen.text).toBe(
      "The provider's safety filter refused to answer (cyber): This looks like malware. Rephrase the request or choose another model",
    );
  });

  test('a refusal without words, in the middle of a call', async () => {
    const parts = [{ call: 'toolu_1', name: 'bash', input: '{"command":' }];
    const { text, failure } = await failing({ answer: { parts, stop: 'refusal' } });
    expect(failure).toEqual({ kind: 'filter' });
    expect(text).toBe("The provider's safety filter refused to answer. Rephrase the request or choose another model");
  });

  test('a window that was full before the first word', async () => {
    const { text, failure } = await failing({ answer: { parts: [], stop: 'model_context_window_exceeded' } });
    expect(failure).toEqual({ kind: 'overflow' });
    expect(text).toMatch(/fills the context window of claude-sonnet-4-5/);
  });
});

describe('patience', () => {
  test('a server that never answers', async () => {
    at.server.reply({ silent: true });
    const coming = at.server.next();
    const events = observe(at.api.stream(at.request()));
    const { closed } = await coming;
    await at.clock.advance(IDLE_MS);
    const seen = await events;
    expectGrammar(seen);
    expect(seen.events.at(-1)).toMatchObject({ type: 'error', failure: { kind: 'limit' } });
    expect(seen.message.errorMessage).toBe(
      'The provider sent no content for 60 seconds. The limit is the setting http.idleTimeoutMs (60000).',
    );
    await closed;
  });

  test('a stream that stalls', async () => {
    at.server.reply({ answer: TEXT, upTo: 5, after: 'stall' });
    const seen = await observe(at.api.stream(at.request()), ({ type }, count) => {
      if (type === 'text_delta' && count === 4) setImmediate(() => void at.clock.advance(IDLE_MS));
    });
    expectGrammar(seen);
    expect(seen.events.at(-1)).toMatchObject({ type: 'error', failure: { kind: 'limit' } });
    expect(seen.message.content).toEqual([{ type: 'text', text: 'Half an ' }]);
  });

  test('a host that is slow to read is no fault of the provider', async () => {
    at.server.reply({ answer: TEXT });
    const seen = await observe(at.api.stream(at.request()), ({ type }) => {
      if (type === 'text_delta') void at.clock.advance(2 * IDLE_MS);
    });
    expectGrammar(seen);
    expect(seen.events.at(-1)?.type).toBe('done');
  });

  test('a connection that stays open after the last word', async () => {
    at.server.reply({ answer: TEXT, after: 'stall' });
    const seen = await observe(at.api.stream(at.request()), ({ type }) => {
      if (type === 'text_end') setImmediate(() => void at.clock.advance(1000));
    });
    expectGrammar(seen);
    expect(seen.events.at(-1)?.type).toBe('done');
  });

  test('a stream that takes for ever', async () => {
    const ports = {
      fetch,
      send: createSend(at.clock),
      clock: at.clock,
      userAgent: 'parley/test',
      idleTimeoutMs: 10 * TOTAL_MS,
      totalTimeoutMs: TOTAL_MS,
    };
    at.server.reply({ answer: TEXT, upTo: 5, after: 'stall' });
    const seen = await observe(createAnthropicMessages(ports).stream(at.request()), ({ type }, count) => {
      if (type === 'text_delta' && count === 4) void at.clock.advance(TOTAL_MS);
    });
    expectGrammar(seen);
    expect(seen.events.at(-1)).toMatchObject({ type: 'error', failure: { kind: 'limit' } });
    expect(seen.message.errorMessage).toBe(
      'The answer took longer than 600 seconds. The limit is the setting http.totalTimeoutMs (600000).',
    );
  });
});

test('an abort in the middle closes the connection and keeps what came', async () => {
  const aborter = new AbortController();
  at.server.reply({ answer: TEXT, upTo: 5, after: 'stall' });
  const seen = await observe(at.api.stream(at.request({ signal: aborter.signal })), ({ type }, count) => {
    if (type === 'text_delta' && count === 4) aborter.abort();
  });
  expectGrammar(seen);
  expect(seen.events.at(-1)).toEqual({ type: 'error', reason: 'aborted', error: seen.message });
  expect(seen.message).toMatchObject({
    errorMessage: 'Request was aborted',
    content: [{ type: 'text', text: 'Half an ' }],
  });
  await at.server.received.at(-1)?.closed;
});

test('an abort while the server is silent ends at once', async () => {
  const aborter = new AbortController();
  at.server.reply({ silent: true });
  const coming = at.server.next();
  const events = observe(at.api.stream(at.request({ signal: aborter.signal })));
  const { closed } = await coming;
  aborter.abort();
  expect((await events).message).toMatchObject({ stopReason: 'aborted', content: [] });
  await closed;
});

test('an abort when everything has come is still one', async () => {
  const aborter = new AbortController();
  at.server.reply({ answer: TEXT, upTo: 5 });
  const seen = await observe(at.api.stream(at.request({ signal: aborter.signal })), ({ type }, count) => {
    if (type === 'text_delta' && count === 4) aborter.abort();
  });
  expectGrammar(seen);
  expect(seen.message.stopReason).toBe('aborted');
});
