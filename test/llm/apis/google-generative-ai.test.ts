// Gemini over HTTP: what answers become, and conversations that a strict provider accepts to their end.
import { describe, expect, test } from 'vitest';
import { createGoogleGenerativeAi } from '../../../src/llm/apis/ai-sdk/google-generative-ai.ts';
import { apiLoaders } from '../../../src/llm/index.ts';
import type { ModelMessage, ThinkingLevel } from '../../../src/protocol/index.ts';
import { createFakeClock } from '../../../src/testing/fake-clock.ts';
import { expectGrammar, modelApiContract, observe } from '../contract.ts';
import { KEY, startGemini } from '../servers/gemini.ts';
import { frame, type GeminiAnswer, signatureOf } from '../servers/gemini-frames.ts';
import { type Fields, lastBody, listIn } from '../servers/loopback.ts';
import { bare, called, fetchOf, modelOf, PNG, portsWith, result, said, stage, told, user } from './ai-sdk-stage.ts';

const THREE = { id: 'gemini-3-flash-preview', thinkingLevels: ['minimal', 'low', 'medium', 'high'] as ThinkingLevel[] };
const at = stage<GeminiAnswer>({
  start: startGemini,
  create: createGoogleGenerativeAi,
  model: THREE,
  apiKey: KEY,
  path: '/v1beta',
});

const WORDS = Array.from({ length: 40 }, (_, n) => `word${n} `);

modelApiContract('google-generative-ai', () => ({
  api: at.api,
  long(signal) {
    at.server.reply({ answer: { parts: [{ text: WORDS }] }, pieces: 300 });
    return at.request({ signal });
  },
  calling(signal) {
    const parts: GeminiAnswer['parts'] = [
      { call: 'read', input: { path: 'a' }, signed: true },
      { call: 'bash', input: { command: 'ls' } },
    ];
    at.server.reply({ answer: { parts } });
    return at.request({ signal });
  },
}));

describe('what an answer becomes', () => {
  test('plain text, with what it cost', async () => {
    const usage = { prompt: 51_000, cached: 50_000, output: 150, thoughts: 50 };
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
      timestamp: at.clock.now(),
    });
  });

  test('thinking, words and parallel calls, with their signatures', async () => {
    const parts: GeminiAnswer['parts'] = [
      { thought: ['**Plan', 'ning**'] },
      { text: ['Look', 'ing.'], signed: true },
      { call: 'read', input: { path: 'a.ts' }, id: 'own1', signed: true },
      { call: 'bash', input: { command: 'ls "ä\n"' } },
      { call: 'bash' },
    ];
    at.server.reply({ answer: { parts } });
    const seen = await observe(at.api.stream(at.request()));
    expectGrammar(seen);
    const calls = seen.message.content.slice(2);
    expect(seen.events.map(bare)).toEqual([
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
    expect(seen.message.content).toEqual([
      { type: 'thinking', thinking: '**Planning**' },
      { type: 'text', text: 'Looking.', textSignature: signatureOf('[false,"Looking."]') },
      {
        ...called('own1', 'read', { path: 'a.ts' }),
        thoughtSignature: signatureOf('["read",{"path":"a.ts"}]'),
      },
      called(expect.stringMatching(/^call_\w+$/), 'bash', { command: 'ls "ä\n"' }),
      called(expect.stringMatching(/^call_\w+$/), 'bash', {}),
    ]);
  });

  test('words after a call are a block of their own', async () => {
    const parts: GeminiAnswer['parts'] = [
      { text: 'Before.' },
      { call: 'read', input: { path: 'a' }, signed: true },
      { text: ['Af', 'ter.'] },
    ];
    at.server.reply({ answer: { parts } });
    const seen = await observe(at.api.stream(at.request()));
    expectGrammar(seen);
    expect(seen.message).toMatchObject({
      stopReason: 'toolUse',
      content: [{ text: 'Before.' }, { type: 'toolCall' }, { text: 'After.' }],
    });
  });

  test('a long text, in whatever pieces it travels', async () => {
    const text = Array.from({ length: 2000 }, (_, n) => `${n}é `);
    at.server.reply({ answer: { parts: [{ text }] }, pieces: 4093 });
    const seen = await observe(at.api.stream(at.request()));
    expectGrammar(seen);
    expect(seen.events).toHaveLength(2000 + 4);
    expect(seen.message.content).toEqual([{ type: 'text', text: text.join('') }]);
  });

  test('an answer that travels byte by byte', async () => {
    at.server.reply({ answer: { parts: [{ thought: 'Hm 🎉' }, { text: ['né', 'é'] }] }, pieces: 1 });
    expect(await at.ask()).toMatchObject({ content: [{ thinking: 'Hm 🎉' }, { text: 'néé' }] });
  });

  test('the same answer, cut at every byte', async () => {
    const parts = [{ text: 'é', thought: true }, { text: '🎉' }, { functionCall: { name: 'read', args: { a: 'ü' } } }];
    const chunks = parts.map((part) => ({ candidates: [{ content: { parts: [part] } }] }));
    const bytes = Buffer.concat([...chunks, { candidates: [{ finishReason: 'STOP' }] }].map(frame));
    const model = modelOf(THREE);
    const answerOf = async (...pieces: Uint8Array[]) => {
      const ports = portsWith(createFakeClock(), { fetch: fetchOf('text/event-stream', pieces) });
      return told(await observe(createGoogleGenerativeAi(ports).stream(at.request({ model }))));
    };
    const whole = await answerOf(bytes);
    for (let cut = 1; cut < bytes.length; cut++) {
      expect(await answerOf(bytes.subarray(0, cut), bytes.subarray(cut)), `cut at ${cut}`).toEqual(whole);
    }
  });

  test('an answer without anything in it', async () => {
    at.server.reply({ answer: { parts: [] } });
    const seen = await observe(at.api.stream(at.request()));
    expectGrammar(seen);
    expect(seen.events.map(bare)).toEqual([['start'], ['done', 'stop']]);
  });

  test('one that the length limit cut', async () => {
    at.server.reply({ answer: { parts: [{ text: 'I will' }], finish: 'MAX_TOKENS' } });
    expect(await at.ask()).toMatchObject({ stopReason: 'length', content: [{ text: 'I will' }] });
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

  test('signatures go back as they came, and what was sent before does not change', async () => {
    at.server.reply(...CALLS.map((answer) => ({ answer })));
    const messages: ModelMessage[] = [user('Read them')];
    for (const count of [1, 2, 0]) {
      const answer = await at.ask({ messages: [...messages] });
      const calls = answer.content.filter((block) => block.type === 'toolCall');
      expect(calls).toHaveLength(count);
      messages.push(answer, ...calls.map(({ id }) => result(id, 'text')));
    }
    messages.push(user('Thanks'));
    // The loopback provider would refuse lost, changed or misplaced signatures.
    expect(await at.ask({ messages })).toMatchObject({ stopReason: 'stop', content: [{ text: 'Bye.' }] });
    const sent = at.server.received.slice(-4).map(({ body }) => body);
    for (const [n, { contents, ...others }] of sent.entries()) {
      if (n === 0) continue;
      const { contents: before, ...same } = sent[n - 1]!;
      expect(JSON.stringify(contents).startsWith(JSON.stringify(before).slice(0, -1))).toBe(true);
      expect(JSON.stringify(others)).toBe(JSON.stringify(same));
    }
    const turns = listIn(lastBody(at.server), 'contents').map((content) => {
      const parts = listIn(content, 'parts').map((part) => Object.keys(part).join('+'));
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

  test('the whole of a request', async () => {
    at.server.reply({ answer: { parts: [{ text: 'ok' }] } });
    const parameters = {
      type: 'object',
      properties: { paths: { type: 'array', items: { type: 'string' } }, how: { enum: ['a', 'b'] } },
      additionalProperties: false,
    };
    const tools = [{ name: 'look', description: 'Look.', parameters }];
    await at.ask({ tools, thinkingLevel: 'low', maxTokens: 1000, headers: { 'X-Team': 'a' } });
    const { path, headers, body } = at.server.received.at(-1)!;
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

  test('images in questions and in results, for models of both ages', async () => {
    for (const id of ['gemini-3-flash-preview', 'gemini-2.5-flash']) {
      const model = at.model(id);
      const call: GeminiAnswer = { parts: [{ call: 'read', input: { path: 'a.png' }, signed: true }] };
      at.server.reply({ answer: call }, { answer: { parts: [{ text: 'A cat.' }] } });
      const gif = { ...PNG, mimeType: 'image/gif' };
      const asked = user([{ type: 'text', text: 'Compare' }, PNG, gif, { ...PNG, data: '' }]);
      const answer = await at.ask({ model, messages: [asked] });
      const { id: callId } = answer.content[0] as { id: string };
      const messages = [
        asked,
        answer,
        result(callId, [PNG, { type: 'text', text: 'a.png' }, { type: 'text', text: '1' }]),
      ];
      expect(await at.ask({ model, messages })).toMatchObject({ content: [{ text: 'A cat.' }] });
      const [first, , last] = listIn(lastBody(at.server), 'contents') as { parts?: Fields[] }[];
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

  test('results without words', async () => {
    const messages = [
      user('Go'),
      said(at.model(), [called('a'), called('b'), called('c')]),
      result('a', ''),
      result('b', '', true),
      result('c', [PNG]),
    ];
    at.server.reply({ answer: { parts: [{ text: 'ok' }] } });
    expect(await at.ask({ messages })).toMatchObject({ stopReason: 'stop' });
    const parts = listIn(listIn(lastBody(at.server), 'contents').at(-1) ?? {}, 'parts');
    expect(parts.map(({ functionResponse }) => (functionResponse as { response: Fields }).response.content)).toEqual([
      '(no output)',
      'The tool failed and said nothing.',
      '(an image)',
    ]);
  });

  test('history that another model wrote is taken over', async () => {
    const foreign = said(at.model('claude', { api: 'anthropic-messages', provider: 'anthropic' }), [
      { type: 'thinking', thinking: 'secret', thinkingSignature: 'foreign' },
      { type: 'text', text: 'Reading.', textSignature: 'foreign' },
      { ...called('toolu/01:ü'), thoughtSignature: 'foreign' },
      called(`toolu_${'x'.repeat(80)}`),
    ] as never);
    const silent = said(at.model('claude', { provider: 'anthropic' }), [{ type: 'thinking', thinking: 'secret' }]);
    const messages = [
      user('Go'),
      foreign,
      result('toolu/01:ü', 'B'),
      result(`toolu_${'x'.repeat(80)}`, 'C'),
      silent,
      user(''),
      user('Go on'),
    ];
    at.server.reply({ answer: { parts: [{ text: 'Taken over.' }] } });
    expect(await at.ask({ messages })).toMatchObject({ content: [{ text: 'Taken over.' }] });
    expect(at.server.received.at(-1)?.text).not.toMatch(/secret|foreign|toolu\/|x{60}/);
  });

  test('an answer that was stopped does not stop the session', async () => {
    at.server.reply(
      { answer: { parts: [{ thought: 'Hm.' }, { text: WORDS, signed: true }] }, pieces: 300 },
      { answer: { parts: [{ text: 'Fine.' }] } },
    );
    const aborter = new AbortController();
    const seen = await observe(at.api.stream(at.request({ signal: aborter.signal })), ({ type }, count) => {
      if (type === 'text_delta' && count > 9) aborter.abort();
    });
    await at.server.received.at(-1)?.closed;
    expectGrammar(seen);
    expect(seen.message).toMatchObject({ stopReason: 'aborted', content: [{ thinking: 'Hm.' }, { type: 'text' }] });
    expect(await at.ask({ messages: [user('Hello'), seen.message, user('Go on')] })).toMatchObject({
      stopReason: 'stop',
    });
  });
});

describe('how hard it thinks', () => {
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
    at.server.reply({ answer: { parts: [{ text: 'ok' }] } });
    const thinkingLevels: ThinkingLevel[] = /3\.1/.test(id) ? ['low', 'medium', 'high'] : THREE.thinkingLevels;
    const model = at.model(id, { reasoning: !/2\.0/.test(id), thinkingLevels });
    expect(await at.ask({ model, thinkingLevel })).toMatchObject({ stopReason: 'stop' });
    const { generationConfig } = at.server.received.at(-1)!.body as { generationConfig: Fields };
    expect(generationConfig.thinkingConfig).toEqual(thinkingConfig);
  });
});

test('the table of formats loads it, when there is a network', async () => {
  const load = apiLoaders({ clock: at.clock, wire: portsWith(at.clock) })['google-generative-ai'];
  expect((await load?.())?.stream).toBeTypeOf('function');
});
