// Every way in which a provider of the Responses format gives no answer ends in one event that says why, without the key.
import { describe, expect, test } from 'vitest';
import type { Failure } from '../../../src/protocol/index.ts';
import { expectGrammar, observe } from '../contract.ts';
import { KEY, type Reply } from '../servers/openai-responses.ts';
import { frame, framesOf } from '../servers/openai-responses-frames.ts';
import { errorBody } from '../servers/openai-responses-refusal.ts';
import { IDLE_MS, stage } from './openai-responses-stage.ts';

const at = stage();

async function failing(reply: Reply, other: Parameters<typeof at.request>[0] = {}) {
  at.server.reply(reply);
  const seen = await observe(at.api.stream(at.request(other)));
  expectGrammar(seen);
  expect(JSON.stringify(seen.events)).not.toContain(KEY);
  const last = seen.events.at(-1)!;
  if (last.type !== 'error') throw new Error(`Expected an error, got ${last.type}`);
  return { failure: last.failure, text: seen.message.errorMessage ?? '', content: seen.message.content };
}

function plain(status: number, body: string, headers: Record<string, string> = {}): Reply {
  return { plain: { status, body, headers: { 'content-type': 'application/json', ...headers } } };
}

describe('before the stream', () => {
  const quota = errorBody(
    'You exceeded your current quota, please check your plan and billing details.',
    'insufficient_quota',
    'insufficient_quota',
  );
  const cases: [string, Reply, Failure, RegExp][] = [
    [
      'too many requests',
      plain(429, errorBody('Rate limit reached for gpt-5', 'rate_limit_exceeded', 'tokens'), { 'retry-after': '7' }),
      { kind: 'rate_limit', status: 429, retryAfterMs: 7000 },
      /^429 .*Rate limit reached for gpt-5/s,
    ],
    [
      'a used-up quota',
      plain(429, quota, { 'retry-after': '7' }),
      { kind: 'quota', status: 429, retryAfterMs: 7000 },
      /quota/,
    ],
    [
      'a country that is not served',
      plain(403, errorBody('Country, region, or territory not supported', 'unsupported_country_region_territory')),
      { kind: 'auth', status: 403 },
      /^403 .*not supported/s,
    ],
    [
      'too long a conversation',
      plain(
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
      plain(500, errorBody('The server had an error while processing your request.', null, 'server_error')),
      { kind: 'server', status: 500 },
      /^500 .*had an error/s,
    ],
    [
      'a bad gateway',
      plain(502, '<html>Bad gateway</html>', { 'content-type': 'text/html' }),
      { kind: 'server', status: 502 },
      /^502/,
    ],
    ['an overloaded server', plain(503, ''), { kind: 'overloaded', status: 503 }, /^503 the provider is overloaded$/],
    [
      'a flagged prompt',
      plain(400, errorBody('Invalid prompt: limited access to this content for safety reasons.', 'invalid_prompt')),
      { kind: 'filter', status: 400 },
      /^400 .*safety reasons/s,
    ],
  ];
  test.each(cases)('%s', async (_name, reply, failure, text) => {
    const failed = await failing(reply);
    expect(failed).toMatchObject({ failure, content: [] });
    expect(failed.text).toMatch(text);
  });

  test('a wrong key, which the provider repeats', async () => {
    const apiKey = 'sk-proj-of-somebody-else';
    const failed = await failing({}, { apiKey });
    expect(failed.failure).toEqual({ kind: 'auth', status: 401 });
    expect(failed.text).toContain('Incorrect API key provided: [redacted]');
    expect(failed.text).not.toContain(apiKey);
  });

  test('no key at all', async () => {
    expect(await failing({}, { apiKey: undefined })).toMatchObject({ failure: { kind: 'auth', status: 401 } });
  });

  test('an unknown model', async () => {
    const failed = await failing({}, { model: at.model('gpt-0') });
    expect(failed).toMatchObject({ failure: { kind: 'refused', status: 400 } });
    expect(failed.text).toContain("The requested model 'gpt-0' does not exist.");
  });

  test('something else than a stream', async () => {
    const failed = await failing(plain(200, '{"object":"response"}'));
    expect(failed.failure).toEqual({ kind: 'malformed' });
    expect(failed.text).toMatch(/answered with application\/json instead of a stream: \{"object"/);
  });

  test('nobody there', async () => {
    const model = at.model('gpt-5', { baseUrl: 'http://127.0.0.1:1/v1' });
    const { events } = await observe(at.api.stream(at.request({ model })));
    expect(events.at(-1)).toMatchObject({ failure: { kind: 'network' } });
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
  const words = framesOf({ parts: [{ text: ['One', ' two'] }] });
  // created, in_progress, added, part, "One"
  const begun = words.slice(0, 5);
  const error = (facts: Record<string, unknown>): Reply => ({ frames: [...begun, frame({ type: 'error', ...facts })] });
  const failed = (code: string, message: string): Reply => ({
    frames: [...begun, framesOf({ parts: [], failed: { code, message } }).at(-1)!],
  });

  const cases: [string, Reply, Failure, string][] = [
    [
      'the server breaks down',
      failed('server_error', 'An error occurred while processing your request.'),
      { kind: 'server' },
      'server_error: An error occurred while processing your request.',
    ],
    [
      'too many tokens in a minute, with the wait in words',
      failed(
        'rate_limit_exceeded',
        'Rate limit reached for gpt-5 on tokens per min (TPM). Please try again in 1.898s.',
      ),
      { kind: 'rate_limit', retryAfterMs: 1898 },
      'rate_limit_exceeded: Rate limit reached for gpt-5 on tokens per min (TPM). Please try again in 1.898s.',
    ],
    [
      'a wait of milliseconds',
      failed('rate_limit_exceeded', 'Please try again in 28ms.'),
      { kind: 'rate_limit', retryAfterMs: 28 },
      'rate_limit_exceeded: Please try again in 28ms.',
    ],
    [
      'a wait of minutes',
      failed('rate_limit_exceeded', 'Please try again in 6m0s.'),
      { kind: 'rate_limit', retryAfterMs: 360_000 },
      'rate_limit_exceeded: Please try again in 6m0s.',
    ],
    [
      'a conversation that turns out too long',
      failed('context_length_exceeded', 'Your input exceeds the context window of this model.'),
      { kind: 'overflow' },
      'context_length_exceeded: Your input exceeds the context window of this model.',
    ],
    [
      'a flagged prompt',
      failed('invalid_prompt', 'Your prompt was flagged as potentially violating our usage policy.'),
      { kind: 'filter' },
      'invalid_prompt: Your prompt was flagged as potentially violating our usage policy.',
    ],
    [
      'an image that is none: asking again would not help',
      failed('invalid_image', 'The image data you provided does not represent a valid image.'),
      { kind: 'refused' },
      'invalid_image: The image data you provided does not represent a valid image.',
    ],
    [
      'an error event, flat as documented',
      error({ code: 'server_is_overloaded', message: 'Our servers are currently overloaded.', param: null }),
      { kind: 'overloaded' },
      'server_is_overloaded: Our servers are currently overloaded.',
    ],
    [
      'an error event, nested as sent',
      error({ error: { type: 'insufficient_quota', code: 'insufficient_quota', message: 'Quota is used up.' } }),
      { kind: 'quota' },
      'insufficient_quota: Quota is used up.',
    ],
    [
      'an error without a code',
      error({ error: { type: 'invalid_request_error', code: null, message: `No: ${KEY}` } }),
      { kind: 'refused' },
      'invalid_request_error: No: [redacted]',
    ],
    [
      'an error that gateways send bare',
      { frames: [...begun, 'data: {"error":{"message":"upstream"}}\n\n'] },
      { kind: 'server' },
      'error: upstream',
    ],
    ['a failure without reasons', error({}), { kind: 'server' }, 'error: The provider gave no reason'],
    [
      'an event that is no JSON',
      { frames: [...begun, 'event: response.output_text.delta\ndata: {"type":"response.outp\n\n'] },
      { kind: 'malformed' },
      'The provider sent an unreadable event: {"type":"response.outp',
    ],
    [
      'an event that is no object',
      { frames: [...begun, 'data: 7\n\n'] },
      { kind: 'malformed' },
      'The provider sent an unreadable event: 7',
    ],
    [
      'an item event without its item',
      { frames: [...begun, frame({ type: 'response.output_item.done', output_index: 0 })] },
      { kind: 'malformed' },
      'The provider sent an unreadable event: {"type":"response.output_item.done","sequence_number":0,"output_index":0}',
    ],
    [
      'an end without an ending',
      { frames: words.slice(0, -1) },
      { kind: 'malformed' },
      "The provider's stream ended early, before the answer was complete",
    ],
  ];
  test.each(cases)('%s', async (_name, reply, failure, text) => {
    const { content, ...said } = await failing(reply);
    expect(said).toEqual({ failure, text });
    expect(content).toMatchObject([{ type: 'text', text: expect.stringMatching(/^One/) }]);
  });

  test('the content filter', async () => {
    const reply = { answer: { parts: [{ text: 'Once' }], incomplete: 'content_filter' as const } };
    const { content, ...said } = await failing(reply);
    expect(said).toEqual({
      failure: { kind: 'filter' },
      text: "The provider's content filter stopped the answer. Rephrase the request or choose another model",
    });
    expect(content).toMatchObject([{ text: 'Once' }]);
  });

  test('arguments that are no JSON are not run', async () => {
    const parts = [{ call: 'call_1', name: 'bash', input: '{"command":' }];
    const { failure, text } = await failing({ answer: { parts } });
    expect(failure).toEqual({ kind: 'malformed' });
    expect(text).toMatch(/^The model sent unreadable arguments for the tool bash: /);
  });

  test('a call without a name', async () => {
    const item = { type: 'function_call', id: 'fc_1', call_id: 'call_1', arguments: '' };
    const frames = [...begun.slice(0, 2), frame({ type: 'response.output_item.added', output_index: 0, item })];
    expect(await failing({ frames })).toMatchObject({ failure: { kind: 'malformed' }, content: [] });
  });

  test('a connection that is reset keeps what came', async () => {
    const { failure, text, content } = await failing({ frames: words, upTo: 5, after: 'reset' });
    expect(failure).toEqual({ kind: 'network' });
    expect(text).toMatch(/^Connection error: /);
    expect(content).toEqual([{ type: 'text', text: 'One' }]);
  });

  test('a stream that stalls', async () => {
    at.server.reply({ frames: words, upTo: 5, after: 'stall' });
    const stalled = observe(at.api.stream(at.request()), ({ type }) => {
      if (type === 'text_delta') setImmediate(() => void at.clock.advance(IDLE_MS));
    });
    expect((await stalled).events.at(-1)).toMatchObject({ failure: { kind: 'limit' } });
  });

  test('an abort closes the connection', async () => {
    const aborter = new AbortController();
    at.server.reply({ frames: words, upTo: 5, after: 'stall' });
    const seen = await observe(at.api.stream(at.request({ signal: aborter.signal })), ({ type }) => {
      if (type === 'text_delta') aborter.abort();
    });
    await at.server.received.at(-1)?.closed;
    expect(seen.events.at(-1)).toMatchObject({ type: 'error', reason: 'aborted' });
    expect(seen.message).toMatchObject({ content: [{ type: 'text', text: 'One' }], stopReason: 'aborted' });
  });
});
