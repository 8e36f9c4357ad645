// The Responses format over HTTP: what answers become, and conversations that a strict provider accepts to their end.
import { describe, expect, test } from 'vitest';
import { apiLoaders } from '../../../src/llm/index.ts';
import type { AssistantMessage, ModelMessage } from '../../../src/protocol/index.ts';
import { expectGrammar, modelApiContract, observe } from '../contract.ts';
import { KEY } from '../servers/openai-responses.ts';
import type { Answer } from '../servers/openai-responses-frames.ts';
import { bare, called, result, said, stage, user } from './openai-responses-stage.ts';

const at = stage();

const WORDS = Array.from({ length: 40 }, (_, n) => `word${n} `);
const PNG = { type: 'image' as const, data: 'iVBORw0KGgo=', mimeType: 'image/png' };

modelApiContract('openai-responses', () => ({
  api: at.api,
  long(signal) {
    // One that is aborted from the start is never sent.
    if (!signal.aborted) at.server.reply({ answer: { parts: [{ text: WORDS }] }, pieces: 100 });
    return at.request({ signal });
  },
  calling(signal) {
    at.server.reply({
      answer: {
        parts: [
          { call: 'call_1', name: 'read', input: { path: 'a' } },
          { call: 'call_2', name: 'bash', input: { command: 'ls' } },
        ],
      },
    });
    return at.request({ signal });
  },
}));

describe('what an answer becomes', () => {
  test('plain text, with what it cost', async () => {
    const usage = { input: 51_000, cached: 50_000, output: 200 };
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
      content: [{ type: 'text', text: 'Hello, wörld 🎉', textSignature: expect.stringMatching(/^msg_[0-9a-f]{50}$/) }],
      api: 'openai-responses',
      provider: 'openai',
      model: 'gpt-5',
      usage: {
        input: 1000,
        output: 200,
        cacheRead: 50_000,
        cacheWrite: 0,
        cost: { input: 0.00125, output: 0.002, cacheRead: 0.00625, cacheWrite: 0, total: expect.closeTo(0.0095, 10) },
      },
      stopReason: 'stop',
      timestamp: at.clock.now(),
    });
  });

  test('what was written to the cache is counted where it has a price', async () => {
    const usage = { input: 5000, cached: 1000, written: 3000, output: 10 };
    const cost = { input: 5, output: 30, cacheRead: 0.5, cacheWrite: 6.25 };
    at.server.reply({ answer: { parts: [], usage } }, { answer: { parts: [], usage } });
    expect((await at.ask({ model: at.model('gpt-5.6-terra', { cost }) })).usage).toEqual({
      input: 1000,
      output: 10,
      cacheRead: 1000,
      cacheWrite: 3000,
      cost: {
        input: 0.005,
        output: 0.0003,
        cacheRead: 0.0005,
        cacheWrite: 0.01875,
        total: expect.closeTo(0.02455, 10),
      },
    });
    expect((await at.ask()).usage).toMatchObject({ input: 4000, cacheRead: 1000, cacheWrite: 0 });
  });

  test('reasoning in parts, then parallel calls', async () => {
    const parts: Answer['parts'] = [
      { thinking: [['**Plan', 'ning**'], 'Two files.'] },
      { text: 'Looking.', phase: 'commentary' },
      { call: 'call_a', name: 'read', input: { path: 'a.ts' } },
      { call: 'call_b', name: 'bash', input: { command: 'ls "ä\n"' } },
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
      ['thinking_delta', 0, '\n\nTwo files.'],
      ['thinking_end', 0, '**Planning**\n\nTwo files.'],
      ['text_start', 1],
      ['text_delta', 1, 'Looking.'],
      ['text_end', 1, 'Looking.'],
      ['toolcall_start', 2],
      ['toolcall_delta', 2, '{"path"'],
      ['toolcall_delta', 2, ':"a.ts"'],
      ['toolcall_delta', 2, '}'],
      ['toolcall_end', 2, calls[0]],
      ['toolcall_start', 3],
      ['toolcall_delta', 3, '{"comma'],
      ['toolcall_delta', 3, 'nd":"ls'],
      ['toolcall_delta', 3, ' \\"ä\\n\\'],
      ['toolcall_delta', 3, '""}'],
      ['toolcall_end', 3, calls[1]],
      ['done', 'toolUse'],
    ]);
    const thinkingSignature = expect.stringMatching(
      /^\{"type":"reasoning","id":"rs_\w+","summary":\[\{.+\},\{.+\}\],"encrypted_content":"gAAAAAB.+"\}$/,
    );
    const textSignature = expect.stringMatching(/^\{"v":1,"id":"msg_\w+","phase":"commentary"\}$/);
    expect(seen.message.content).toEqual([
      { type: 'thinking', thinking: '**Planning**\n\nTwo files.', thinkingSignature },
      { type: 'text', text: 'Looking.', textSignature },
      called(expect.stringMatching(/^call_a\|fc_\w+$/), 'read', { path: 'a.ts' }),
      called(expect.stringMatching(/^call_b\|fc_\w+$/), 'bash', { command: 'ls "ä\n"' }),
    ]);
  });

  test('reasoning that is not shown', async () => {
    at.server.reply({ answer: { parts: [{ thinking: [] }, { text: 'Yes.' }] } });
    const seen = await observe(at.api.stream(at.request()));
    expectGrammar(seen);
    expect(seen.events.slice(1, 3).map(bare)).toEqual([
      ['thinking_start', 0],
      ['thinking_end', 0, ''],
    ]);
    const thinkingSignature = expect.stringContaining('"summary":[]');
    expect(seen.message.content[0]).toEqual({ type: 'thinking', thinking: '', thinkingSignature, redacted: true });
  });

  test('a refusal is the model’s answer', async () => {
    at.server.reply({ answer: { parts: [{ text: 'Hm.', refusal: ['I cannot ', 'help.'] }] } });
    const seen = await observe(at.api.stream(at.request()));
    expectGrammar(seen);
    expect(seen.message).toMatchObject({ stopReason: 'stop', content: [{ text: 'Hm.\n\nI cannot help.' }] });
    at.server.reply({ answer: { parts: [{ refusal: 'No.' }] } });
    expect(await at.ask()).toMatchObject({ stopReason: 'stop', content: [{ text: 'No.' }] });
  });

  test('a long text, in whatever pieces it travels', async () => {
    const text = Array.from({ length: 2000 }, (_, n) => `${n}é `);
    at.server.reply({ answer: { parts: [{ text }] }, pieces: 4093 });
    const seen = await observe(at.api.stream(at.request()));
    expectGrammar(seen);
    expect(seen.events).toHaveLength(2000 + 4);
    expect(seen.message.content).toMatchObject([{ type: 'text', text: text.join('') }]);
  });

  test('an answer that travels byte by byte', async () => {
    const parts: Answer['parts'] = [{ thinking: ['Hm 🎉'] }, { text: ['né', 'é'] }];
    at.server.reply({ answer: { parts }, pieces: 1 });
    expect(await at.ask()).toMatchObject({ content: [{ thinking: 'Hm 🎉' }, { text: 'néé' }] });
  });

  test('the provider’s own tools leave no trace', async () => {
    at.server.reply({ answer: { parts: [{ text: 'Searching.' }, { search: 'x' }, { text: 'Found.' }] } });
    const seen = await observe(at.api.stream(at.request()));
    expectGrammar(seen);
    expect(seen.message).toMatchObject({ stopReason: 'stop', content: [{ text: 'Searching.' }, { text: 'Found.' }] });
  });

  test('an answer without anything in it', async () => {
    at.server.reply({ answer: { parts: [] } });
    const seen = await observe(at.api.stream(at.request()));
    expectGrammar(seen);
    expect(seen.events.map(bare)).toEqual([['start'], ['done', 'stop']]);
  });

  test('one that the length limit cut: text is kept, a half call has no arguments', async () => {
    const half = { call: 'call_1', name: 'bash', input: '{"command":"rm -rf /tmp/bui', cut: true as const };
    at.server.reply({ answer: { parts: [{ text: 'I will' }, half], incomplete: 'max_output_tokens' } });
    const seen = await observe(at.api.stream(at.request()));
    expectGrammar(seen);
    expect(seen.events.slice(-2).map(bare)).toEqual([
      ['toolcall_end', 1, called(expect.stringContaining('call_1|fc_'), 'bash', {})],
      ['done', 'length'],
    ]);
  });
});

describe('a conversation', () => {
  const CALLS: readonly Answer[] = [
    { parts: [{ thinking: ['First a.'] }, { call: 'call_1', name: 'read', input: { path: 'a' } }] },
    {
      parts: [
        { thinking: [] },
        { text: 'And', phase: 'commentary' },
        { call: 'call_2', name: 'read', input: { path: 'b' } },
        { call: 'call_3', name: 'read', input: { path: 'c' } },
      ],
    },
    { parts: [{ thinking: ['So.'] }, { thinking: [] }, { text: 'Done.', phase: 'final_answer' }] },
    { parts: [{ text: 'Bye.' }] },
  ];

  test('reasoning goes back as it came, and what was sent before does not change', async () => {
    at.server.reply(...CALLS.map((answer) => ({ answer })));
    const messages: ModelMessage[] = [user('Read them')];
    const turn = async (): Promise<AssistantMessage> => {
      const answer = await at.ask({ messages: [...messages] });
      messages.push(answer);
      return answer;
    };
    for (const count of [1, 2]) {
      const calls = (await turn()).content.filter((block) => block.type === 'toolCall');
      expect(calls).toHaveLength(count);
      messages.push(...calls.map(({ id }) => result(id, 'text')));
    }
    await turn();
    messages.push(user('Thanks'));
    // The loopback provider would refuse changed, lonely or misplaced reasoning.
    expect(await turn()).toMatchObject({ stopReason: 'stop', content: [{ text: 'Bye.' }] });
    const sent = at.server.received.slice(-4).map(({ text }) => text);
    for (const [n, text] of sent.entries()) if (n > 0) expect(text.startsWith(sent[n - 1]!.slice(0, -2))).toBe(true);
    const items = at.server.received.at(-1)?.body.input as Record<string, unknown>[];
    expect(items.map(({ type, role = '', id }) => `${role}${type}${id ? ' with id' : ''}`)).toEqual([
      'usermessage',
      'reasoning with id',
      'function_call with id',
      'function_call_output',
      'reasoning with id',
      'assistantmessage with id',
      'function_call with id',
      'function_call with id',
      'function_call_output',
      'function_call_output',
      'reasoning with id',
      'reasoning with id',
      'assistantmessage with id',
      'usermessage',
    ]);
    expect(items[5]).toMatchObject({ phase: 'commentary' });
  });

  test('an answer that was stopped after its reasoning does not stop the session', async () => {
    const parts: Answer['parts'] = [{ thinking: ['Hm.'] }, { text: WORDS }, { text: WORDS }];
    at.server.reply({ answer: { parts }, pieces: 50 }, { answer: { parts: [{ text: 'Fine.' }] } });
    const aborter = new AbortController();
    const seen = await observe(at.api.stream(at.request({ signal: aborter.signal })), ({ type }, count) => {
      if (type === 'text_delta' && count > 60) aborter.abort();
    });
    await at.server.received.at(-1)?.closed;
    expect(seen.message).toMatchObject({ stopReason: 'aborted', content: [{}, { text: WORDS.join('') }, {}] });
    const content = seen.message.content.filter(({ type }) => type === 'text');
    const messages = [user('Hello'), { ...seen.message, content }, user('Go on')];
    expect(await at.ask({ messages })).toMatchObject({ stopReason: 'stop' });
  });

  test('images in questions and in results', async () => {
    at.server.reply(
      { answer: { parts: [{ thinking: ['?'] }, { call: 'call_1', name: 'read', input: { path: 'a.png' } }] } },
      { answer: { parts: [{ text: 'A cat.' }] } },
      { answer: { parts: [{ text: 'I cannot see it.' }] } },
    );
    const asked = user([{ type: 'text', text: 'Compare' }, PNG]);
    const answer = await at.ask({ messages: [asked] });
    const id = (answer.content[1] as { id: string }).id;
    const messages = [asked, answer, result(id, [{ type: 'text', text: 'a.png' }, PNG])];
    expect(await at.ask({ messages })).toMatchObject({ content: [{ text: 'A cat.' }] });
    const image = { type: 'input_image', detail: 'auto', image_url: 'data:image/png;base64,iVBORw0KGgo=' };
    const sent = at.server.received.at(-1)?.body.input as Record<string, unknown>[];
    expect(sent[0]?.content).toEqual([{ type: 'input_text', text: 'Compare' }, image]);
    expect(sent.at(-1)?.output).toEqual([{ type: 'input_text', text: 'a.png' }, image]);
    // The same history for a model that sees nothing, and did not write it.
    expect(await at.ask({ messages, model: at.model('o3-mini') })).toMatchObject({ stopReason: 'stop' });
    expect(at.server.received.at(-1)?.text).not.toContain('input_image');
  });

  test('history that another model wrote is taken over', async () => {
    at.server.reply({ answer: CALLS[0]! }, { answer: { parts: [{ text: 'Taken over.' }] } });
    const own = await at.ask({ messages: [user('Go')] });
    const foreign = said(at.model('claude', { api: 'anthropic-messages', provider: 'anthropic' }), [
      { type: 'thinking', thinking: 'secret', thinkingSignature: 'foreign' },
      { type: 'text', text: 'Reading.', textSignature: 'foreign' },
      called('toolu/01:ü'),
      called(`toolu_${'x'.repeat(80)}`),
    ]);
    const messages = [
      user('Go'),
      own,
      result((own.content[1] as { id: string }).id, 'A'),
      foreign,
      result('toolu/01:ü', 'B'),
      result(`toolu_${'x'.repeat(80)}`, 'C'),
    ];
    // Another model of the same provider: its reasoning is as foreign as the rest.
    expect(await at.ask({ messages, model: at.model('gpt-5.1') })).toMatchObject({
      content: [{ text: 'Taken over.' }],
    });
    expect(at.server.received.at(-1)?.text).not.toMatch(/secret|foreign|"id"|reasoning"?,/);
  });

  test('open reasoning goes back in the open', async () => {
    const model = at.model('gpt-oss-120b');
    const parts: Answer['parts'] = [{ reasoning: ['Let me', ' see'] }, { call: 'c1', name: 'read', input: {} }];
    at.server.reply({ answer: { parts } }, { answer: { parts: [{ text: 'Done.' }] } });
    const answer = await at.ask({ model });
    expect(answer.content[0]).toMatchObject({ type: 'thinking', thinking: 'Let me see' });
    const id = (answer.content[1] as { id: string }).id;
    expect(await at.ask({ model, messages: [user('x'), answer, result(id, '')] })).toMatchObject({
      stopReason: 'stop',
    });
    expect(at.server.received.at(-1)?.text).toContain('[{"type":"reasoning_text","text":"Let me see"}]');
  });
});

test('the table of formats loads it, when there is a network', async () => {
  const wire = { fetch, send: fetch, clock: at.clock, userAgent: 'parley/test', idleTimeoutMs: 1, totalTimeoutMs: 1 };
  const load = apiLoaders({ clock: at.clock, wire })['openai-responses'];
  expect((await load?.())?.stream).toBeTypeOf('function');
});

test('the key goes to the provider and nowhere else', async () => {
  at.server.reply({ answer: { parts: [{ text: 'ok' }] } });
  const seen = await observe(at.api.stream(at.request({ headers: { 'OpenAI-Project': 'proj_1' } })));
  const { path, headers } = at.server.received.at(-1)!;
  expect(path).toBe('POST /v1/responses');
  expect(headers).toMatchObject({
    authorization: `Bearer ${KEY}`,
    'user-agent': 'parley/test',
    'openai-project': 'proj_1',
  });
  expect(JSON.stringify(seen.events)).not.toContain(KEY);
});
