import { describe, expect, test } from 'vitest';
import { createApiLoaders } from '../../../src/llm/index.ts';
import { expectGrammar, modelApiContract, observe } from '../contract.ts';
import { KEY, OAUTH_TOKEN } from '../servers/anthropic-messages.ts';
import type { Answer } from '../servers/anthropic-messages-frames.ts';
import { createApiFixture } from './anthropic-fixture.ts';
import { assistant, result, summarizeEvent, toolCall, user } from './request-samples.ts';

const fixture = createApiFixture();

const WORDS = Array.from({ length: 40 }, (_, n) => `word${n} `);
const CALLS: Answer = {
  parts: [
    { text: ['Looking ', 'at both.'] },
    { call: 'toolu_01A', name: 'read', input: { path: 'a.ts' } },
    { call: 'toolu_01B', name: 'bash', input: { command: 'ls "ä\n"' } },
  ],
};

modelApiContract('anthropic-messages', () => ({
  api: fixture.api,
  long(signal) {
    fixture.server.reply({ answer: { parts: [{ text: WORDS }] }, pieces: 100 });
    return fixture.request({ signal });
  },
  calling(signal) {
    fixture.server.reply({ answer: CALLS });
    return fixture.request({ signal });
  },
}));

describe('reading a reply', () => {
  test('plain text with usage and cost', async () => {
    const usage = {
      input_tokens: 1000,
      output_tokens: 200,
      cache_read_input_tokens: 50_000,
      cache_creation_input_tokens: 4000,
    };
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
      api: 'anthropic-messages',
      provider: 'anthropic',
      model: 'claude-sonnet-4-5',
      usage: {
        input: 1000,
        output: 200,
        cacheRead: 50_000,
        cacheWrite: 4000,
        cost: { input: 0.003, output: 0.003, cacheRead: 0.015, cacheWrite: 0.015, total: 0.036 },
      },
      stopReason: 'stop',
      timestamp: fixture.clock.now(),
    });
  });

  test('parallel tool calls with streamed arguments', async () => {
    fixture.server.reply({ answer: CALLS });
    const partialCalls: unknown[] = [];
    const observed = await observe(fixture.api.stream(fixture.request()), (event) => {
      if (event.type === 'toolcall_delta')
        partialCalls.push(structuredClone(event.partial.content[event.contentIndex]));
    });
    expectGrammar(observed);
    expect(observed.events.map(summarizeEvent)).toEqual([
      ['start'],
      ['text_start', 0],
      ['text_delta', 0, 'Looking '],
      ['text_delta', 0, 'at both.'],
      ['text_end', 0, 'Looking at both.'],
      ['toolcall_start', 1],
      ['toolcall_delta', 1, '{"path"'],
      ['toolcall_delta', 1, ':"a.ts"'],
      ['toolcall_delta', 1, '}'],
      ['toolcall_end', 1, toolCall('toolu_01A', 'read', { path: 'a.ts' })],
      ['toolcall_start', 2],
      ['toolcall_delta', 2, '{"comma'],
      ['toolcall_delta', 2, 'nd":"ls'],
      ['toolcall_delta', 2, ' \\"ä\\n\\'],
      ['toolcall_delta', 2, '""}'],
      ['toolcall_end', 2, toolCall('toolu_01B', 'bash', { command: 'ls "ä\n"' })],
      ['done', 'toolUse'],
    ]);
    expect(partialCalls).toEqual([
      toolCall('toolu_01A', 'read', {}),
      toolCall('toolu_01A', 'read', { path: 'a.ts' }),
      toolCall('toolu_01A', 'read', { path: 'a.ts' }),
      toolCall('toolu_01B', 'bash', {}),
      toolCall('toolu_01B', 'bash', { command: 'ls' }),
      toolCall('toolu_01B', 'bash', { command: 'ls "ä\n' }),
      toolCall('toolu_01B', 'bash', { command: 'ls "ä\n' }),
    ]);
  });

  test('thinking with its signature, redacted thinking with its data', async () => {
    const parts = [
      { thinking: ['Let me ', 'see.'], signature: 'c2lnbmVk' },
      { redacted: 'aGlkZGVu' },
      { text: 'Yes.' },
    ];
    fixture.server.reply({ answer: { parts } });
    const observed = await observe(fixture.api.stream(fixture.request({ thinkingLevel: 'low' })));
    expectGrammar(observed);
    expect(observed.events.map(summarizeEvent)).toEqual([
      ['start'],
      ['thinking_start', 0],
      ['thinking_delta', 0, 'Let me '],
      ['thinking_delta', 0, 'see.'],
      ['thinking_end', 0, 'Let me see.'],
      ['thinking_start', 1],
      ['thinking_end', 1, ''],
      ['text_start', 2],
      ['text_delta', 2, 'Yes.'],
      ['text_end', 2, 'Yes.'],
      ['done', 'stop'],
    ]);
    expect(observed.message.content).toEqual([
      { type: 'thinking', thinking: 'Let me see.', thinkingSignature: 'c2lnbmVk' },
      { type: 'thinking', thinking: '', thinkingSignature: 'aGlkZGVu', redacted: true },
      { type: 'text', text: 'Yes.' },
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

  test.each([1, 7, 64])('the same events in chunks of %i bytes', async (pieces) => {
    fixture.server.reply({ answer: CALLS }, { answer: CALLS, pieces });
    const expected = await observe(fixture.api.stream(fixture.request()));
    const split = await observe(fixture.api.stream(fixture.request()));
    expect(split.events.map(summarizeEvent)).toEqual(expected.events.map(summarizeEvent));
  });

  test('tools run by the provider are omitted', async () => {
    fixture.server.reply({
      answer: { parts: [{ text: 'Searching.' }, { search: 'x' }, { text: 'Found.' }], stop: 'pause_turn' },
    });
    const observed = await observe(fixture.api.stream(fixture.request()));
    expectGrammar(observed);
    expect(observed.message).toMatchObject({
      stopReason: 'stop',
      content: [
        { type: 'text', text: 'Searching.' },
        { type: 'text', text: 'Found.' },
      ],
    });
  });

  test('an empty reply', async () => {
    fixture.server.reply({ answer: { parts: [] } });
    const observed = await observe(fixture.api.stream(fixture.request()));
    expectGrammar(observed);
    expect(observed.events.map(summarizeEvent)).toEqual([['start'], ['done', 'stop']]);
  });

  test('a reply cut by the length limit keeps its text, an incomplete call has no arguments', async () => {
    const parts = [{ text: 'I will' }, { call: 'toolu_01', name: 'bash', input: '{"command":"rm -rf /tmp/bui' }];
    fixture.server.reply({ answer: { parts, stop: 'max_tokens' } });
    const observed = await observe(fixture.api.stream(fixture.request()));
    expectGrammar(observed);
    expect(observed.events.slice(-2).map(summarizeEvent)).toEqual([
      ['toolcall_end', 1, toolCall('toolu_01', 'bash', {})],
      ['done', 'length'],
    ]);
  });

  test('a reply cut by the context window', async () => {
    fixture.server.reply({ answer: { parts: [{ text: 'Half' }], stop: 'model_context_window_exceeded' } });
    expect(await fixture.ask()).toMatchObject({ stopReason: 'length', content: [{ text: 'Half' }] });
  });
});

describe('a conversation', () => {
  test('thinking is sent back unchanged, and earlier messages do not change', async () => {
    const model = fixture.model('claude-opus-5-5');
    const turn = { model, thinkingLevel: 'high' as const };
    fixture.server.reply(
      { answer: { parts: [{ thinking: 'First a.' }, { call: 'toolu_01', name: 'read', input: { path: 'a' } }] } },
      {
        answer: {
          parts: [{ redacted: 'b3BhcXVl' }, { text: 'And ' }, { call: 'toolu_02', name: 'read', input: { path: 'b' } }],
        },
      },
      { answer: { parts: [{ thinking: '' }, { text: 'Done.' }] } },
      { answer: { parts: [{ text: 'Bye.' }] } },
    );
    const first = [user('Read both')];
    const second = [...first, await fixture.ask({ ...turn, messages: first }), result('toolu_01', 'A')];
    const third = [...second, await fixture.ask({ ...turn, messages: second }), result('toolu_02', 'B')];
    const fourth = [...third, await fixture.ask({ ...turn, messages: third }), user('Thanks')];
    // The loopback provider rejects changed signatures, and signatures after changed messages.
    expect(await fixture.ask({ ...turn, messages: fourth })).toMatchObject({
      stopReason: 'stop',
      content: [{ text: 'Bye.' }],
    });
    const sent = fixture.server.received
      .slice(-4)
      .map(({ body }) => serializeWithoutMarkers([body.tools, body.system, body.messages]));
    for (const [n, text] of sent.entries()) if (n > 0) expect(text.startsWith(sent[n - 1]!.slice(0, -2))).toBe(true);
  });

  test('thinking from before a compaction is accepted', async () => {
    const turn = { model: fixture.model('claude-fable-5-1'), thinkingLevel: 'medium' as const };
    const call = { call: 'toolu_01', name: 'read', input: {} };
    fixture.server.reply(
      { answer: { parts: [{ thinking: 'Hm.' }, call] } },
      { answer: { parts: [{ text: 'Fine.' }] } },
    );
    const answer = await fixture.ask({ ...turn, messages: [user('A long story')] });
    const messages = [user('A short summary'), answer, result('toolu_01', 'x')];
    expect(await fixture.ask({ ...turn, messages })).toMatchObject({ stopReason: 'stop' });
  });

  test('a history of another model is accepted', async () => {
    const other = fixture.model('gpt-x', { api: 'openai-responses', provider: 'openai' });
    const id = 'call_9|fc_0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef';
    const messages = [
      user('Go'),
      assistant(other, [
        { type: 'thinking', thinking: 'secret', thinkingSignature: '{"foreign":true}' },
        { type: 'text', text: 'Reading.', textSignature: 'msg_1' },
        { ...toolCall(id), thoughtSignature: 'foreign' } as ReturnType<typeof toolCall>,
      ]),
      result(id, 'text'),
    ];
    fixture.server.reply({ answer: { parts: [{ text: 'Taken over.' }] } });
    expect(await fixture.ask({ messages, thinkingLevel: 'high' })).toMatchObject({
      content: [{ text: 'Taken over.' }],
    });
    expect(JSON.stringify(fixture.server.received.at(-1)?.body)).not.toMatch(/secret|foreign|msg_1/);
  });
});

test('createApiLoaders loads it when wire ports are given', async () => {
  const wire = {
    fetch,
    send: fetch,
    clock: fixture.clock,
    userAgent: 'parley/test',
    idleTimeoutMs: 1,
    totalTimeoutMs: 1,
  };
  const load = createApiLoaders({ clock: fixture.clock, wire })['anthropic-messages'];
  expect((await load?.())?.stream).toBeTypeOf('function');
  expect(Object.keys(createApiLoaders({ clock: fixture.clock }))).not.toContain('anthropic-messages');
});

test('the key is sent to the provider and appears in no event', async () => {
  fixture.server.reply({ answer: { parts: [{ text: 'ok' }] } });
  const observed = await observe(fixture.api.stream(fixture.request()));
  expect(fixture.server.received.at(-1)?.headers).toMatchObject({ 'x-api-key': KEY, 'user-agent': 'parley/test' });
  expect(JSON.stringify(observed.events)).not.toContain(KEY);
});

test('an OAuth token is accepted', async () => {
  fixture.server.reply({ answer: { parts: [{ text: 'ok' }] } });
  expect(await fixture.ask({ apiKey: OAUTH_TOKEN })).toMatchObject({ stopReason: 'stop' });
});

function serializeWithoutMarkers(value: unknown): string {
  return JSON.stringify(value, (key, inner: unknown) => (key === 'cache_control' ? undefined : inner));
}
