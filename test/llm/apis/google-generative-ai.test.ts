// Gemini over HTTP: reading replies, and conversations that a strict server accepts.
import { describe, expect, test } from 'vitest';
import { createGoogleGenerativeAi } from '../../../src/llm/apis/ai-sdk/google-generative-ai.ts';
import { createApiLoaders } from '../../../src/llm/index.ts';
import type { ModelMessage, ThinkingLevel } from '../../../src/protocol/index.ts';
import { createFakeClock } from '../../../src/testing/fake-clock.ts';
import { expectGrammar, modelApiContract, observe } from '../contract.ts';
import { KEY, startGemini } from '../servers/gemini.ts';
import { createSignature, frame, type GeminiAnswer } from '../servers/gemini-frames.ts';
import { type Fields, getList, lastBody } from '../servers/loopback.ts';
import { createApiFixture, createFetch, createModel, PNG, toComparable } from './ai-sdk-fixture.ts';
import { createPorts } from './api-fixture.ts';
import { assistant, result, summarizeEvent, toolCall, user } from './request-samples.ts';

const GEMINI_3 = {
  id: 'gemini-3-flash-preview',
  thinkingLevels: ['minimal', 'low', 'medium', 'high'] as ThinkingLevel[],
};
const fixture = createApiFixture<GeminiAnswer>({
  start: startGemini,
  create: createGoogleGenerativeAi,
  model: GEMINI_3,
  apiKey: KEY,
  path: '/v1beta',
});

const WORDS = Array.from({ length: 40 }, (_, n) => `word${n} `);

modelApiContract('google-generative-ai', () => ({
  api: fixture.api,
  long(signal) {
    fixture.server.reply({ answer: { parts: [{ text: WORDS }] }, pieces: 300 });
    return fixture.request({ signal });
  },
  calling(signal) {
    const parts: GeminiAnswer['parts'] = [
      { call: 'read', input: { path: 'a' }, signed: true },
      { call: 'bash', input: { command: 'ls' } },
    ];
    fixture.server.reply({ answer: { parts } });
    return fixture.request({ signal });
  },
}));

describe('reading a reply', () => {
  test('plain text with usage and cost', async () => {
    const usage = { prompt: 51_000, cached: 50_000, output: 150, thoughts: 50 };
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
      api: 'google-generative-ai',
      provider: 'google',
      model: 'gemini-3-flash-preview',
      usage: {
        input: 1000,
        output: 200,
        cacheRead: 50_000,
        cacheWrite: 0,
        cost: { input: 0.002, output: 0.002, cacheRead: 0.01, cacheWrite: 0, total: expect.closeTo(0.014, 10) },
      },
      stopReason: 'stop',
      timestamp: fixture.clock.now(),
    });
  });

  test('thinking, text and parallel calls with their signatures', async () => {
    const parts: GeminiAnswer['parts'] = [
      { thought: ['**Plan', 'ning**'] },
      { text: ['Look', 'ing.'], signed: true },
      { call: 'read', input: { path: 'a.ts' }, id: 'own1', signed: true },
      { call: 'bash', input: { command: 'ls "ä\n"' } },
      { call: 'bash' },
    ];
    fixture.server.reply({ answer: { parts } });
    const observed = await observe(fixture.api.stream(fixture.request()));
    expectGrammar(observed);
    const calls = observed.message.content.slice(2);
    expect(observed.events.map(summarizeEvent)).toEqual([
      ['start'],
      ['thinking_start', 0],
      ['thinking_delta', 0, '**Plan'],
      ['thinking_delta', 0, 'ning**'],
      ['thinking_end', 0, '**Planning**'],
      ['text_start', 1],
      ['text_delta', 1, 'Look'],
      ['text_delta', 1, 'ing.'],
      ['text_end', 1, 'Looking.'],
      ['toolcall_start', 2],
      ['toolcall_delta', 2, '{"path":"a.ts"}'],
      ['toolcall_end', 2, calls[0]],
      ['toolcall_start', 3],
      ['toolcall_delta', 3, '{"command":"ls \\"ä\\n\\""}'],
      ['toolcall_end', 3, calls[1]],
      ['toolcall_start', 4],
      ['toolcall_end', 4, calls[2]],
      ['done', 'toolUse'],
    ]);
    expect(observed.message.content).toEqual([
      { type: 'thinking', thinking: '**Planning**' },
      { type: 'text', text: 'Looking.', textSignature: createSignature('[false,"Looking."]') },
      {
        ...toolCall('own1', 'read', { path: 'a.ts' }),
        thoughtSignature: createSignature('["read",{"path":"a.ts"}]'),
      },
      toolCall(expect.stringMatching(/^call_\w+$/), 'bash', { command: 'ls "ä\n"' }),
      toolCall(expect.stringMatching(/^call_\w+$/), 'bash', {}),
    ]);
  });

  test('text after a call is a separate block', async () => {
    const parts: GeminiAnswer['parts'] = [
      { text: 'Before.' },
      { call: 'read', input: { path: 'a' }, signed: true },
      { text: ['Af', 'ter.'] },
    ];
    fixture.server.reply({ answer: { parts } });
    const observed = await observe(fixture.api.stream(fixture.request()));
    expectGrammar(observed);
    expect(observed.message).toMatchObject({
      stopReason: 'toolUse',
      content: [{ text: 'Before.' }, { type: 'toolCall' }, { text: 'After.' }],
    });
  });

  test('a long text in chunks of any size', async () => {
    const text = Array.from({ length: 2000 }, (_, n) => `${n}é `);
    fixture.server.reply({ answer: { parts: [{ text }] }, pieces: 4093 });
    const observed = await observe(fixture.api.stream(fixture.request()));
    expectGrammar(observed);
    expect(observed.events).toHaveLength(2000 + 4);
    expect(observed.message.content).toEqual([{ type: 'text', text: text.join('') }]);
  });

  test('a reply in single bytes', async () => {
    fixture.server.reply({ answer: { parts: [{ thought: 'Hm 🎉' }, { text: ['né', 'é'] }] }, pieces: 1 });
    expect(await fixture.ask()).toMatchObject({ content: [{ thinking: 'Hm 🎉' }, { text: 'néé' }] });
  });

  test('the same reply split at every byte', async () => {
    const parts = [{ text: 'é', thought: true }, { text: '🎉' }, { functionCall: { name: 'read', args: { a: 'ü' } } }];
    const chunks = parts.map((part) => ({ candidates: [{ content: { parts: [part] } }] }));
    const bytes = Buffer.concat([...chunks, { candidates: [{ finishReason: 'STOP' }] }].map(frame));
    const model = createModel(GEMINI_3);
    const readReply = async (...pieces: Uint8Array[]) => {
      const ports = createPorts(createFakeClock(), { fetch: createFetch('text/event-stream', pieces) });
      return toComparable(await observe(createGoogleGenerativeAi(ports).stream(fixture.request({ model }))));
    };
    const expected = await readReply(bytes);
    for (let index = 1; index < bytes.length; index++) {
      expect(await readReply(bytes.subarray(0, index), bytes.subarray(index)), `split at ${index}`).toEqual(expected);
    }
  });

  test('an empty reply', async () => {
    fixture.server.reply({ answer: { parts: [] } });
    const observed = await observe(fixture.api.stream(fixture.request()));
    expectGrammar(observed);
    expect(observed.events.map(summarizeEvent)).toEqual([['start'], ['done', 'stop']]);
  });

  test('a reply cut by the length limit', async () => {
    fixture.server.reply({ answer: { parts: [{ text: 'I will' }], finish: 'MAX_TOKENS' } });
    expect(await fixture.ask()).toMatchObject({ stopReason: 'length', content: [{ text: 'I will' }] });
  });
});

describe('a conversation', () => {
  const CALLS: readonly GeminiAnswer[] = [
    { parts: [{ thought: 'First a.' }, { call: 'read', input: { path: 'a' }, signed: true }] },
    {
      parts: [
        { thought: 'Then both.', signed: true },
        { text: 'And', signed: true },
        { call: 'read', input: { path: 'b' }, id: 'own1', signed: true },
        { call: 'read', input: { path: 'c' }, id: 'own2' },
      ],
    },
    { parts: [{ text: ['Do', 'ne.'], signed: true }] },
    { parts: [{ text: 'Bye.' }] },
  ];

  test('signatures are sent back unchanged, and earlier messages do not change', async () => {
    fixture.server.reply(...CALLS.map((answer) => ({ answer })));
    const messages: ModelMessage[] = [user('Read them')];
    for (const count of [1, 2, 0]) {
      const answer = await fixture.ask({ messages: [...messages] });
      const calls = answer.content.filter((block) => block.type === 'toolCall');
      expect(calls).toHaveLength(count);
      messages.push(answer, ...calls.map(({ id }) => result(id, 'text')));
    }
    messages.push(user('Thanks'));
    // The loopback provider rejects missing, changed or misplaced signatures.
    expect(await fixture.ask({ messages })).toMatchObject({ stopReason: 'stop', content: [{ text: 'Bye.' }] });
    const sent = fixture.server.received.slice(-4).map(({ body }) => body);
    for (const [n, { contents, ...others }] of sent.entries()) {
      if (n === 0) continue;
      const { contents: previous, ...previousOthers } = sent[n - 1]!;
      expect(JSON.stringify(contents).startsWith(JSON.stringify(previous).slice(0, -1))).toBe(true);
      expect(JSON.stringify(others)).toBe(JSON.stringify(previousOthers));
    }
    const turns = getList(lastBody(fixture.server), 'contents').map((content) => {
      const parts = getList(content, 'parts').map((part) => Object.keys(part).join('+'));
      return `${content.role} ${parts.join(', ')}`;
    });
    expect(turns).toEqual([
      'user text',
      'model functionCall+thoughtSignature',
      'user functionResponse',
      'model text+thought+thoughtSignature, text+thoughtSignature, functionCall+thoughtSignature, functionCall',
      'user functionResponse, functionResponse',
      'model text+thoughtSignature',
      'user text',
    ]);
  });

  test('a complete request', async () => {
    fixture.server.reply({ answer: { parts: [{ text: 'ok' }] } });
    const parameters = {
      type: 'object',
      properties: { paths: { type: 'array', items: { type: 'string' } }, how: { enum: ['a', 'b'] } },
      additionalProperties: false,
    };
    const tools = [{ name: 'look', description: 'Look.', parameters }];
    await fixture.ask({ tools, thinkingLevel: 'low', maxTokens: 1000, headers: { 'X-Team': 'a' } });
    const { path, headers, body } = fixture.server.received.at(-1)!;
    expect(path).toBe('POST /v1beta/models/gemini-3-flash-preview:streamGenerateContent?alt=sse');
    expect(headers).toMatchObject({ 'x-goog-api-key': KEY, 'user-agent': 'parley/test', 'x-team': 'a' });
    expect(body).toEqual({
      generationConfig: { maxOutputTokens: 3048, thinkingConfig: { includeThoughts: true, thinkingLevel: 'low' } },
      contents: [{ role: 'user', parts: [{ text: 'Hello' }] }],
      systemInstruction: { parts: [{ text: 'You are a careful engineer.' }] },
      tools: [
        {
          functionDeclarations: [
            {
              name: 'look',
              description: 'Look.',
              parameters: {
                type: 'object',
                properties: {
                  paths: { type: 'array', items: { type: 'string' } },
                  how: { type: 'string', enum: ['a', 'b'] },
                },
              },
            },
          ],
        },
      ],
    });
  });

  test('images in prompts and in results, for old and new models', async () => {
    for (const id of ['gemini-3-flash-preview', 'gemini-2.5-flash']) {
      const model = fixture.model(id);
      const call: GeminiAnswer = { parts: [{ call: 'read', input: { path: 'a.png' }, signed: true }] };
      fixture.server.reply({ answer: call }, { answer: { parts: [{ text: 'A cat.' }] } });
      const gif = { ...PNG, mimeType: 'image/gif' };
      const prompt = user([{ type: 'text', text: 'Compare' }, PNG, gif, { ...PNG, data: '' }]);
      const answer = await fixture.ask({ model, messages: [prompt] });
      const { id: callId } = answer.content[0] as { id: string };
      const messages = [
        prompt,
        answer,
        result(callId, [PNG, { type: 'text', text: 'a.png' }, { type: 'text', text: '1' }]),
      ];
      expect(await fixture.ask({ model, messages })).toMatchObject({ content: [{ text: 'A cat.' }] });
      const [first, , last] = getList(lastBody(fixture.server), 'contents') as { parts?: Fields[] }[];
      expect(first?.parts).toEqual([
        { text: 'Compare' },
        { inlineData: { mimeType: 'image/png', data: PNG.data } },
        { text: '[An image was left out: this model does not read image/gif.]' },
        { text: '[An image was left out: it is empty.]' },
      ]);
      expect(last?.parts?.filter((part) => part.functionResponse)).toMatchObject([
        { functionResponse: { id: callId, response: { content: 'a.png\n1' } } },
      ]);
      expect(JSON.stringify(last)).toContain('inlineData');
    }
  });

  test('results without text', async () => {
    const messages = [
      user('Go'),
      assistant(fixture.model(), [toolCall('a'), toolCall('b'), toolCall('c')]),
      result('a', ''),
      result('b', '', true),
      result('c', [PNG]),
    ];
    fixture.server.reply({ answer: { parts: [{ text: 'ok' }] } });
    expect(await fixture.ask({ messages })).toMatchObject({ stopReason: 'stop' });
    const parts = getList(getList(lastBody(fixture.server), 'contents').at(-1) ?? {}, 'parts');
    expect(parts.map(({ functionResponse }) => (functionResponse as { response: Fields }).response.content)).toEqual([
      '(no output)',
      'The tool failed without output.',
      '(an image)',
    ]);
  });

  test('a history of another model is accepted', async () => {
    const foreign = assistant(fixture.model('claude', { api: 'anthropic-messages', provider: 'anthropic' }), [
      { type: 'thinking', thinking: 'secret', thinkingSignature: 'foreign' },
      { type: 'text', text: 'Reading.', textSignature: 'foreign' },
      { ...toolCall('toolu/01:ü'), thoughtSignature: 'foreign' },
      toolCall(`toolu_${'x'.repeat(80)}`),
    ] as never);
    const thinkingOnly = assistant(fixture.model('claude', { provider: 'anthropic' }), [
      { type: 'thinking', thinking: 'secret' },
    ]);
    const messages = [
      user('Go'),
      foreign,
      result('toolu/01:ü', 'B'),
      result(`toolu_${'x'.repeat(80)}`, 'C'),
      thinkingOnly,
      user(''),
      user('Go on'),
    ];
    fixture.server.reply({ answer: { parts: [{ text: 'Taken over.' }] } });
    expect(await fixture.ask({ messages })).toMatchObject({ content: [{ text: 'Taken over.' }] });
    expect(fixture.server.received.at(-1)?.text).not.toMatch(/secret|foreign|toolu\/|x{60}/);
  });

  test('an aborted reply does not block the session', async () => {
    fixture.server.reply(
      { answer: { parts: [{ thought: 'Hm.' }, { text: WORDS, signed: true }] }, pieces: 300 },
      { answer: { parts: [{ text: 'Fine.' }] } },
    );
    const aborter = new AbortController();
    const observed = await observe(
      fixture.api.stream(fixture.request({ signal: aborter.signal })),
      ({ type }, count) => {
        if (type === 'text_delta' && count > 9) aborter.abort();
      },
    );
    await fixture.server.received.at(-1)?.closed;
    expectGrammar(observed);
    expect(observed.message).toMatchObject({ stopReason: 'aborted', content: [{ thinking: 'Hm.' }, { type: 'text' }] });
    expect(await fixture.ask({ messages: [user('Hello'), observed.message, user('Go on')] })).toMatchObject({
      stopReason: 'stop',
    });
  });
});

describe('thinking options', () => {
  const cases: [string, ThinkingLevel, Fields | undefined][] = [
    ['gemini-2.0-flash', 'off', undefined],
    ['gemini-2.5-flash', 'off', { includeThoughts: false, thinkingBudget: 0 }],
    ['gemini-2.5-flash', 'minimal', { includeThoughts: true, thinkingBudget: 512 }],
    ['gemini-2.5-flash', 'high', { includeThoughts: true, thinkingBudget: 24_576 }],
    ['gemini-2.5-pro', 'off', { includeThoughts: false, thinkingBudget: 128 }],
    ['gemini-2.5-pro', 'xhigh', { includeThoughts: true, thinkingBudget: 24_576 }],
    ['gemini-3-flash-preview', 'off', { includeThoughts: false, thinkingLevel: 'minimal' }],
    ['gemini-3-flash-preview', 'minimal', { includeThoughts: true, thinkingLevel: 'minimal' }],
    ['gemini-3.1-pro-preview', 'off', { includeThoughts: false, thinkingLevel: 'low' }],
    ['gemini-3.1-pro-preview', 'minimal', { includeThoughts: true, thinkingLevel: 'low' }],
    ['gemini-3.1-pro-preview', 'medium', { includeThoughts: true, thinkingLevel: 'medium' }],
    ['gemini-3.1-pro-preview', 'xhigh', { includeThoughts: true, thinkingLevel: 'high' }],
  ];
  test.each(cases)('%s, %s', async (id, thinkingLevel, thinkingConfig) => {
    fixture.server.reply({ answer: { parts: [{ text: 'ok' }] } });
    const thinkingLevels: ThinkingLevel[] = /3\.1/.test(id) ? ['low', 'medium', 'high'] : GEMINI_3.thinkingLevels;
    const model = fixture.model(id, { reasoning: !/2\.0/.test(id), thinkingLevels });
    expect(await fixture.ask({ model, thinkingLevel })).toMatchObject({ stopReason: 'stop' });
    const { generationConfig } = fixture.server.received.at(-1)!.body as { generationConfig: Fields };
    expect(generationConfig.thinkingConfig).toEqual(thinkingConfig);
  });
});

test('createApiLoaders loads it when wire ports are given', async () => {
  const load = createApiLoaders({ clock: fixture.clock, wire: createPorts(fixture.clock) })['google-generative-ai'];
  expect((await load?.())?.stream).toBeTypeOf('function');
});
