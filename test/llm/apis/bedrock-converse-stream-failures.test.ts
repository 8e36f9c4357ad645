// Every way in which Bedrock gives no answer ends in one event that says why, without a key; and every way in.
import { describe, expect, test } from 'vitest';
import { createBedrockConverseStream } from '../../../src/llm/apis/ai-sdk/bedrock-converse-stream.ts';
import { apiLoaders } from '../../../src/llm/index.ts';
import type { Failure } from '../../../src/protocol/index.ts';
import { createFakeClock } from '../../../src/testing/fake-clock.ts';
import { expectGrammar, observe } from '../contract.ts';
import { startBedrock } from '../servers/bedrock.ts';
import { ACCESS_KEY, BEARER, SECRET_KEY, SESSION_TOKEN } from '../servers/bedrock-door.ts';
import { type BedrockAnswer, bedrockFrames, event, exception } from '../servers/bedrock-frames.ts';
import { eventMessage } from '../servers/event-stream.ts';
import type { Reply } from '../servers/loopback.ts';
import { fetchOf, IDLE_MS, portsWith, stage } from './ai-sdk-stage.ts';

const SONNET = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0';
const at = stage<BedrockAnswer>({
  start: startBedrock,
  create: (ports) => createBedrockConverseStream(ports, {}),
  model: { id: SONNET, api: 'bedrock-converse-stream', provider: 'amazon-bedrock' },
  apiKey: BEARER,
});

async function failing(reply: Reply<BedrockAnswer>, other: Parameters<typeof at.request>[0] = {}, api = at.api) {
  at.server.reply(reply);
  const seen = await observe(api.stream(at.request(other)));
  expectGrammar(seen);
  expect(JSON.stringify(seen.events)).not.toMatch(new RegExp(`${BEARER}|${SESSION_TOKEN}|loopback/secret`));
  const last = seen.events.at(-1)!;
  if (last.type !== 'error') throw new Error(`Expected an error, got ${last.type}`);
  return { failure: last.failure, text: seen.message.errorMessage ?? '', content: seen.message.content };
}

function plain(status: number, type: string, message: string): Reply<BedrockAnswer> {
  return { plain: { status, body: JSON.stringify({ message }), headers: { 'x-amzn-errortype': type } } };
}

describe('before the stream', () => {
  const cases: [string, Reply<BedrockAnswer>, Failure, RegExp][] = [
    [
      'too many requests',
      plain(429, 'ThrottlingException', 'Too many tokens per day, please wait before trying again.'),
      { kind: 'rate_limit', status: 429 },
      /^429 .*please wait/,
    ],
    [
      'a model that is not ready',
      plain(503, 'ServiceUnavailableException', 'Bedrock is unable to process your request.'),
      { kind: 'overloaded', status: 503 },
      /^503 /,
    ],
    [
      'a server error',
      plain(500, 'InternalServerException', 'The system encountered an unexpected error during processing.'),
      { kind: 'server', status: 500 },
      /^500 /,
    ],
    [
      'a model that took too long',
      plain(408, 'ModelTimeoutException', 'Model has timed out in processing the request.'),
      { kind: 'timeout', status: 408 },
      /^408 /,
    ],
    [
      'too long a conversation',
      plain(
        400,
        'ValidationException',
        'The model returned the following errors: Input is too long for requested model.',
      ),
      { kind: 'overflow', status: 400 },
      /too long/,
    ],
    [
      'a model that was not asked for',
      plain(403, 'AccessDeniedException', "You don't have access to the model with the specified model ID."),
      { kind: 'auth', status: 403 },
      /^403 .*access to the model/,
    ],
  ];
  test.each(cases)('%s', async (_name, reply, failure, text) => {
    const failed = await failing(reply);
    expect(failed).toMatchObject({ failure, content: [] });
    expect(failed.text).toMatch(text);
  });

  test('a wrong token, which the provider repeats', async () => {
    const apiKey = 'bedrock-api-key-of-somebody-else';
    const failed = await failing({}, { apiKey });
    expect(failed.failure).toEqual({ kind: 'auth', status: 403 });
    expect(failed.text).toContain('Authentication failed: Bearer [redacted]');
  });

  test('an unknown model', async () => {
    expect(await failing({}, { model: at.model('anthropic.claude-0') })).toMatchObject({
      failure: { kind: 'refused', status: 400 },
      text: '400 The provided model identifier is invalid.',
    });
  });

  test('something else than a stream', async () => {
    const failed = await failing({ plain: { status: 200, body: '<html>', headers: { 'content-type': 'text/html' } } });
    expect(failed).toMatchObject({ failure: { kind: 'malformed' } });
    expect(failed.text).toMatch(/answered with text\/html instead of a stream: <html>/);
  });

  test('nobody there', async () => {
    const failed = await failing({}, { model: at.model(SONNET, { baseUrl: 'http://127.0.0.1:1' }) });
    expect(failed).toMatchObject({ failure: { kind: 'network' } });
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
  const words = bedrockFrames({ parts: [{ text: ['One', ' two'] }] });
  // messageStart, "One"
  const begun = words.slice(0, 2);
  const broken = Uint8Array.from(words[2]!, (byte, n) => (n === 40 ? byte ^ 1 : byte));

  const cases: [string, Uint8Array[], Failure, RegExp | string][] = [
    [
      'too many requests',
      [...begun, exception('throttlingException', 'Slow down.')],
      { kind: 'rate_limit' },
      'throttlingException: Slow down.',
    ],
    [
      'a service that went away',
      [...begun, exception('serviceUnavailableException', 'Try your request again.')],
      { kind: 'overloaded' },
      'serviceUnavailableException: Try your request again.',
    ],
    [
      'an error of its own',
      [...begun, exception('internalServerException', `Lost ${BEARER}`)],
      { kind: 'server' },
      'internalServerException: Lost [redacted]',
    ],
    [
      'an error of the model',
      [...begun, exception('modelStreamErrorException', 'The model broke off.')],
      { kind: 'server' },
      'modelStreamErrorException: The model broke off.',
    ],
    [
      'a mistake of ours',
      [...begun, exception('validationException', 'This is not valid.')],
      { kind: 'refused' },
      'validationException: This is not valid.',
    ],
    [
      'a conversation that turns out too long',
      [...begun, exception('validationException', 'Input is too long for requested model.')],
      { kind: 'overflow' },
      'validationException: Input is too long for requested model.',
    ],
    [
      'a payload that is no JSON',
      [...begun, eventMessage({ ':event-type': 'contentBlockDelta', ':message-type': 'event' }, '{"delta":')],
      { kind: 'malformed' },
      'The provider sent an unreadable event: {"delta":',
    ],
    [
      'a payload of another shape',
      [...begun, event('contentBlockDelta', { contentBlockIndex: 'x' })],
      { kind: 'malformed' },
      'The provider sent an unreadable event: {"contentBlockDelta":{"contentBlockIndex":"x"}}',
    ],
    [
      'half a frame at the end',
      [...begun, words[2]!.slice(0, 30)],
      { kind: 'malformed' },
      /^The provider sent an unreadable stream: Incomplete/,
    ],
    [
      'an end without an ending',
      bedrockFrames({ parts: [{ text: 'One' }], stop: null }),
      { kind: 'malformed' },
      "The provider's stream ended early, before the answer was complete",
    ],
    [
      'a guard who steps in',
      bedrockFrames({ parts: [{ text: 'One' }], stop: 'guardrail_intervened' }),
      { kind: 'filter' },
      "The provider's content filter stopped the answer (guardrail_intervened). Rephrase the request or choose another model",
    ],
    [
      'a call that the model got wrong',
      bedrockFrames({ parts: [{ text: 'One' }], stop: 'malformed_tool_use' }),
      { kind: 'malformed' },
      "The model's answer cannot be used: malformed_tool_use",
    ],
  ];
  test.each(cases)('%s', async (_name, frames, failure, text) => {
    const { content, ...said } = await failing({ frames });
    expect(said).toEqual({ failure, text: typeof text === 'string' ? text : expect.stringMatching(text) });
    expect(content).toMatchObject([{ type: 'text', text: expect.stringMatching(/^One/) }]);
  });

  test('a frame whose sum is wrong', async () => {
    const { failure, text } = await failing({ frames: [...begun, broken] });
    expect(failure).toEqual({ kind: 'malformed' });
    expect(text).toMatch(/^The provider sent an unreadable stream: .*(checksum|crc)/i);
  });

  test('all that came before a connection was lost is kept', async () => {
    const pieces = Array.from({ length: 500 }, (_, n) => `${n} `);
    const frames = bedrockFrames({ parts: [{ text: pieces }] }).slice(0, 501);
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (sent++ === 0) controller.enqueue(Buffer.concat(frames));
        else controller.error(new Error('other side closed'));
      },
    });
    const headers = { 'content-type': 'application/vnd.amazon.eventstream' };
    const fetch: typeof globalThis.fetch = async () => new Response(body, { headers });
    const api = createBedrockConverseStream(portsWith(createFakeClock(), { fetch }), {});
    const { message, events } = await observe(api.stream(at.request()));
    expect(events.at(-1)).toMatchObject({ failure: { kind: 'network' } });
    expect(message.content).toEqual([{ type: 'text', text: pieces.join('') }]);
  });

  test('a window that is full: an end when there are words, a failure when there are none', async () => {
    const stop = 'model_context_window_exceeded';
    at.server.reply({ answer: { parts: [{ text: 'Well' }], stop } });
    expect(await at.ask()).toMatchObject({ stopReason: 'length', content: [{ text: 'Well' }] });
    expect(await failing({ answer: { parts: [], stop } })).toMatchObject({ failure: { kind: 'overflow' } });
  });

  test('arguments that are no JSON are not run', async () => {
    const { failure, text } = await failing({ answer: { parts: [{ call: 'c', name: 'bash', input: '{"command":' }] } });
    expect(failure).toEqual({ kind: 'malformed' });
    expect(text).toMatch(/^The model sent unreadable arguments for the tool bash: /);
  });

  test('a connection that is reset keeps what came', async () => {
    const { failure, content } = await failing({ frames: words, upTo: 2, after: 'reset' });
    expect(failure).toEqual({ kind: 'network' });
    expect(content).toEqual([{ type: 'text', text: 'One' }]);
  });

  test('a stream that stalls', async () => {
    at.server.reply({ frames: words, upTo: 2, after: 'stall' });
    const stalled = observe(at.api.stream(at.request()), ({ type }) => {
      if (type === 'text_delta') setImmediate(() => void at.clock.advance(IDLE_MS));
    });
    expect((await stalled).events.at(-1)).toMatchObject({ failure: { kind: 'limit' } });
  });

  test('an abort closes the connection', async () => {
    const aborter = new AbortController();
    at.server.reply({ frames: words, upTo: 2, after: 'stall' });
    const seen = await observe(at.api.stream(at.request({ signal: aborter.signal })), ({ type }) => {
      if (type === 'text_delta') aborter.abort();
    });
    await at.server.received.at(-1)?.closed;
    expectGrammar(seen);
    expect(seen.message).toMatchObject({ content: [{ type: 'text', text: 'One' }], stopReason: 'aborted' });
  });
});

describe('what opens the door', () => {
  const SIGNED = {
    AWS_ACCESS_KEY_ID: ACCESS_KEY,
    AWS_SECRET_ACCESS_KEY: SECRET_KEY,
    AWS_SESSION_TOKEN: SESSION_TOKEN,
    AWS_REGION: 'eu-central-1',
  };
  const apiWith = (env: Record<string, string>, fetch = globalThis.fetch) =>
    createBedrockConverseStream(portsWith(createFakeClock(), { fetch }), env);

  test('a signature, when there is no token', async () => {
    at.server.reply({ answer: { parts: [{ text: 'ok' }] } });
    const api = apiWith(SIGNED);
    const { message } = await observe(api.stream(at.request({ apiKey: undefined, headers: { 'X-Team': 'a' } })));
    expect(message).toMatchObject({ stopReason: 'stop', content: [{ text: 'ok' }] });
    const { headers } = at.server.received.at(-1)!;
    expect(headers.authorization).toContain('/eu-central-1/bedrock/aws4_request');
    expect(headers).toMatchObject({ 'user-agent': 'parley/test', 'x-team': 'a' });
  });

  test('a wrong signature', async () => {
    const api = apiWith({ ...SIGNED, AWS_SECRET_ACCESS_KEY: 'loopback/secret-of-somebody-else' });
    const failed = await failing({}, { apiKey: undefined }, api);
    expect(failed).toMatchObject({ failure: { kind: 'auth', status: 403 } });
    expect(failed.text).toContain('signature we calculated does not match');
  });

  test('a header of models.json', async () => {
    at.server.reply({ answer: { parts: [{ text: 'ok' }] } });
    const headers = { Authorization: `Bearer ${BEARER}` };
    expect(await at.ask({ apiKey: undefined, headers })).toMatchObject({ stopReason: 'stop' });
  });

  test('nothing: the way in is named', async () => {
    expect(await failing({}, { apiKey: undefined })).toMatchObject({
      failure: { kind: 'auth' },
      text: expect.stringMatching(/AWS_BEARER_TOKEN_BEDROCK.*AWS_ACCESS_KEY_ID/),
    });
  });

  const USUAL = 'https://bedrock-runtime.us-east-1.amazonaws.com';
  test.each([
    [{}, USUAL, USUAL],
    [{ AWS_REGION: 'eu-west-3' }, USUAL, 'https://bedrock-runtime.eu-west-3.amazonaws.com'],
    [{ AWS_DEFAULT_REGION: 'us-gov-west-1' }, `${USUAL}/`, 'https://bedrock-runtime.us-gov-west-1.amazonaws.com'],
    [{ AWS_REGION: 'cn-north-1' }, '', 'https://bedrock-runtime.cn-north-1.amazonaws.com.cn'],
    [
      { AWS_REGION: 'eu-west-3' },
      'https://bedrock-runtime.ap-south-1.amazonaws.com',
      'https://bedrock-runtime.ap-south-1.amazonaws.com',
    ],
    [{ AWS_REGION: 'eu-west-3' }, 'https://proxy.test/aws', 'https://proxy.test/aws'],
  ] as [Record<string, string>, string, string][])('%j and the address %s', async (env, baseUrl, expected) => {
    const urls: string[] = [];
    const answer = fetchOf('application/vnd.amazon.eventstream', [event('messageStop', { stopReason: 'end_turn' })]);
    const api = apiWith(env, (url, init) => {
      urls.push(String(url));
      return answer(url, init);
    });
    const model = { ...at.model('amazon.nova-pro-v1:0'), baseUrl };
    const { message } = await observe(api.stream(at.request({ model })));
    expect(message.stopReason).toBe('stop');
    expect(urls).toEqual([`${expected}/model/amazon.nova-pro-v1%3A0/converse-stream`]);
  });

  test('the table of formats hands the environment on', async () => {
    const api = await apiLoaders({ clock: at.clock, wire: portsWith(at.clock), env: SIGNED })[
      'bedrock-converse-stream'
    ]?.();
    at.server.reply({ answer: { parts: [{ text: 'ok' }] } });
    const { message } = await observe(api!.stream(at.request({ apiKey: undefined })));
    expect(message).toMatchObject({ content: [{ text: 'ok' }] });
  });
});
