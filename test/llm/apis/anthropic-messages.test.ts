import { describe, expect, test } from 'vitest';
import { apiLoaders } from '../../../src/llm/index.ts';
import { expectGrammar, modelApiContract, observe } from '../contract.ts';
import { KEY, OAUTH_TOKEN } from '../servers/anthropic-messages.ts';
import type { Answer } from '../servers/anthropic-messages-frames.ts';
import { bare, called, result, said, stage, user } from './anthropic-stage.ts';

const at = stage();

const WORDS = Array.from({ length: 40 }, (_, n) => `word${n} `);
const CALLS: Answer = {
  parts: [
    { text: ['Looking ', 'at both.'] },
    { call: 'toolu_01A', name: 'read', input: { path: 'a.ts' } },
    { call: 'toolu_01B', name: 'bash', input: { command: 'ls "ä\n"' } },
  ],
};

modelApiContract('anthropic-messages', () => ({
  api: at.api,
  long(signal) {
    at.server.reply({ answer: { parts: [{ text: WORDS }] }, pieces: 100 });
    return at.request({ signal });
  },
  calling(signal) {
    at.server.reply({ answer: CALLS });
    return at.request({ signal });
  },
}));

describe('what an answer becomes', () => {
  test('plain text, with what it cost', async () => {
    const usage = {
      input_tokens: 1000,
      output_tokens: 200,
      cache_read_input_tokens: 50_000,
      cache_creation_input_tokens: 4000,
    };
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
      timestamp: at.clock.now(),
    });
  });

  test('parallel tool calls, their arguments growing as they come', async () => {
    at.server.reply({ answer: CALLS });
    const shown: unknown[] = [];
    const seen = await observe(at.api.stream(at.request()), (event) => {
      if (event.type === 'toolcall_delta') shown.push(structuredClone(event.partial.content[event.contentIndex]));
    });
    expectGrammar(seen);
    expect(seen.events.map(bare)).toEqual([
      ['start'],
      ['text_start', 0],
      ['text_delta', 0, 'Looking '],
      ['text_delta', 0, 'at both.'],
      ['text_end', 0, 'Looking at both.'],
      ['toolcall_start', 1],
      ['toolcall_delta', 1, '{"path"'],
      ['toolcall_delta', 1, ':"a.ts"'],
      ['toolcall_delta', 1, '}'],
      ['toolcall_end', 1, called('toolu_01A', 'read', { path: 'a.ts' })],
      ['toolcall_start', 2],
      ['toolcall_delta', 2, '{"comma'],
      ['toolcall_delta', 2, 'nd":"ls'],
      ['toolcall_delta', 2, ' \\"ä\\n\\'],
      ['toolcall_delta', 2, '""}'],
      ['toolcall_end', 2, called('toolu_01B', 'bash', { command: 'ls "ä\n"' })],
      ['done', 'toolUse'],
    ]);
    expect(shown).toEqual([
      called('toolu_01A', 'read', {}),
      called('toolu_01A', 'read', { path: 'a.ts' }),
      called('toolu_01A', 'read', { path: 'a.ts' }),
      called('toolu_01B', 'bash', {}),
      called('toolu_01B', 'bash', { command: 'ls' }),
      called('toolu_01B', 'bash', { command: 'ls "ä\n' }),
      called('toolu_01B', 'bash', { command: 'ls "ä\n' }),
    ]);
  });

  test('thinking with its signature, hidden thinking with its data', async () => {
    const parts = [
      { thinking: ['Let me ', 'see.'], signature: 'c2lnbmVk' },
      { redacted: 'aGlkZGVu' },
      { text: 'Yes.' },
    ];
    at.server.reply({ answer: { parts } });
    const seen = await observe(at.api.stream(at.request({ thinkingLevel: 'low' })));
    expectGrammar(seen);
    expect(seen.events.map(bare)).toEqual([
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
    expect(seen.message.content).toEqual([
      { type: 'thinking', thinking: 'Let me see.', thinkingSignature: 'c2lnbmVk' },
      { type: 'thinking', thinking: '', thinkingSignature: 'aGlkZGVu', redacted: true },
      { type: 'text', text: 'Yes.' },
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

  test.each([1, 7, 64])('the same events in pieces of %i bytes over the network', async (pieces) => {
    at.server.reply({ answer: CALLS }, { answer: CALLS, pieces });
    const whole = await observe(at.api.stream(at.request()));
    const cut = await observe(at.api.stream(at.request()));
    expect(cut.events.map(bare)).toEqual(whole.events.map(bare));
  });

  test('the provider’s own tools leave no trace', async () => {
    at.server.reply({
      answer: { parts: [{ text: 'Searching.' }, { search: 'x' }, { text: 'Found.' }], stop: 'pause_turn' },
    });
    const seen = await observe(at.api.stream(at.request()));
    expectGrammar(seen);
    expect(seen.message).toMatchObject({
      stopReason: 'stop',
      content: [
        { type: 'text', text: 'Searching.' },
        { type: 'text', text: 'Found.' },
      ],
    });
  });

  test('an answer without anything in it', async () => {
    at.server.reply({ answer: { parts: [] } });
    const seen = await observe(at.api.stream(at.request()));
    expectGrammar(seen);
    expect(seen.events.map(bare)).toEqual([['start'], ['done', 'stop']]);
  });

  test('one that the length limit cut: text is kept, a half call has no arguments', async () => {
    const parts = [{ text: 'I will' }, { call: 'toolu_01', name: 'bash', input: '{"command":"rm -rf /tmp/bui' }];
    at.server.reply({ answer: { parts, stop: 'max_tokens' } });
    const seen = await observe(at.api.stream(at.request()));
    expectGrammar(seen);
    expect(seen.events.slice(-2).map(bare)).toEqual([
      ['toolcall_end', 1, called('toolu_01', 'bash', {})],
      ['done', 'length'],
    ]);
  });

  test('one that the context window cut', async () => {
    at.server.reply({ answer: { parts: [{ text: 'Half' }], stop: 'model_context_window_exceeded' } });
    expect(await at.ask()).toMatchObject({ stopReason: 'length', content: [{ text: 'Half' }] });
  });
});

describe('a conversation', () => {
  test('thinking goes back as it came, and what was sent before does not change', async () => {
    const model = at.model('claude-opus-5-5');
    const turn = { model, thinkingLevel: 'high' as const };
    at.server.reply(
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
    const second = [...first, await at.ask({ ...turn, messages: first }), result('toolu_01', 'A')];
    const third = [...second, await at.ask({ ...turn, messages: second }), result('toolu_02', 'B')];
    const fourth = [...third, await at.ask({ ...turn, messages: third }), user('Thanks')];
    // The loopback provider would refuse a changed signature, and a signature after a changed conversation.
    expect(await at.ask({ ...turn, messages: fourth })).toMatchObject({
      stopReason: 'stop',
      content: [{ text: 'Bye.' }],
    });
    const sent = at.server.received.slice(-4).map(({ body }) => withoutMarks([body.tools, body.system, body.messages]));
    for (const [n, text] of sent.entries()) if (n > 0) expect(text.startsWith(sent[n - 1]!.slice(0, -2))).toBe(true);
  });

  test('thinking that was written before a compaction does not stop the session', async () => {
    const turn = { model: at.model('claude-fable-5-1'), thinkingLevel: 'medium' as const };
    const call = { call: 'toolu_01', name: 'read', input: {} };
    at.server.reply({ answer: { parts: [{ thinking: 'Hm.' }, call] } }, { answer: { parts: [{ text: 'Fine.' }] } });
    const answer = await at.ask({ ...turn, messages: [user('A long story')] });
    const messages = [user('A short summary'), answer, result('toolu_01', 'x')];
    expect(await at.ask({ ...turn, messages })).toMatchObject({ stopReason: 'stop' });
  });

  test('history that another model wrote is taken over', async () => {
    const other = at.model('gpt-x', { api: 'openai-responses', provider: 'openai' });
    const id = 'call_9|fc_0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef';
    const messages = [
      user('Go'),
      said(other, [
        { type: 'thinking', thinking: 'secret', thinkingSignature: '{"foreign":true}' },
        { type: 'text', text: 'Reading.', textSignature: 'msg_1' },
        { ...called(id), thoughtSignature: 'foreign' } as ReturnType<typeof called>,
      ]),
      result(id, 'text'),
    ];
    at.server.reply({ answer: { parts: [{ text: 'Taken over.' }] } });
    expect(await at.ask({ messages, thinkingLevel: 'high' })).toMatchObject({ content: [{ text: 'Taken over.' }] });
    expect(JSON.stringify(at.server.received.at(-1)?.body)).not.toMatch(/secret|foreign|msg_1/);
  });
});

test('the table of formats loads it, when there is a network', async () => {
  const wire = { fetch, send: fetch, clock: at.clock, userAgent: 'parley/test', idleTimeoutMs: 1, totalTimeoutMs: 1 };
  const load = apiLoaders({ clock: at.clock, wire })['anthropic-messages'];
  expect((await load?.())?.stream).toBeTypeOf('function');
  expect(Object.keys(apiLoaders({ clock: at.clock }))).not.toContain('anthropic-messages');
});

test('the key goes to the provider and nowhere else', async () => {
  at.server.reply({ answer: { parts: [{ text: 'ok' }] } });
  const seen = await observe(at.api.stream(at.request()));
  expect(at.server.received.at(-1)?.headers).toMatchObject({ 'x-api-key': KEY, 'user-agent': 'parley/test' });
  expect(JSON.stringify(seen.events)).not.toContain(KEY);
});

test('a token opens the door too', async () => {
  at.server.reply({ answer: { parts: [{ text: 'ok' }] } });
  expect(await at.ask({ apiKey: OAUTH_TOKEN })).toMatchObject({ stopReason: 'stop' });
});

function withoutMarks(value: unknown): string {
  return JSON.stringify(value, (key, inner: unknown) => (key === 'cache_control' ? undefined : inner));
}
