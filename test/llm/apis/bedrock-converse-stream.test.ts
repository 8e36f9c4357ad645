// Bedrock over HTTP: reading replies, and conversations that a strict server accepts.
import { describe, expect, test } from 'vitest';
import { createBedrockConverseStream } from '../../../src/llm/apis/ai-sdk/bedrock-converse-stream.ts';
import type { ModelMessage } from '../../../src/protocol/index.ts';
import { createFakeClock } from '../../../src/testing/fake-clock.ts';
import { expectGrammar, modelApiContract, observe } from '../contract.ts';
import { startBedrock } from '../servers/bedrock.ts';
import { BEARER } from '../servers/bedrock-auth.ts';
import { type BedrockAnswer, bedrockFrames, createSignature, event } from '../servers/bedrock-frames.ts';
import { type Fields, getList, lastBody } from '../servers/loopback.ts';
import { createApiFixture, createFetch, PNG, toComparable } from './ai-sdk-fixture.ts';
import { createPorts } from './api-fixture.ts';
import { assistant, READ, result, summarizeEvent, toolCall, user } from './request-samples.ts';

const SONNET = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0';
const fixture = createApiFixture<BedrockAnswer>({
  start: startBedrock,
  create: (ports) => createBedrockConverseStream(ports, {}),
  model: { id: SONNET, api: 'bedrock-converse-stream', provider: 'amazon-bedrock' },
  apiKey: BEARER,
});

const WORDS = Array.from({ length: 40 }, (_, n) => `word${n} `);

modelApiContract('bedrock-converse-stream', () => ({
  api: fixture.api,
  long(signal) {
    fixture.server.reply({ answer: { parts: [{ text: WORDS }] }, pieces: 300 });
    return fixture.request({ signal });
  },
  calling(signal) {
    const parts: BedrockAnswer['parts'] = [
      { call: 'tooluse_1', name: 'read', input: { path: 'a' } },
      { call: 'tooluse_2', name: 'bash', input: { command: 'ls' } },
    ];
    fixture.server.reply({ answer: { parts } });
    return fixture.request({ signal });
  },
}));

describe('reading a reply', () => {
  test('plain text with usage and cost', async () => {
    const usage = { input: 1000, output: 200, cacheRead: 50_000, cacheWrite: 400 };
    fixture.server.reply({ answer: { parts: [{ text: ['Hello', ', ', 'wörld 🎉'] }], usage } });
    const observed = await observe(fixture.api.stream(fixture.request()));
    expectGrammar(observed);
    expect(observed.events.map(summarizeEvent)).toEqual([
      ['start'],
      ['text_start', 0],
      ['text_delta', 0, 'Hello'],
      ['text_delta', 0, ', '],
      ['text_delta', 0, 'wörld 🎉'],
      ['text_end', 0, 'Hello, wörld 🎉'],
      ['done', 'stop'],
    ]);
    expect(observed.message).toEqual({
      role: 'assistant',
      content: [{ type: 'text', text: 'Hello, wörld 🎉' }],
      api: 'bedrock-converse-stream',
      provider: 'amazon-bedrock',
      model: SONNET,
      usage: {
        input: 1000,
        output: 200,
        cacheRead: 50_000,
        cacheWrite: 400,
        cost: { input: 0.002, output: 0.002, cacheRead: 0.01, cacheWrite: 0.001, total: expect.closeTo(0.015, 10) },
      },
      stopReason: 'stop',
      timestamp: fixture.clock.now(),
    });
  });

  test('thinking, redacted thinking, text and parallel calls', async () => {
    const parts: BedrockAnswer['parts'] = [
      { thinking: ['Let me ', 'see.'] },
      { redacted: 'c2VjcmV0' },
      { text: 'Looking.' },
      { call: 'tooluse_a', name: 'read', input: { path: 'a.ts' } },
      { call: 'tooluse_b', name: 'bash', input: {} },
    ];
    fixture.server.reply({ answer: { parts } });
    const observed = await observe(fixture.api.stream(fixture.request()));
    expectGrammar(observed);
    const calls = observed.message.content.slice(3);
    expect(observed.events.map(summarizeEvent)).toEqual([
      ['start'],
      ['thinking_start', 0],
      ['thinking_delta', 0, 'Let me '],
      ['thinking_delta', 0, 'see.'],
      ['thinking_end', 0, 'Let me see.'],
      ['thinking_start', 1],
      ['thinking_end', 1, ''],
      ['text_start', 2],
      ['text_delta', 2, 'Looking.'],
      ['text_end', 2, 'Looking.'],
      ['toolcall_start', 3],
      ['toolcall_delta', 3, '{"path":'],
      ['toolcall_delta', 3, '"a.ts"}'],
      ['toolcall_end', 3, calls[0]],
      ['toolcall_start', 4],
      ['toolcall_end', 4, calls[1]],
      ['done', 'toolUse'],
    ]);
    expect(observed.message.content).toEqual([
      { type: 'thinking', thinking: 'Let me see.', thinkingSignature: createSignature('Let me see.') },
      { type: 'thinking', thinking: '', thinkingSignature: 'c2VjcmV0', redacted: true },
      { type: 'text', text: 'Looking.' },
      toolCall('tooluse_a', 'read', { path: 'a.ts' }),
      toolCall('tooluse_b', 'bash', {}),
    ]);
  });

  test('a long text in chunks of any size', async () => {
    const text = Array.from({ length: 2000 }, (_, n) => `${n}é `);
    fixture.server.reply({ answer: { parts: [{ text }] }, pieces: 4093 });
    const observed = await observe(fixture.api.stream(fixture.request()));
    expectGrammar(observed);
    expect(observed.events).toHaveLength(2000 + 4);
    expect(observed.message.content).toEqual([{ type: 'text', text: text.join('') }]);
  });

  test('the same reply split at every byte', async () => {
    const delta = (content: object, contentBlockIndex = 0) =>
      event('contentBlockDelta', { contentBlockIndex, delta: content });
    const bytes = Buffer.concat([
      delta({ reasoningContent: { text: 'é' } }),
      event('contentBlockStop', { contentBlockIndex: 0 }),
      delta({ text: '🎉' }, 1),
      event('messageStop', { stopReason: 'end_turn' }),
    ]);
    const readReply = async (...pieces: Uint8Array[]) => {
      const fetch = createFetch('application/vnd.amazon.eventstream', pieces);
      const api = createBedrockConverseStream(createPorts(createFakeClock(), { fetch }), {});
      return toComparable(await observe(api.stream(fixture.request())));
    };
    const expected = await readReply(bytes);
    for (let index = 1; index < bytes.length; index++) {
      expect(await readReply(bytes.subarray(0, index), bytes.subarray(index)), `split at ${index}`).toEqual(expected);
    }
  });

  test('a reply in single bytes', async () => {
    fixture.server.reply({ answer: { parts: [{ thinking: 'Hm 🎉' }, { text: ['né', 'é'] }] }, pieces: 1 });
    expect(await fixture.ask()).toMatchObject({ content: [{ thinking: 'Hm 🎉' }, { text: 'néé' }] });
  });

  test('a text block without content is omitted', async () => {
    const index = { contentBlockIndex: 0 };
    const emptyBlock = [event('contentBlockStart', { ...index, start: {} }), event('contentBlockStop', index)];
    fixture.server.reply({ frames: [...emptyBlock, ...bedrockFrames({ parts: [] })] });
    const observed = await observe(fixture.api.stream(fixture.request()));
    expectGrammar(observed);
    expect(observed.events.map(summarizeEvent)).toEqual([['start'], ['done', 'stop']]);
  });

  test('a reply cut by the length limit keeps its text, an incomplete call has no arguments', async () => {
    const partialCall = { call: 'tooluse_1', name: 'bash', input: '{"command":"rm -rf /tmp/bui' };
    fixture.server.reply({ answer: { parts: [{ text: 'I will' }, partialCall], stop: 'max_tokens' } });
    const observed = await observe(fixture.api.stream(fixture.request()));
    expectGrammar(observed);
    expect(observed.events.slice(-2).map(summarizeEvent)).toEqual([
      ['toolcall_end', 1, toolCall('tooluse_1', 'bash', {})],
      ['done', 'length'],
    ]);
  });
});

describe('a conversation', () => {
  const CALLS: readonly BedrockAnswer[] = [
    { parts: [{ thinking: 'First a.' }, { call: 'tooluse_1', name: 'read', input: { path: 'a' } }] },
    {
      parts: [
        { redacted: 'aGlkZGVu' },
        { text: 'And' },
        { call: 'tooluse_2', name: 'read', input: { path: 'b' } },
        { call: 'tooluse_3', name: 'read', input: { path: 'c' } },
      ],
    },
    { parts: [{ text: 'Done.' }] },
    { parts: [{ text: 'Bye.' }] },
  ];

  test('thinking is sent back unchanged, and earlier messages do not change', async () => {
    fixture.server.reply(...CALLS.map((answer) => ({ answer })));
    const messages: ModelMessage[] = [user('Read them')];
    for (const count of [1, 2, 0]) {
      const answer = await fixture.ask({ messages: [...messages], thinkingLevel: 'medium' });
      const calls = answer.content.filter((block) => block.type === 'toolCall');
      expect(calls).toHaveLength(count);
      messages.push(answer, ...calls.map(({ id }) => result(id, 'text')));
    }
    messages.push(user('Thanks'));
    // The loopback provider rejects missing, changed or misplaced thinking.
    expect(await fixture.ask({ messages, thinkingLevel: 'medium' })).toMatchObject({ content: [{ text: 'Bye.' }] });
    const sent = fixture.server.received.slice(-4).map(({ body }) => removeCachePoints(body));
    for (const [n, { messages: current, ...others }] of sent.entries()) {
      if (n === 0) continue;
      const { messages: previous, ...previousOthers } = sent[n - 1]!;
      expect(JSON.stringify(current).startsWith(JSON.stringify(previous).slice(0, -1))).toBe(true);
      expect(JSON.stringify(others)).toBe(JSON.stringify(previousOthers));
    }
    expect(describeMessages(lastBody(fixture.server))).toEqual([
      'user text',
      'assistant reasoningContent, toolUse',
      'user toolResult',
      'assistant reasoningContent, text, toolUse, toolUse',
      'user toolResult, toolResult, cachePoint',
      'assistant text',
      'user text, cachePoint',
    ]);
  });

  test('a complete request', async () => {
    fixture.server.reply({ answer: { parts: [{ text: 'ok' }] } });
    await fixture.ask({ tools: [READ], thinkingLevel: 'low', maxTokens: 1000, headers: { 'X-Team': 'a' } });
    const { path, headers, body } = fixture.server.received.at(-1)!;
    expect(path).toBe('POST /model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse-stream');
    expect(headers).toMatchObject({ authorization: `Bearer ${BEARER}`, 'user-agent': 'parley/test', 'x-team': 'a' });
    const cachePoint = { type: 'default' };
    expect(body).toEqual({
      system: [{ text: 'You are a careful engineer.' }, { cachePoint }],
      messages: [{ role: 'user', content: [{ text: 'Hello' }, { cachePoint }] }],
      inferenceConfig: { maxTokens: 5096 },
      additionalModelRequestFields: {
        thinking: { type: 'enabled', budget_tokens: 4072 },
        anthropic_beta: ['interleaved-thinking-2025-05-14'],
      },
      additionalModelResponseFieldPaths: ['/delta/stop_sequence'],
      toolConfig: {
        tools: [{ toolSpec: { name: 'read', description: 'Read a file.', inputSchema: { json: READ.parameters } } }],
      },
    });
  });

  test('a turn that another model started continues without thinking', async () => {
    const foreign = assistant(fixture.model('other'), [toolCall('tooluse_x')]);
    const startedTurn = [user('Go'), foreign, result('tooluse_x', 'text')];
    const done = assistant(fixture.model('other'), [{ type: 'text', text: 'Done.' }]);
    const requestsThinking = async (messages: ModelMessage[]) => {
      fixture.server.reply({ answer: { parts: [{ text: 'ok' }] } });
      expect(await fixture.ask({ messages, thinkingLevel: 'high' })).toMatchObject({ stopReason: 'stop' });
      return 'additionalModelRequestFields' in lastBody(fixture.server);
    };
    expect(await requestsThinking(startedTurn)).toBe(false);
    expect(await requestsThinking([...startedTurn, user('And hurry')])).toBe(false);
    expect(await requestsThinking([...startedTurn, done, user('New')])).toBe(true);
    fixture.server.reply({ answer: CALLS[0]! });
    const ownReply = await fixture.ask({ messages: [user('Go'), done, user('New')], thinkingLevel: 'high' });
    expect(await requestsThinking([user('Go'), done, user('New'), ownReply, result('tooluse_1', 'text')])).toBe(true);
  });

  test('images in prompts and in results, inside or after them', async () => {
    const cases: [string, string[]][] = [
      [SONNET, ['toolResult', 'text', 'cachePoint']],
      ['us.amazon.nova-2-lite-v1:0', ['toolResult', 'text', 'cachePoint']],
      ['meta.llama4-scout-17b-instruct-v1:0', ['toolResult', 'text', 'image', 'text']],
    ];
    for (const [id, shape] of cases) {
      const model = fixture.model(id, { maxTokens: 8000, reasoning: false });
      const prompt = user([
        { type: 'text', text: 'Compare' },
        { ...PNG, mimeType: 'image/jpg' },
      ]);
      const url = { type: 'image' as const, source: { type: 'url' as const, url: 'https://x.test/a.png' } };
      const imageResult = result('tooluse_1', [{ type: 'text', text: 'a.png' }, PNG, url]);
      const messages = [prompt, assistant(model, [toolCall('tooluse_1')]), imageResult, user('Well?')];
      fixture.server.reply({ answer: { parts: [{ text: 'A cat.' }] } });
      expect(await fixture.ask({ model, messages })).toMatchObject({ content: [{ text: 'A cat.' }] });
      const [first, , last] = getList(lastBody(fixture.server), 'messages');
      expect(getList(first!, 'content')[1]).toEqual({ image: { format: 'jpeg', source: { bytes: PNG.data } } });
      expect(getList(last!, 'content').flatMap((block) => Object.keys(block))).toEqual(shape);
      expect(JSON.stringify(last)).toContain('only inline images');
    }
  });

  test('results without text', async () => {
    const content = [toolCall('a'), toolCall('b'), toolCall('c')];
    const messages = [
      user('Go'),
      assistant(fixture.model(), content),
      result('a', ' '),
      result('b', '', true),
      result('c', [PNG]),
    ];
    fixture.server.reply({ answer: { parts: [{ text: 'ok' }] } });
    expect(await fixture.ask({ messages })).toMatchObject({ stopReason: 'stop' });
    expect(JSON.stringify(getList(lastBody(fixture.server), 'messages').at(-1))).toMatch(
      /no output.*failed without output.*an image/,
    );
  });

  test('a history of another model is accepted, even with short ids', async () => {
    const long = `toolu_${'x'.repeat(80)}`;
    for (const id of [SONNET, 'mistral.mistral-large-3-675b-instruct']) {
      const foreign = assistant(fixture.model('claude', { api: 'anthropic-messages', provider: 'anthropic' }), [
        { type: 'thinking', thinking: 'secret', thinkingSignature: 'foreign' },
        { type: 'text', text: 'Reading.', textSignature: 'foreign' },
        toolCall('toolu/01:ü'),
        toolCall(long),
      ]);
      const messages = [user('Go'), foreign, result('toolu/01:ü', 'B'), result(long, 'C')];
      fixture.server.reply({ answer: { parts: [{ text: 'Taken over.' }] } });
      const model = fixture.model(id, { maxTokens: 8000, reasoning: false });
      expect(await fixture.ask({ model, messages })).toMatchObject({ content: [{ text: 'Taken over.' }] });
      expect(fixture.server.received.at(-1)?.text).not.toMatch(/secret|foreign|toolu\/|x{60}/);
    }
  });

  test('an aborted reply does not block the session', async () => {
    fixture.server.reply(
      { answer: { parts: [{ thinking: ['Hm', 'm.'] }, { text: WORDS }] }, pieces: 200 },
      { answer: { parts: [{ text: 'Fine.' }] } },
    );
    const aborter = new AbortController();
    const observed = await observe(
      fixture.api.stream(fixture.request({ signal: aborter.signal })),
      ({ type }, count) => {
        if (type === 'thinking_delta' && count > 2) aborter.abort();
      },
    );
    await fixture.server.received.at(-1)?.closed;
    expectGrammar(observed);
    expect(observed.message).toMatchObject({ stopReason: 'aborted', content: [{ type: 'thinking' }] });
    const messages = [user('Hello'), observed.message, user('Go on')];
    expect(await fixture.ask({ messages, thinkingLevel: 'high' })).toMatchObject({ stopReason: 'stop' });
  });
});

describe('thinking options', () => {
  const cases: [string, Parameters<typeof fixture.request>[0], Fields | undefined, number | undefined][] = [
    [SONNET, { thinkingLevel: 'off' }, undefined, 64_000],
    [
      SONNET,
      { thinkingLevel: 'high', maxTokens: 8000 },
      { thinking: { type: 'enabled', budget_tokens: 20_480 } },
      28_480,
    ],
    [
      'us.anthropic.claude-opus-4-7',
      { thinkingLevel: 'xhigh' },
      { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'xhigh' } },
      64_000,
    ],
    ['us.anthropic.claude-opus-4-7', { thinkingLevel: 'off' }, undefined, 64_000],
    ['openai.gpt-oss-120b-1:0', { thinkingLevel: 'medium' }, { reasoning_effort: 'medium' }, 8000],
    ['openai.gpt-oss-120b-1:0', { thinkingLevel: 'minimal', maxTokens: 100 }, { reasoning_effort: 'low' }, 100],
    ['us.amazon.nova-2-lite-v1:0', { thinkingLevel: 'off' }, undefined, 8000],
    [
      'us.amazon.nova-2-lite-v1:0',
      { thinkingLevel: 'low' },
      { reasoningConfig: { type: 'enabled', maxReasoningEffort: 'low' } },
      8000,
    ],
    [
      'us.amazon.nova-2-lite-v1:0',
      { thinkingLevel: 'high' },
      { reasoningConfig: { type: 'enabled', maxReasoningEffort: 'high' } },
      undefined,
    ],
    ['meta.llama4-scout-17b-instruct-v1:0', { thinkingLevel: 'high' }, undefined, 8000],
  ];
  test.each(cases)('%s, %j', async (id, overrides, fields, maxTokens) => {
    const model = fixture.model(id, /anthropic/.test(id) ? {} : { maxTokens: 8000 });
    fixture.server.reply({ answer: { parts: [{ text: 'ok' }] } });
    expect(await fixture.ask({ model, tools: [], ...overrides })).toMatchObject({ stopReason: 'stop' });
    const body = lastBody(fixture.server);
    expect(body.additionalModelRequestFields).toEqual(fields);
    expect((body.inferenceConfig as Fields | undefined)?.maxTokens).toBe(maxTokens);
  });
});

test('cache points are used only for models with a cache price', async () => {
  const countCachePoints = async (id: string, cacheRead: number) => {
    fixture.server.reply({ answer: { parts: [{ text: 'ok' }] } });
    const cost = { input: 1, output: 1, cacheRead, cacheWrite: 1 };
    await fixture.ask({ model: fixture.model(id, { cost, maxTokens: 8000, reasoning: false }) });
    return fixture.server.received.at(-1)?.text.match(/cachePoint/g)?.length ?? 0;
  };
  expect(await countCachePoints(SONNET, 0.1)).toBe(2);
  expect(await countCachePoints(SONNET, 0)).toBe(0);
  expect(await countCachePoints('openai.gpt-oss-120b-1:0', 0.1)).toBe(0);
});

/** Cache points move between requests; nothing else changes. */
function removeCachePoints(body: Fields): Fields {
  return JSON.parse(JSON.stringify(body).replaceAll(/,\{"cachePoint":\{"type":"default"\}\}/g, ''));
}

function describeMessages(body: Fields): string[] {
  return getList(body, 'messages').map((message) => {
    return `${message.role} ${getList(message, 'content')
      .flatMap((block) => Object.keys(block))
      .join(', ')}`;
  });
}
