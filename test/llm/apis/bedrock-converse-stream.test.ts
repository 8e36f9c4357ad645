// Bedrock over HTTP: what answers become, and conversations that a strict provider accepts to their end.
import { describe, expect, test } from 'vitest';
import { createBedrockConverseStream } from '../../../src/llm/apis/ai-sdk/bedrock-converse-stream.ts';
import type { ModelMessage } from '../../../src/protocol/index.ts';
import { createFakeClock } from '../../../src/testing/fake-clock.ts';
import { expectGrammar, modelApiContract, observe } from '../contract.ts';
import { startBedrock } from '../servers/bedrock.ts';
import { BEARER } from '../servers/bedrock-door.ts';
import { type BedrockAnswer, bedrockFrames, event, signatureOf } from '../servers/bedrock-frames.ts';
import { type Fields, lastBody, listIn } from '../servers/loopback.ts';
import { bare, called, fetchOf, PNG, portsWith, READ, result, said, stage, told, user } from './ai-sdk-stage.ts';

const SONNET = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0';
const at = stage<BedrockAnswer>({
  start: startBedrock,
  create: (ports) => createBedrockConverseStream(ports, {}),
  model: { id: SONNET, api: 'bedrock-converse-stream', provider: 'amazon-bedrock' },
  apiKey: BEARER,
});

const WORDS = Array.from({ length: 40 }, (_, n) => `word${n} `);

modelApiContract('bedrock-converse-stream', () => ({
  api: at.api,
  long(signal) {
    at.server.reply({ answer: { parts: [{ text: WORDS }] }, pieces: 300 });
    return at.request({ signal });
  },
  calling(signal) {
    const parts: BedrockAnswer['parts'] = [
      { call: 'tooluse_1', name: 'read', input: { path: 'a' } },
      { call: 'tooluse_2', name: 'bash', input: { command: 'ls' } },
    ];
    at.server.reply({ answer: { parts } });
    return at.request({ signal });
  },
}));

describe('what an answer becomes', () => {
  test('plain text, with what it cost', async () => {
    const usage = { input: 1000, output: 200, cacheRead: 50_000, cacheWrite: 400 };
    at.server.reply({ answer: { parts: [{ text: ['Hello', ', ', 'wörld 🎉'] }], usage } });
    const seen = await observe(at.api.stream(at.request()));
    expectGrammar(seen);
    expect(seen.events.map(bare)).toEqual([
      ['start'],
      ['text_start', 0],
      ['text_delta', 0, 'Hello'],
      ['text_delta', 0, ', '],
      ['text_delta', 0, 'wörld 🎉'],
      ['text_end', 0, 'Hello, wörld 🎉'],
      ['done', 'stop'],
    ]);
    expect(seen.message).toEqual({
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
      timestamp: at.clock.now(),
    });
  });

  test('thinking, hidden thinking, words and parallel calls', async () => {
    const parts: BedrockAnswer['parts'] = [
      { thinking: ['Let me ', 'see.'] },
      { redacted: 'c2VjcmV0' },
      { text: 'Looking.' },
      { call: 'tooluse_a', name: 'read', input: { path: 'a.ts' } },
      { call: 'tooluse_b', name: 'bash', input: {} },
    ];
    at.server.reply({ answer: { parts } });
    const seen = await observe(at.api.stream(at.request()));
    expectGrammar(seen);
    const calls = seen.message.content.slice(3);
    expect(seen.events.map(bare)).toEqual([
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
    expect(seen.message.content).toEqual([
      { type: 'thinking', thinking: 'Let me see.', thinkingSignature: signatureOf('Let me see.') },
      { type: 'thinking', thinking: '', thinkingSignature: 'c2VjcmV0', redacted: true },
      { type: 'text', text: 'Looking.' },
      called('tooluse_a', 'read', { path: 'a.ts' }),
      called('tooluse_b', 'bash', {}),
    ]);
  });

  test('a long text, in whatever pieces it travels', async () => {
    const text = Array.from({ length: 2000 }, (_, n) => `${n}é `);
    at.server.reply({ answer: { parts: [{ text }] }, pieces: 4093 });
    const seen = await observe(at.api.stream(at.request()));
    expectGrammar(seen);
    expect(seen.events).toHaveLength(2000 + 4);
    expect(seen.message.content).toEqual([{ type: 'text', text: text.join('') }]);
  });

  test('the same answer, cut at every byte', async () => {
    const delta = (grown: object, contentBlockIndex = 0) =>
      event('contentBlockDelta', { contentBlockIndex, delta: grown });
    const bytes = Buffer.concat([
      delta({ reasoningContent: { text: 'é' } }),
      event('contentBlockStop', { contentBlockIndex: 0 }),
      delta({ text: '🎉' }, 1),
      event('messageStop', { stopReason: 'end_turn' }),
    ]);
    const answerOf = async (...pieces: Uint8Array[]) => {
      const fetch = fetchOf('application/vnd.amazon.eventstream', pieces);
      const api = createBedrockConverseStream(portsWith(createFakeClock(), { fetch }), {});
      return told(await observe(api.stream(at.request())));
    };
    const whole = await answerOf(bytes);
    for (let cut = 1; cut < bytes.length; cut++) {
      expect(await answerOf(bytes.subarray(0, cut), bytes.subarray(cut)), `cut at ${cut}`).toEqual(whole);
    }
  });

  test('an answer that travels byte by byte', async () => {
    at.server.reply({ answer: { parts: [{ thinking: 'Hm 🎉' }, { text: ['né', 'é'] }] }, pieces: 1 });
    expect(await at.ask()).toMatchObject({ content: [{ thinking: 'Hm 🎉' }, { text: 'néé' }] });
  });

  test('text that is announced and then does not come leaves nothing', async () => {
    const index = { contentBlockIndex: 0 };
    const announced = [event('contentBlockStart', { ...index, start: {} }), event('contentBlockStop', index)];
    at.server.reply({ frames: [...announced, ...bedrockFrames({ parts: [] })] });
    const seen = await observe(at.api.stream(at.request()));
    expectGrammar(seen);
    expect(seen.events.map(bare)).toEqual([['start'], ['done', 'stop']]);
  });

  test('one that the length limit cut: text is kept, a half call has no arguments', async () => {
    const half = { call: 'tooluse_1', name: 'bash', input: '{"command":"rm -rf /tmp/bui' };
    at.server.reply({ answer: { parts: [{ text: 'I will' }, half], stop: 'max_tokens' } });
    const seen = await observe(at.api.stream(at.request()));
    expectGrammar(seen);
    expect(seen.events.slice(-2).map(bare)).toEqual([
      ['toolcall_end', 1, called('tooluse_1', 'bash', {})],
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

  test('thinking goes back as it came, and what was sent before does not change', async () => {
    at.server.reply(...CALLS.map((answer) => ({ answer })));
    const messages: ModelMessage[] = [user('Read them')];
    for (const count of [1, 2, 0]) {
      const answer = await at.ask({ messages: [...messages], thinkingLevel: 'medium' });
      const calls = answer.content.filter((block) => block.type === 'toolCall');
      expect(calls).toHaveLength(count);
      messages.push(answer, ...calls.map(({ id }) => result(id, 'text')));
    }
    messages.push(user('Thanks'));
    // The loopback provider would refuse lost, changed or misplaced thinking.
    expect(await at.ask({ messages, thinkingLevel: 'medium' })).toMatchObject({ content: [{ text: 'Bye.' }] });
    const sent = at.server.received.slice(-4).map(({ body }) => unmarked(body));
    for (const [n, { messages: now, ...others }] of sent.entries()) {
      if (n === 0) continue;
      const { messages: before, ...same } = sent[n - 1]!;
      expect(JSON.stringify(now).startsWith(JSON.stringify(before).slice(0, -1))).toBe(true);
      expect(JSON.stringify(others)).toBe(JSON.stringify(same));
    }
    expect(shapeOf(lastBody(at.server))).toEqual([
      'user text',
      'assistant reasoningContent, toolUse',
      'user toolResult',
      'assistant reasoningContent, text, toolUse, toolUse',
      'user toolResult, toolResult, cachePoint',
      'assistant text',
      'user text, cachePoint',
    ]);
  });

  test('the whole of a request', async () => {
    at.server.reply({ answer: { parts: [{ text: 'ok' }] } });
    await at.ask({ tools: [READ], thinkingLevel: 'low', maxTokens: 1000, headers: { 'X-Team': 'a' } });
    const { path, headers, body } = at.server.received.at(-1)!;
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

  test('a turn that another model began goes on without thinking', async () => {
    const foreign = said(at.model('other'), [called('tooluse_x')]);
    const begun = [user('Go'), foreign, result('tooluse_x', 'text')];
    const done = said(at.model('other'), [{ type: 'text', text: 'Done.' }]);
    const thinks = async (messages: ModelMessage[]) => {
      at.server.reply({ answer: { parts: [{ text: 'ok' }] } });
      expect(await at.ask({ messages, thinkingLevel: 'high' })).toMatchObject({ stopReason: 'stop' });
      return 'additionalModelRequestFields' in lastBody(at.server);
    };
    expect(await thinks(begun)).toBe(false);
    expect(await thinks([...begun, user('And hurry')])).toBe(false);
    expect(await thinks([...begun, done, user('New')])).toBe(true);
    at.server.reply({ answer: CALLS[0]! });
    const own = await at.ask({ messages: [user('Go'), done, user('New')], thinkingLevel: 'high' });
    expect(await thinks([user('Go'), done, user('New'), own, result('tooluse_1', 'text')])).toBe(true);
  });

  test('images in questions and in results, inside or behind them', async () => {
    const cases: [string, string[]][] = [
      [SONNET, ['toolResult', 'text', 'cachePoint']],
      ['us.amazon.nova-2-lite-v1:0', ['toolResult', 'text', 'cachePoint']],
      ['meta.llama4-scout-17b-instruct-v1:0', ['toolResult', 'text', 'image', 'text']],
    ];
    for (const [id, shape] of cases) {
      const model = at.model(id, { maxTokens: 8000, reasoning: false });
      const asked = user([
        { type: 'text', text: 'Compare' },
        { ...PNG, mimeType: 'image/jpg' },
      ]);
      const url = { type: 'image' as const, source: { type: 'url' as const, url: 'https://x.test/a.png' } };
      const seen = result('tooluse_1', [{ type: 'text', text: 'a.png' }, PNG, url]);
      const messages = [asked, said(model, [called('tooluse_1')]), seen, user('Well?')];
      at.server.reply({ answer: { parts: [{ text: 'A cat.' }] } });
      expect(await at.ask({ model, messages })).toMatchObject({ content: [{ text: 'A cat.' }] });
      const [first, , last] = listIn(lastBody(at.server), 'messages');
      expect(listIn(first!, 'content')[1]).toEqual({ image: { format: 'jpeg', source: { bytes: PNG.data } } });
      expect(listIn(last!, 'content').flatMap((block) => Object.keys(block))).toEqual(shape);
      expect(JSON.stringify(last)).toContain('only images that are sent along');
    }
  });

  test('results without words', async () => {
    const content = [called('a'), called('b'), called('c')];
    const messages = [
      user('Go'),
      said(at.model(), content),
      result('a', ' '),
      result('b', '', true),
      result('c', [PNG]),
    ];
    at.server.reply({ answer: { parts: [{ text: 'ok' }] } });
    expect(await at.ask({ messages })).toMatchObject({ stopReason: 'stop' });
    expect(JSON.stringify(listIn(lastBody(at.server), 'messages').at(-1))).toMatch(
      /no output.*failed and said nothing.*an image/,
    );
  });

  test('history that another model wrote is taken over, also where ids are short', async () => {
    const long = `toolu_${'x'.repeat(80)}`;
    for (const id of [SONNET, 'mistral.mistral-large-3-675b-instruct']) {
      const foreign = said(at.model('claude', { api: 'anthropic-messages', provider: 'anthropic' }), [
        { type: 'thinking', thinking: 'secret', thinkingSignature: 'foreign' },
        { type: 'text', text: 'Reading.', textSignature: 'foreign' },
        called('toolu/01:ü'),
        called(long),
      ]);
      const messages = [user('Go'), foreign, result('toolu/01:ü', 'B'), result(long, 'C')];
      at.server.reply({ answer: { parts: [{ text: 'Taken over.' }] } });
      const model = at.model(id, { maxTokens: 8000, reasoning: false });
      expect(await at.ask({ model, messages })).toMatchObject({ content: [{ text: 'Taken over.' }] });
      expect(at.server.received.at(-1)?.text).not.toMatch(/secret|foreign|toolu\/|x{60}/);
    }
  });

  test('an answer that was stopped does not stop the session', async () => {
    at.server.reply(
      { answer: { parts: [{ thinking: ['Hm', 'm.'] }, { text: WORDS }] }, pieces: 200 },
      { answer: { parts: [{ text: 'Fine.' }] } },
    );
    const aborter = new AbortController();
    const seen = await observe(at.api.stream(at.request({ signal: aborter.signal })), ({ type }, count) => {
      if (type === 'thinking_delta' && count > 2) aborter.abort();
    });
    await at.server.received.at(-1)?.closed;
    expectGrammar(seen);
    expect(seen.message).toMatchObject({ stopReason: 'aborted', content: [{ type: 'thinking' }] });
    const messages = [user('Hello'), seen.message, user('Go on')];
    expect(await at.ask({ messages, thinkingLevel: 'high' })).toMatchObject({ stopReason: 'stop' });
  });
});

describe('how hard it thinks', () => {
  const cases: [string, Parameters<typeof at.request>[0], Fields | undefined, number | undefined][] = [
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
  test.each(cases)('%s, %j', async (id, other, fields, maxTokens) => {
    const model = at.model(id, /anthropic/.test(id) ? {} : { maxTokens: 8000 });
    at.server.reply({ answer: { parts: [{ text: 'ok' }] } });
    expect(await at.ask({ model, tools: [], ...other })).toMatchObject({ stopReason: 'stop' });
    const body = lastBody(at.server);
    expect(body.additionalModelRequestFields).toEqual(fields);
    expect((body.inferenceConfig as Fields | undefined)?.maxTokens).toBe(maxTokens);
  });
});

test('caches are marked only where that saves money', async () => {
  const marks = async (id: string, cacheRead: number) => {
    at.server.reply({ answer: { parts: [{ text: 'ok' }] } });
    const cost = { input: 1, output: 1, cacheRead, cacheWrite: 1 };
    await at.ask({ model: at.model(id, { cost, maxTokens: 8000, reasoning: false }) });
    return at.server.received.at(-1)?.text.match(/cachePoint/g)?.length ?? 0;
  };
  expect(await marks(SONNET, 0.1)).toBe(2);
  expect(await marks(SONNET, 0)).toBe(0);
  expect(await marks('openai.gpt-oss-120b-1:0', 0.1)).toBe(0);
});

/** The marks of the cache wander; nothing else does. */
function unmarked(body: Fields): Fields {
  return JSON.parse(JSON.stringify(body).replaceAll(/,\{"cachePoint":\{"type":"default"\}\}/g, ''));
}

function shapeOf(body: Fields): string[] {
  return listIn(body, 'messages').map((message) => {
    return `${message.role} ${listIn(message, 'content')
      .flatMap((block) => Object.keys(block))
      .join(', ')}`;
  });
}
