// Chat Completions failures end with a clear error message without a key.
import { describe, expect, test } from 'vitest';
import type { ProviderFailure } from '../../../src/protocol/index.ts';
import { expectGrammar, type Observation, observe } from '../contract.ts';
import { KEY, type Reply } from '../servers/openai-completions.ts';
import { chunk, DONE, frame } from '../servers/openai-completions-frames.ts';
import { IDLE_MS, TOTAL_MS } from './api-fixture.ts';
import { createApiFixture } from './openai-completions-fixture.ts';

const fixture = createApiFixture();

function createErrorReply(status: number, message: string, fields: Record<string, unknown> = {}, headers = {}): Reply {
  const body = JSON.stringify({
    error: { message, type: 'invalid_request_error', param: null, code: null, ...fields },
  });
  return { plain: { status, headers: { 'content-type': 'application/json', ...headers }, body } };
}

function createStreamErrorReply(value: unknown, event?: string): Reply {
  const errorFrame = `${event ? `event: ${event}\n` : ''}${frame(value)}`;
  return { frames: [chunk({ content: 'Half an ' }), chunk({ content: 'answer' }), errorFrame, DONE] };
}

async function expectFailure(reply: Reply): Promise<Observation & { failure: ProviderFailure | undefined }> {
  fixture.server.reply(reply);
  const observed = await fixture.observe();
  expectGrammar(observed);
  const last = observed.events.at(-1);
  expect(JSON.stringify(observed.events)).not.toContain(KEY);
  return { ...observed, failure: last?.type === 'error' ? last.failure : undefined };
}

describe('before the stream', () => {
  const overflow =
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 130001 tokens.";
  const retryAfter = { 'retry-after': '7' };
  test.each<[string, Reply, ProviderFailure, string]>([
    [
      'a wrong key',
      createErrorReply(401, `Incorrect API key provided: ${KEY}.`, { code: 'invalid_api_key' }),
      { kind: 'auth', status: 401 },
      'Incorrect API key provided: [redacted]',
    ],
    [
      'no permission',
      createErrorReply(403, 'Country, region, or territory not supported'),
      { kind: 'auth', status: 403 },
      'not supported',
    ],
    [
      'too many requests',
      createErrorReply(429, 'Rate limit reached for loop-1', { code: 'rate_limit_exceeded' }, retryAfter),
      { kind: 'rate_limit', status: 429, retryAfterMs: 7000 },
      'Rate limit reached',
    ],
    [
      'an exceeded quota',
      createErrorReply(429, 'You exceeded your current quota', { code: 'insufficient_quota' }),
      { kind: 'quota', status: 429 },
      'quota',
    ],
    [
      'no credits',
      createErrorReply(402, 'This request requires more credits'),
      { kind: 'quota', status: 402 },
      'more credits',
    ],
    [
      'a conversation that is too long',
      createErrorReply(400, overflow, { code: 'context_length_exceeded' }),
      { kind: 'overflow', status: 400 },
      'maximum context length',
    ],
    [
      'an invalid request',
      createErrorReply(400, 'Unrecognized request argument supplied: x'),
      { kind: 'refused', status: 400 },
      'Unrecognized',
    ],
    [
      'a filter',
      createErrorReply(400, 'The response was filtered', { code: 'content_filter' }),
      { kind: 'filter', status: 400 },
      'filtered',
    ],
    [
      'no such model',
      createErrorReply(404, 'The model `loop-1` does not exist'),
      { kind: 'refused', status: 404 },
      'does not exist',
    ],
    ['a broken server', { plain: { status: 500, body: '' } }, { kind: 'server', status: 500 }, '500'],
    [
      'a broken gateway',
      { plain: { status: 502, body: '<html>Bad gateway</html>' } },
      { kind: 'server', status: 502 },
      'Bad gateway',
    ],
    [
      'overload',
      createErrorReply(503, 'The engine is currently overloaded', {}, retryAfter),
      { kind: 'overloaded', status: 503, retryAfterMs: 7000 },
      'overloaded',
    ],
  ])('%s', async (_, reply, failure, expectedText) => {
    const observed = await expectFailure(reply);
    expect(observed.failure).toEqual(failure);
    expect(observed.message.errorMessage).toContain(expectedText);
    expect(observed.message.content).toEqual([]);
  });

  test('a response that is not a stream', async () => {
    const plain = { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>Welcome</html>' };
    const observed = await expectFailure({ plain });
    expect(observed.failure).toEqual({ kind: 'malformed' });
    expect(observed.message.errorMessage).toContain('text/html instead of a stream: <html>Welcome</html>');
  });

  test('a server that never responds', async () => {
    fixture.server.reply({ silent: true });
    const nextRequest = fixture.server.next();
    const reply = fixture.observe();
    const request = await nextRequest;
    await fixture.clock.advance(IDLE_MS);
    const observed = await reply;
    expectGrammar(observed);
    expect(observed.events.at(-1)).toMatchObject({ type: 'error', failure: { kind: 'limit' } });
    expect(observed.message.errorMessage).toBe(
      'The provider sent no content for 60 seconds. The limit is the setting http.idleTimeoutMs (60000).',
    );
    await request.closed;
  });

  test('connection refused', async () => {
    const model = fixture.model('openai', { baseUrl: 'http://127.0.0.1:9/v1' });
    const observed = await fixture.observe({ model });
    expectGrammar(observed);
    expect(observed.events.at(-1)).toMatchObject({ failure: { kind: 'network' } });
    expect(observed.message.errorMessage).toContain('Connection error');
  });

  test('an invalid base URL', async () => {
    const observed = await fixture.observe({ model: fixture.model('openai', { baseUrl: 'nowhere' }) });
    expectGrammar(observed);
    expect(observed.events.at(-1)).toMatchObject({ type: 'error', reason: 'error' });
  });
});

describe('inside the stream', () => {
  const server = { message: 'The server had an error', type: 'server_error', code: null };
  const gateway = { code: 502, message: 'Provider returned error', metadata: { provider_name: 'X', raw: KEY } };
  test.each<[string, Reply, ProviderFailure['kind'], string]>([
    ['an error', createStreamErrorReply({ error: server }), 'server', 'The server had an error'],
    [
      'an error event',
      createStreamErrorReply({ message: 'Overloaded', type: 'overloaded' }, 'error'),
      'overloaded',
      'Overloaded',
    ],
    [
      'a gateway error',
      createStreamErrorReply({ id: 'gen-1', error: gateway, choices: [{ delta: {}, finish_reason: 'error' }] }),
      'server',
      '502',
    ],
    [
      'an error in a choice',
      createStreamErrorReply({ choices: [{ delta: {}, error: { code: 429, message: 'Slow down' } }] }),
      'rate_limit',
      'Slow down',
    ],
    [
      'a Groq error',
      createStreamErrorReply({
        error: { message: 'Failed to call a function', code: 'tool_use_failed', status_code: 400 },
      }),
      'refused',
      'Failed to call',
    ],
    [
      'a Mistral error',
      createStreamErrorReply({ object: 'error', message: 'Service tier capacity exceeded', type: 'capacity' }),
      'overloaded',
      'capacity exceeded',
    ],
    [
      'a MiniMax error',
      createStreamErrorReply({ base_resp: { status_code: 1008, status_msg: 'insufficient balance' } }),
      'quota',
      'insufficient balance',
    ],
    [
      'an error that is a string',
      createStreamErrorReply({ error: 'context length exceeded' }),
      'overflow',
      'context length exceeded',
    ],
    [
      'a filter',
      { answer: { text: ['Half an ', 'answer'], finish: 'content_filter' } },
      'filter',
      'content filter stopped',
    ],
    [
      'invalid JSON',
      createStreamErrorReply('{"choices":[{"delta"'),
      'malformed',
      'unreadable chunk: {"choices":[{"delta"',
    ],
    ['a value that is not an object', createStreamErrorReply('[1]'), 'malformed', 'unreadable chunk: [1]'],
    [
      'the end of the connection',
      { answer: { text: ['Half an ', 'answer', ' more'] }, upTo: 3 },
      'malformed',
      'ended early',
    ],
    [
      'a reset',
      { answer: { text: ['Half an ', 'answer', ' more'] }, upTo: 3, after: 'reset' },
      'network',
      'Connection error',
    ],
  ])('%s', async (_, reply, kind, expectedText) => {
    const observed = await expectFailure(reply);
    expect(observed.failure).toMatchObject({ kind });
    expect(observed.message.errorMessage).toContain(expectedText);
    expect(JSON.stringify(observed.message.content)).toMatch(/Half an |\[\]/);
  });

  test('a stall keeps the received content', async () => {
    fixture.server.reply({ answer: { text: ['Half', ' more'] }, upTo: 2, after: 'stall' });
    const observed = await observe(fixture.api.stream(fixture.request()), ({ type }) => {
      if (type === 'text_delta') setImmediate(() => void fixture.clock.advance(IDLE_MS));
    });
    expectGrammar(observed);
    expect(observed.message).toMatchObject({
      content: [{ text: 'Half' }],
      errorMessage: 'The provider sent no content for 60 seconds. The limit is the setting http.idleTimeoutMs (60000).',
    });
  });

  test('a response that exceeds the total timeout', async () => {
    fixture.server.reply({ answer: { text: ['Half', ' more'] }, upTo: 2, after: 'stall' });
    const observed = await observe(fixture.api.stream(fixture.request()), ({ type }) => {
      if (type === 'text_delta') void fixture.clock.advance(TOTAL_MS);
    });
    expect(observed.events.at(-1)).toMatchObject({ type: 'error', failure: { kind: 'limit' } });
  });
});

test('an invalid compat setting is reported without sending a request', async () => {
  const requestCount = fixture.server.received.length;
  const observed = await fixture.observe({ compat: { thinkTags: 'yes' } });
  expectGrammar(observed);
  expect(observed.message.errorMessage).toContain('compat.thinkTags in models.json is invalid');
  expect(fixture.server.received).toHaveLength(requestCount);
});
