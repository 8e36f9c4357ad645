// Everything that goes wrong with a Chat Completions host ends in words that a person can act on, and never in a key.
import { describe, expect, test } from 'vitest';
import type { Failure } from '../../../src/protocol/index.ts';
import { expectGrammar, type Observation, observe } from '../contract.ts';
import { KEY, type Reply } from '../servers/openai-completions.ts';
import { chunk, DONE, frame } from '../servers/openai-completions-frames.ts';
import { IDLE_MS, stage, TOTAL_MS } from './openai-completions-stage.ts';

const loop = stage();

function error(status: number, message: string, other: Record<string, unknown> = {}, headers = {}): Reply {
  const body = JSON.stringify({ error: { message, type: 'invalid_request_error', param: null, code: null, ...other } });
  return { plain: { status, headers: { 'content-type': 'application/json', ...headers }, body } };
}

function inStream(value: unknown, event?: string): Reply {
  const told = `${event ? `event: ${event}\n` : ''}${frame(value)}`;
  return { frames: [chunk({ content: 'Half an ' }), chunk({ content: 'answer' }), told, DONE] };
}

async function fails(reply: Reply): Promise<Observation & { failure: Failure | undefined }> {
  loop.server.reply(reply);
  const seen = await loop.ask();
  expectGrammar(seen);
  const last = seen.events.at(-1);
  expect(JSON.stringify(seen.events)).not.toContain(KEY);
  return { ...seen, failure: last?.type === 'error' ? last.failure : undefined };
}

describe('before the answer', () => {
  const overflow =
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 130001 tokens.";
  const slow = { 'retry-after': '7' };
  test.each<[string, Reply, Failure, string]>([
    [
      'a wrong key',
      error(401, `Incorrect API key provided: ${KEY}.`, { code: 'invalid_api_key' }),
      { kind: 'auth', status: 401 },
      'Incorrect API key provided: [redacted]',
    ],
    [
      'no right',
      error(403, 'Country, region, or territory not supported'),
      { kind: 'auth', status: 403 },
      'not supported',
    ],
    [
      'too many requests',
      error(429, 'Rate limit reached for loop-1', { code: 'rate_limit_exceeded' }, slow),
      { kind: 'rate_limit', status: 429, retryAfterMs: 7000 },
      'Rate limit reached',
    ],
    [
      'no money',
      error(429, 'You exceeded your current quota', { code: 'insufficient_quota' }),
      { kind: 'quota', status: 429 },
      'quota',
    ],
    ['no credits', error(402, 'This request requires more credits'), { kind: 'quota', status: 402 }, 'more credits'],
    [
      'too long',
      error(400, overflow, { code: 'context_length_exceeded' }),
      { kind: 'overflow', status: 400 },
      'maximum context length',
    ],
    [
      'something wrong',
      error(400, 'Unrecognized request argument supplied: x'),
      { kind: 'refused', status: 400 },
      'Unrecognized',
    ],
    [
      'a filter',
      error(400, 'The response was filtered', { code: 'content_filter' }),
      { kind: 'filter', status: 400 },
      'filtered',
    ],
    [
      'no such model',
      error(404, 'The model `loop-1` does not exist'),
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
      error(503, 'The engine is currently overloaded', {}, slow),
      { kind: 'overloaded', status: 503, retryAfterMs: 7000 },
      'overloaded',
    ],
  ])('%s', async (_, reply, failure, words) => {
    const seen = await fails(reply);
    expect(seen.failure).toEqual(failure);
    expect(seen.message.errorMessage).toContain(words);
    expect(seen.message.content).toEqual([]);
  });

  test('an answer that is no stream', async () => {
    const plain = { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>Welcome</html>' };
    const seen = await fails({ plain });
    expect(seen.failure).toEqual({ kind: 'malformed' });
    expect(seen.message.errorMessage).toContain('text/html instead of a stream: <html>Welcome</html>');
  });

  test('a server that never answers', async () => {
    loop.server.reply({ silent: true });
    const arrived = loop.server.next();
    const asked = loop.ask();
    const got = await arrived;
    await loop.clock.advance(IDLE_MS);
    const seen = await asked;
    expectGrammar(seen);
    expect(seen.events.at(-1)).toMatchObject({ type: 'error', failure: { kind: 'limit' } });
    expect(seen.message.errorMessage).toBe(
      'The provider sent no content for 60 seconds. The limit is the setting http.idleTimeoutMs (60000).',
    );
    await got.closed;
  });

  test('nobody there', async () => {
    const model = loop.model('openai', { baseUrl: 'http://127.0.0.1:9/v1' });
    const seen = await loop.ask({ model });
    expectGrammar(seen);
    expect(seen.events.at(-1)).toMatchObject({ failure: { kind: 'network' } });
    expect(seen.message.errorMessage).toContain('Connection error');
  });

  test('an address that is none', async () => {
    const seen = await loop.ask({ model: loop.model('openai', { baseUrl: 'nowhere' }) });
    expectGrammar(seen);
    expect(seen.events.at(-1)).toMatchObject({ type: 'error', reason: 'error' });
  });
});

describe('in the middle of the answer', () => {
  const server = { message: 'The server had an error', type: 'server_error', code: null };
  const gateway = { code: 502, message: 'Provider returned error', metadata: { provider_name: 'X', raw: KEY } };
  test.each<[string, Reply, Failure['kind'], string]>([
    ['an error', inStream({ error: server }), 'server', 'The server had an error'],
    [
      'an error under its own name',
      inStream({ message: 'Overloaded', type: 'overloaded' }, 'error'),
      'overloaded',
      'Overloaded',
    ],
    [
      'an error of a gateway',
      inStream({ id: 'gen-1', error: gateway, choices: [{ delta: {}, finish_reason: 'error' }] }),
      'server',
      '502',
    ],
    [
      'an error in a choice',
      inStream({ choices: [{ delta: {}, error: { code: 429, message: 'Slow down' } }] }),
      'rate_limit',
      'Slow down',
    ],
    [
      'an error of Groq',
      inStream({ error: { message: 'Failed to call a function', code: 'tool_use_failed', status_code: 400 } }),
      'refused',
      'Failed to call',
    ],
    [
      'an error of Mistral',
      inStream({ object: 'error', message: 'Service tier capacity exceeded', type: 'capacity' }),
      'overloaded',
      'capacity exceeded',
    ],
    [
      'an error of MiniMax',
      inStream({ base_resp: { status_code: 1008, status_msg: 'insufficient balance' } }),
      'quota',
      'insufficient balance',
    ],
    ['an error that is a word', inStream({ error: 'context length exceeded' }), 'overflow', 'context length exceeded'],
    [
      'a filter',
      { answer: { text: ['Half an ', 'answer'], finish: 'content_filter' } },
      'filter',
      'content filter stopped',
    ],
    ['nonsense', inStream('{"choices":[{"delta"'), 'malformed', 'unreadable chunk: {"choices":[{"delta"'],
    ['something that is no object', inStream('[1]'), 'malformed', 'unreadable chunk: [1]'],
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
  ])('%s', async (_, reply, kind, words) => {
    const seen = await fails(reply);
    expect(seen.failure).toMatchObject({ kind });
    expect(seen.message.errorMessage).toContain(words);
    expect(JSON.stringify(seen.message.content)).toMatch(/Half an |\[\]/);
  });

  test('a stall, and what came before it is kept', async () => {
    loop.server.reply({ answer: { text: ['Half', ' more'] }, upTo: 2, after: 'stall' });
    const seen = await observe(loop.api.stream(loop.request()), ({ type }) => {
      if (type === 'text_delta') setImmediate(() => void loop.clock.advance(IDLE_MS));
    });
    expectGrammar(seen);
    expect(seen.message).toMatchObject({
      content: [{ text: 'Half' }],
      errorMessage: 'The provider sent no content for 60 seconds. The limit is the setting http.idleTimeoutMs (60000).',
    });
  });

  test('an answer without end', async () => {
    loop.server.reply({ answer: { text: ['Half', ' more'] }, upTo: 2, after: 'stall' });
    const seen = await observe(loop.api.stream(loop.request()), ({ type }) => {
      if (type === 'text_delta') void loop.clock.advance(TOTAL_MS);
    });
    expect(seen.events.at(-1)).toMatchObject({ type: 'error', failure: { kind: 'limit' } });
  });
});

test('a compat setting that is wrong says so instead of asking', async () => {
  const asked = loop.server.received.length;
  const seen = await loop.ask({ compat: { thinkTags: 'yes' } });
  expectGrammar(seen);
  expect(seen.message.errorMessage).toContain('compat.thinkTags in models.json is wrong');
  expect(loop.server.received).toHaveLength(asked);
});
