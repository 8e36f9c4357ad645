// Bedrock failures end with one error event that explains them without a key; authentication and URLs.
import { describe, expect, test } from 'vitest';
import { createBedrockConverseStream } from '../../../src/llm/apis/ai-sdk/bedrock-converse-stream.ts';
import { createApiLoaders } from '../../../src/llm/index.ts';
import type { ProviderFailure } from '../../../src/protocol/index.ts';
import { createFakeClock } from '../../../src/testing/fake-clock.ts';
import { expectGrammar, observe } from '../contract.ts';
import { startBedrock } from '../servers/bedrock.ts';
import { ACCESS_KEY, BEARER, SECRET_KEY, SESSION_TOKEN } from '../servers/bedrock-auth.ts';
import { type BedrockAnswer, bedrockFrames, event, exception } from '../servers/bedrock-frames.ts';
import { eventMessage } from '../servers/event-stream.ts';
import type { Reply } from '../servers/loopback.ts';
import { createApiFixture, createFetch } from './ai-sdk-fixture.ts';
import { createPorts, IDLE_MS } from './api-fixture.ts';

const SONNET = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0';
const fixture = createApiFixture<BedrockAnswer>({
  start: startBedrock,
  create: (ports) => createBedrockConverseStream(ports, {}),
  model: { id: SONNET, api: 'bedrock-converse-stream', provider: 'amazon-bedrock' },
  apiKey: BEARER,
});

async function expectFailure(
  reply: Reply<BedrockAnswer>,
  overrides: Parameters<typeof fixture.request>[0] = {},
  api = fixture.api,
) {
  fixture.server.reply(reply);
  const observed = await observe(api.stream(fixture.request(overrides)));
  expectGrammar(observed);
  expect(JSON.stringify(observed.events)).not.toMatch(new RegExp(`${BEARER}|${SESSION_TOKEN}|loopback/secret`));
  const last = observed.events.at(-1)!;
  if (last.type !== 'error') throw new Error(`Expected an error, got ${last.type}`);
  return { failure: last.failure, text: observed.message.errorMessage ?? '', content: observed.message.content };
}

function createErrorReply(status: number, type: string, message: string): Reply<BedrockAnswer> {
  return { plain: { status, body: JSON.stringify({ message }), headers: { 'x-amzn-errortype': type } } };
}

describe('before the stream', () => {
  const cases: [string, Reply<BedrockAnswer>, ProviderFailure, RegExp][] = [
    [
      'too many requests',
      createErrorReply(429, 'ThrottlingException', 'Too many tokens per day, please wait before trying again.'),
      { kind: 'rate_limit', status: 429 },
      /^429 .*please wait/,
    ],
    [
      'an unavailable service',
      createErrorReply(503, 'ServiceUnavailableException', 'Bedrock is unable to process your request.'),
      { kind: 'overloaded', status: 503 },
      /^503 /,
    ],
    [
      'a server error',
      createErrorReply(500, 'InternalServerException', 'The system encountered an unexpected error during processing.'),
      { kind: 'server', status: 500 },
      /^500 /,
    ],
    [
      'a model timeout',
      createErrorReply(408, 'ModelTimeoutException', 'Model has timed out in processing the request.'),
      { kind: 'timeout', status: 408 },
      /^408 /,
    ],
    [
      'a conversation that is too long',
      createErrorReply(
        400,
        'ValidationException',
        'The model returned the following errors: Input is too long for requested model.',
      ),
      { kind: 'overflow', status: 400 },
      /too long/,
    ],
    [
      'a model without access',
      createErrorReply(403, 'AccessDeniedException', "You don't have access to the model with the specified model ID."),
      { kind: 'auth', status: 403 },
      /^403 .*access to the model/,
    ],
  ];
  test.each(cases)('%s', async (_name, reply, failure, text) => {
    const failed = await expectFailure(reply);
    expect(failed).toMatchObject({ failure, content: [] });
    expect(failed.text).toMatch(text);
  });

  test('a wrong token that the provider repeats', async () => {
    const apiKey = 'bedrock-api-key-of-another-user';
    const failed = await expectFailure({}, { apiKey });
    expect(failed.failure).toEqual({ kind: 'auth', status: 403 });
    expect(failed.text).toContain('Authentication failed: Bearer [redacted]');
  });

  test('an unknown model', async () => {
    expect(await expectFailure({}, { model: fixture.model('anthropic.claude-0') })).toMatchObject({
      failure: { kind: 'refused', status: 400 },
      text: '400 The provided model identifier is invalid.',
    });
  });

  test('another content type', async () => {
    const failed = await expectFailure({
      plain: { status: 200, body: '<html>', headers: { 'content-type': 'text/html' } },
    });
    expect(failed).toMatchObject({ failure: { kind: 'malformed' } });
    expect(failed.text).toMatch(/answered with text\/html instead of a stream: <html>/);
  });

  test('connection refused', async () => {
    const failed = await expectFailure({}, { model: fixture.model(SONNET, { baseUrl: 'http://127.0.0.1:1' }) });
    expect(failed).toMatchObject({ failure: { kind: 'network' } });
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
  const frames = bedrockFrames({ parts: [{ text: ['One', ' two'] }] });
  // messageStart, "One"
  const partial = frames.slice(0, 2);
  const broken = Uint8Array.from(frames[2]!, (byte, n) => (n === 40 ? byte ^ 1 : byte));

  const cases: [string, Uint8Array[], ProviderFailure, RegExp | string][] = [
    [
      'too many requests',
      [...partial, exception('throttlingException', 'Slow down.')],
      { kind: 'rate_limit' },
      'throttlingException: Slow down.',
    ],
    [
      'an unavailable service',
      [...partial, exception('serviceUnavailableException', 'Try your request again.')],
      { kind: 'overloaded' },
      'serviceUnavailableException: Try your request again.',
    ],
    [
      'an internal error',
      [...partial, exception('internalServerException', `Lost ${BEARER}`)],
      { kind: 'server' },
      'internalServerException: Lost [redacted]',
    ],
    [
      'a model error',
      [...partial, exception('modelStreamErrorException', 'The model broke off.')],
      { kind: 'server' },
      'modelStreamErrorException: The model broke off.',
    ],
    [
      'an invalid request',
      [...partial, exception('validationException', 'This is not valid.')],
      { kind: 'refused' },
      'validationException: This is not valid.',
    ],
    [
      'a conversation that is too long',
      [...partial, exception('validationException', 'Input is too long for requested model.')],
      { kind: 'overflow' },
      'validationException: Input is too long for requested model.',
    ],
    [
      'a payload that is not JSON',
      [...partial, eventMessage({ ':event-type': 'contentBlockDelta', ':message-type': 'event' }, '{"delta":')],
      { kind: 'malformed' },
      'The provider sent an unreadable event: {"delta":',
    ],
    [
      'a payload of another shape',
      [...partial, event('contentBlockDelta', { contentBlockIndex: 'x' })],
      { kind: 'malformed' },
      'The provider sent an unreadable event: {"contentBlockDelta":{"contentBlockIndex":"x"}}',
    ],
    [
      'a partial frame at the end',
      [...partial, frames[2]!.slice(0, 30)],
      { kind: 'malformed' },
      /^The provider sent an unreadable stream: Incomplete/,
    ],
    [
      'an end without a stop reason',
      bedrockFrames({ parts: [{ text: 'One' }], stop: null }),
      { kind: 'malformed' },
      "The provider's stream ended early, before the answer was complete",
    ],
    [
      'a guardrail intervention',
      bedrockFrames({ parts: [{ text: 'One' }], stop: 'guardrail_intervened' }),
      { kind: 'filter' },
      "The provider's content filter stopped the answer (guardrail_intervened). Rephrase the request or choose another model",
    ],
    [
      'a malformed call',
      bedrockFrames({ parts: [{ text: 'One' }], stop: 'malformed_tool_use' }),
      { kind: 'malformed' },
      "The model's answer cannot be used: malformed_tool_use",
    ],
  ];
  test.each(cases)('%s', async (_name, frames, failure, text) => {
    const { content, ...failed } = await expectFailure({ frames });
    expect(failed).toEqual({ failure, text: typeof text === 'string' ? text : expect.stringMatching(text) });
    expect(content).toMatchObject([{ type: 'text', text: expect.stringMatching(/^One/) }]);
  });

  test('a frame with a wrong checksum', async () => {
    const { failure, text } = await expectFailure({ frames: [...partial, broken] });
    expect(failure).toEqual({ kind: 'malformed' });
    expect(text).toMatch(/^The provider sent an unreadable stream: .*(checksum|crc)/i);
  });

  test('keeps the content received before the connection was lost', async () => {
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
    const api = createBedrockConverseStream(createPorts(createFakeClock(), { fetch }), {});
    const { message, events } = await observe(api.stream(fixture.request()));
    expect(events.at(-1)).toMatchObject({ failure: { kind: 'network' } });
    expect(message.content).toEqual([{ type: 'text', text: pieces.join('') }]);
  });

  test('a full context window: normal end with text, failure without', async () => {
    const stop = 'model_context_window_exceeded';
    fixture.server.reply({ answer: { parts: [{ text: 'Well' }], stop } });
    expect(await fixture.ask()).toMatchObject({ stopReason: 'length', content: [{ text: 'Well' }] });
    expect(await expectFailure({ answer: { parts: [], stop } })).toMatchObject({ failure: { kind: 'overflow' } });
  });

  test('arguments that are not JSON are rejected', async () => {
    const { failure, text } = await expectFailure({
      answer: { parts: [{ call: 'c', name: 'bash', input: '{"command":' }] },
    });
    expect(failure).toEqual({ kind: 'malformed' });
    expect(text).toMatch(/^The model sent unreadable arguments for the tool bash: /);
  });

  test('a connection reset keeps the received content', async () => {
    const { failure, content } = await expectFailure({ frames: frames, upTo: 2, after: 'reset' });
    expect(failure).toEqual({ kind: 'network' });
    expect(content).toEqual([{ type: 'text', text: 'One' }]);
  });

  test('a stream that stalls', async () => {
    fixture.server.reply({ frames: frames, upTo: 2, after: 'stall' });
    const stalled = observe(fixture.api.stream(fixture.request()), ({ type }) => {
      if (type === 'text_delta') setImmediate(() => void fixture.clock.advance(IDLE_MS));
    });
    expect((await stalled).events.at(-1)).toMatchObject({ failure: { kind: 'limit' } });
  });

  test('an abort closes the connection', async () => {
    const aborter = new AbortController();
    fixture.server.reply({ frames: frames, upTo: 2, after: 'stall' });
    const observed = await observe(fixture.api.stream(fixture.request({ signal: aborter.signal })), ({ type }) => {
      if (type === 'text_delta') aborter.abort();
    });
    await fixture.server.received.at(-1)?.closed;
    expectGrammar(observed);
    expect(observed.message).toMatchObject({ content: [{ type: 'text', text: 'One' }], stopReason: 'aborted' });
  });
});

describe('authentication', () => {
  const SIGNED = {
    AWS_ACCESS_KEY_ID: ACCESS_KEY,
    AWS_SECRET_ACCESS_KEY: SECRET_KEY,
    AWS_SESSION_TOKEN: SESSION_TOKEN,
    AWS_REGION: 'eu-central-1',
  };
  const createApi = (env: Record<string, string>, fetch = globalThis.fetch) =>
    createBedrockConverseStream(createPorts(createFakeClock(), { fetch }), env);

  test('a signature without a token', async () => {
    fixture.server.reply({ answer: { parts: [{ text: 'ok' }] } });
    const api = createApi(SIGNED);
    const { message } = await observe(api.stream(fixture.request({ apiKey: undefined, headers: { 'X-Team': 'a' } })));
    expect(message).toMatchObject({ stopReason: 'stop', content: [{ text: 'ok' }] });
    const { headers } = fixture.server.received.at(-1)!;
    expect(headers.authorization).toContain('/eu-central-1/bedrock/aws4_request');
    expect(headers).toMatchObject({ 'user-agent': 'parley/test', 'x-team': 'a' });
  });

  test('a wrong signature', async () => {
    const api = createApi({ ...SIGNED, AWS_SECRET_ACCESS_KEY: 'loopback/secret-of-another-user' });
    const failed = await expectFailure({}, { apiKey: undefined }, api);
    expect(failed).toMatchObject({ failure: { kind: 'auth', status: 403 } });
    expect(failed.text).toContain('signature we calculated does not match');
  });

  test('a header of models.json', async () => {
    fixture.server.reply({ answer: { parts: [{ text: 'ok' }] } });
    const headers = { Authorization: `Bearer ${BEARER}` };
    expect(await fixture.ask({ apiKey: undefined, headers })).toMatchObject({ stopReason: 'stop' });
  });

  test('without credentials the error names the variables', async () => {
    expect(await expectFailure({}, { apiKey: undefined })).toMatchObject({
      failure: { kind: 'auth' },
      text: expect.stringMatching(/AWS_BEARER_TOKEN_BEDROCK.*AWS_ACCESS_KEY_ID/),
    });
  });

  const DEFAULT_URL = 'https://bedrock-runtime.us-east-1.amazonaws.com';
  test.each([
    [{}, DEFAULT_URL, DEFAULT_URL],
    [{ AWS_REGION: 'eu-west-3' }, DEFAULT_URL, 'https://bedrock-runtime.eu-west-3.amazonaws.com'],
    [{ AWS_DEFAULT_REGION: 'us-gov-west-1' }, `${DEFAULT_URL}/`, 'https://bedrock-runtime.us-gov-west-1.amazonaws.com'],
    [{ AWS_REGION: 'cn-north-1' }, '', 'https://bedrock-runtime.cn-north-1.amazonaws.com.cn'],
    [
      { AWS_REGION: 'eu-west-3' },
      'https://bedrock-runtime.ap-south-1.amazonaws.com',
      'https://bedrock-runtime.ap-south-1.amazonaws.com',
    ],
    [{ AWS_REGION: 'eu-west-3' }, 'https://proxy.test/aws', 'https://proxy.test/aws'],
  ] as [Record<string, string>, string, string][])('%j and the base URL %s', async (env, baseUrl, expected) => {
    const urls: string[] = [];
    const respond = createFetch('application/vnd.amazon.eventstream', [
      event('messageStop', { stopReason: 'end_turn' }),
    ]);
    const api = createApi(env, (url, init) => {
      urls.push(String(url));
      return respond(url, init);
    });
    const model = { ...fixture.model('amazon.nova-pro-v1:0'), baseUrl };
    const { message } = await observe(api.stream(fixture.request({ model })));
    expect(message.stopReason).toBe('stop');
    expect(urls).toEqual([`${expected}/model/amazon.nova-pro-v1%3A0/converse-stream`]);
  });

  test.each([
    [
      'arn:aws:bedrock:eu-west-1:123456789012:application-inference-profile/a1b2',
      DEFAULT_URL,
      'eu-west-1.amazonaws.com',
    ],
    ['arn:aws-cn:bedrock:cn-north-1:1:imported-model/x', DEFAULT_URL, 'cn-north-1.amazonaws.com.cn'],
    [
      'arn:aws:bedrock:eu-west-1:1:inference-profile/eu.x',
      'https://bedrock-runtime.ap-south-1.amazonaws.com',
      'ap-south-1.amazonaws.com',
    ],
  ])('the ARN %s with the base URL %s is sent to %s', async (id, baseUrl, host) => {
    const urls: string[] = [];
    const respond = createFetch('application/vnd.amazon.eventstream', [
      event('messageStop', { stopReason: 'end_turn' }),
    ]);
    const api = createApi({ AWS_REGION: 'us-west-2' }, (url, init) => {
      urls.push(String(url));
      return respond(url, init);
    });
    await observe(api.stream(fixture.request({ model: { ...fixture.model(id), baseUrl } })));
    expect(urls).toEqual([`https://bedrock-runtime.${host}/model/${encodeURIComponent(id)}/converse-stream`]);
  });

  test('createApiLoaders passes the environment', async () => {
    const api = await createApiLoaders({ clock: fixture.clock, wire: createPorts(fixture.clock), env: SIGNED })[
      'bedrock-converse-stream'
    ]?.();
    fixture.server.reply({ answer: { parts: [{ text: 'ok' }] } });
    const { message } = await observe(api!.stream(fixture.request({ apiKey: undefined })));
    expect(message).toMatchObject({ content: [{ text: 'ok' }] });
  });
});
