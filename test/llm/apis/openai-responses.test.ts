// The Responses format over HTTP: reading replies, and conversations that a strict server accepts.
import { describe, expect, test } from 'vitest';
import { createApiLoaders } from '../../../src/llm/index.ts';
import type { AssistantMessage, ModelMessage } from '../../../src/protocol/index.ts';
import { expectGrammar, modelApiContract, observe } from '../contract.ts';
import { KEY } from '../servers/openai-responses.ts';
import type { Answer } from '../servers/openai-responses-frames.ts';
import { createApiFixture } from './openai-responses-fixture.ts';
import { assistant, result, summarizeEvent, toolCall, user } from './request-samples.ts';

const fixture = createApiFixture();

const WORDS = Array.from({ length: 40 }, (_, n) => `word${n} `);
const PNG = { type: 'image' as const, data: 'iVBORw0KGgo=', mimeType: 'image/png' };

modelApiContract('openai-responses', () => ({
  api: fixture.api,
  long(signal) {
    // A request that is already aborted is never sent.
    if (!signal.aborted) fixture.server.reply({ answer: { parts: [{ text: WORDS }] }, pieces: 100 });
    return fixture.request({ signal });
  },
  calling(signal) {
    fixture.server.reply({
      answer: {
        parts: [
          { call: 'call_1', name: 'read', input: { path: 'a' } },
          { call: 'call_2', name: 'bash', input: { command: 'ls' } },
        ],
      },
    });
    return fixture.request({ signal });
  },
}));

describe('reading a reply', () => {
  test('plain text with usage and cost', async () => {
    const usage = { input: 51_000, cached: 50_000, output: 200 };
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
      timestamp: fixture.clock.now(),
    });
  });

  test('cache writes are counted if they have a price', async () => {
    const usage = { input: 5000, cached: 1000, written: 3000, output: 10 };
    const cost = { input: 5, output: 30, cacheRead: 0.5, cacheWrite: 6.25 };
    fixture.server.reply({ answer: { parts: [], usage } }, { answer: { parts: [], usage } });
    expect((await fixture.ask({ model: fixture.model('gpt-5.6-terra', { cost }) })).usage).toEqual({
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
    expect((await fixture.ask()).usage).toMatchObject({ input: 4000, cacheRead: 1000, cacheWrite: 0 });
  });

  test('reasoning in parts, then parallel calls', async () => {
    const parts: Answer['parts'] = [
      { thinking: [['**Plan', 'ning**'], 'Two files.'] },
      { text: 'Looking.', phase: 'commentary' },
      { call: 'call_a', name: 'read', input: { path: 'a.ts' } },
      { call: 'call_b', name: 'bash', input: { command: 'ls "ä\n"' } },
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
    expect(observed.message.content).toEqual([
      { type: 'thinking', thinking: '**Planning**\n\nTwo files.', thinkingSignature },
      { type: 'text', text: 'Looking.', textSignature },
      toolCall(expect.stringMatching(/^call_a\|fc_\w+$/), 'read', { path: 'a.ts' }),
      toolCall(expect.stringMatching(/^call_b\|fc_\w+$/), 'bash', { command: 'ls "ä\n"' }),
    ]);
  });

  test('hidden reasoning', async () => {
    fixture.server.reply({ answer: { parts: [{ thinking: [] }, { text: 'Yes.' }] } });
    const observed = await observe(fixture.api.stream(fixture.request()));
    expectGrammar(observed);
    expect(observed.events.slice(1, 3).map(summarizeEvent)).toEqual([
      ['thinking_start', 0],
      ['thinking_end', 0, ''],
    ]);
    const thinkingSignature = expect.stringContaining('"summary":[]');
    expect(observed.message.content[0]).toEqual({ type: 'thinking', thinking: '', thinkingSignature, redacted: true });
  });

  test('a refusal is a normal reply', async () => {
    fixture.server.reply({ answer: { parts: [{ text: 'Hm.', refusal: ['I cannot ', 'help.'] }] } });
    const observed = await observe(fixture.api.stream(fixture.request()));
    expectGrammar(observed);
    expect(observed.message).toMatchObject({ stopReason: 'stop', content: [{ text: 'Hm.\n\nI cannot help.' }] });
    fixture.server.reply({ answer: { parts: [{ refusal: 'No.' }] } });
    expect(await fixture.ask()).toMatchObject({ stopReason: 'stop', content: [{ text: 'No.' }] });
  });

  test('a long text in chunks of any size', async () => {
    const text = Array.from({ length: 2000 }, (_, n) => `${n}é `);
    fixture.server.reply({ answer: { parts: [{ text }] }, pieces: 4093 });
    const observed = await observe(fixture.api.stream(fixture.request()));
    expectGrammar(observed);
    expect(observed.events).toHaveLength(2000 + 4);
    expect(observed.message.content).toMatchObject([{ type: 'text', text: text.join('') }]);
  });

  test('a reply in single bytes', async () => {
    const parts: Answer['parts'] = [{ thinking: ['Hm 🎉'] }, { text: ['né', 'é'] }];
    fixture.server.reply({ answer: { parts }, pieces: 1 });
    expect(await fixture.ask()).toMatchObject({ content: [{ thinking: 'Hm 🎉' }, { text: 'néé' }] });
  });

  test('tools run by the provider are omitted', async () => {
    fixture.server.reply({ answer: { parts: [{ text: 'Searching.' }, { search: 'x' }, { text: 'Found.' }] } });
    const observed = await observe(fixture.api.stream(fixture.request()));
    expectGrammar(observed);
    expect(observed.message).toMatchObject({
      stopReason: 'stop',
      content: [{ text: 'Searching.' }, { text: 'Found.' }],
    });
  });

  test('an empty reply', async () => {
    fixture.server.reply({ answer: { parts: [] } });
    const observed = await observe(fixture.api.stream(fixture.request()));
    expectGrammar(observed);
    expect(observed.events.map(summarizeEvent)).toEqual([['start'], ['done', 'stop']]);
  });

  test('a reply cut by the length limit keeps its text, an incomplete call has no arguments', async () => {
    const partialCall = { call: 'call_1', name: 'bash', input: '{"command":"rm -rf /tmp/bui', cut: true as const };
    fixture.server.reply({ answer: { parts: [{ text: 'I will' }, partialCall], incomplete: 'max_output_tokens' } });
    const observed = await observe(fixture.api.stream(fixture.request()));
    expectGrammar(observed);
    expect(observed.events.slice(-2).map(summarizeEvent)).toEqual([
      ['toolcall_end', 1, toolCall(expect.stringContaining('call_1|fc_'), 'bash', {})],
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

  test('reasoning is sent back unchanged, and earlier messages do not change', async () => {
    fixture.server.reply(...CALLS.map((answer) => ({ answer })));
    const messages: ModelMessage[] = [user('Read them')];
    const runTurn = async (): Promise<AssistantMessage> => {
      const answer = await fixture.ask({ messages: [...messages] });
      messages.push(answer);
      return answer;
    };
    for (const count of [1, 2]) {
      const calls = (await runTurn()).content.filter((block) => block.type === 'toolCall');
      expect(calls).toHaveLength(count);
      messages.push(...calls.map(({ id }) => result(id, 'text')));
    }
    await runTurn();
    messages.push(user('Thanks'));
    // The loopback provider rejects changed, unpaired or misplaced reasoning.
    expect(await runTurn()).toMatchObject({ stopReason: 'stop', content: [{ text: 'Bye.' }] });
    const sent = fixture.server.received.slice(-4).map(({ text }) => text);
    for (const [n, text] of sent.entries()) if (n > 0) expect(text.startsWith(sent[n - 1]!.slice(0, -2))).toBe(true);
    const items = fixture.server.received.at(-1)?.body.input as Record<string, unknown>[];
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

  test('a reply aborted after its reasoning does not block the session', async () => {
    const parts: Answer['parts'] = [{ thinking: ['Hm.'] }, { text: WORDS }, { text: WORDS }];
    fixture.server.reply({ answer: { parts }, pieces: 50 }, { answer: { parts: [{ text: 'Fine.' }] } });
    const aborter = new AbortController();
    const observed = await observe(
      fixture.api.stream(fixture.request({ signal: aborter.signal })),
      ({ type }, count) => {
        if (type === 'text_delta' && count > 60) aborter.abort();
      },
    );
    await fixture.server.received.at(-1)?.closed;
    expect(observed.message).toMatchObject({ stopReason: 'aborted', content: [{}, { text: WORDS.join('') }, {}] });
    const content = observed.message.content.filter(({ type }) => type === 'text');
    const messages = [user('Hello'), { ...observed.message, content }, user('Go on')];
    expect(await fixture.ask({ messages })).toMatchObject({ stopReason: 'stop' });
  });

  test('images in prompts and in results', async () => {
    fixture.server.reply(
      { answer: { parts: [{ thinking: ['?'] }, { call: 'call_1', name: 'read', input: { path: 'a.png' } }] } },
      { answer: { parts: [{ text: 'A cat.' }] } },
      { answer: { parts: [{ text: 'I cannot see it.' }] } },
    );
    const prompt = user([{ type: 'text', text: 'Compare' }, PNG]);
    const answer = await fixture.ask({ messages: [prompt] });
    const id = (answer.content[1] as { id: string }).id;
    const messages = [prompt, answer, result(id, [{ type: 'text', text: 'a.png' }, PNG])];
    expect(await fixture.ask({ messages })).toMatchObject({ content: [{ text: 'A cat.' }] });
    const image = { type: 'input_image', detail: 'auto', image_url: 'data:image/png;base64,iVBORw0KGgo=' };
    const sent = fixture.server.received.at(-1)?.body.input as Record<string, unknown>[];
    expect(sent[0]?.content).toEqual([{ type: 'input_text', text: 'Compare' }, image]);
    expect(sent.at(-1)?.output).toEqual([{ type: 'input_text', text: 'a.png' }, image]);
    // The same history for a model without vision that did not write it.
    expect(await fixture.ask({ messages, model: fixture.model('o3-mini') })).toMatchObject({ stopReason: 'stop' });
    expect(fixture.server.received.at(-1)?.text).not.toContain('input_image');
  });

  test('a history of another model is accepted', async () => {
    fixture.server.reply({ answer: CALLS[0]! }, { answer: { parts: [{ text: 'Taken over.' }] } });
    const ownReply = await fixture.ask({ messages: [user('Go')] });
    const foreign = assistant(fixture.model('claude', { api: 'anthropic-messages', provider: 'anthropic' }), [
      { type: 'thinking', thinking: 'secret', thinkingSignature: 'foreign' },
      { type: 'text', text: 'Reading.', textSignature: 'foreign' },
      toolCall('toolu/01:ü'),
      toolCall(`toolu_${'x'.repeat(80)}`),
    ]);
    const messages = [
      user('Go'),
      ownReply,
      result((ownReply.content[1] as { id: string }).id, 'A'),
      foreign,
      result('toolu/01:ü', 'B'),
      result(`toolu_${'x'.repeat(80)}`, 'C'),
    ];
    // Reasoning of another model of the same provider is not sent back either.
    expect(await fixture.ask({ messages, model: fixture.model('gpt-5.1') })).toMatchObject({
      content: [{ text: 'Taken over.' }],
    });
    expect(fixture.server.received.at(-1)?.text).not.toMatch(/secret|foreign|"id"|reasoning"?,/);
  });

  test('plain reasoning is sent back as plain text', async () => {
    const model = fixture.model('gpt-oss-120b');
    const parts: Answer['parts'] = [{ reasoning: ['Let me', ' see'] }, { call: 'c1', name: 'read', input: {} }];
    fixture.server.reply({ answer: { parts } }, { answer: { parts: [{ text: 'Done.' }] } });
    const answer = await fixture.ask({ model });
    expect(answer.content[0]).toMatchObject({ type: 'thinking', thinking: 'Let me see' });
    const id = (answer.content[1] as { id: string }).id;
    expect(await fixture.ask({ model, messages: [user('x'), answer, result(id, '')] })).toMatchObject({
      stopReason: 'stop',
    });
    expect(fixture.server.received.at(-1)?.text).toContain('[{"type":"reasoning_text","text":"Let me see"}]');
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
  const load = createApiLoaders({ clock: fixture.clock, wire })['openai-responses'];
  expect((await load?.())?.stream).toBeTypeOf('function');
});

test('the key is sent to the provider and appears in no event', async () => {
  fixture.server.reply({ answer: { parts: [{ text: 'ok' }] } });
  const observed = await observe(fixture.api.stream(fixture.request({ headers: { 'OpenAI-Project': 'proj_1' } })));
  const { path, headers } = fixture.server.received.at(-1)!;
  expect(path).toBe('POST /v1/responses');
  expect(headers).toMatchObject({
    authorization: `Bearer ${KEY}`,
    'user-agent': 'parley/test',
    'openai-project': 'proj_1',
  });
  expect(JSON.stringify(observed.events)).not.toContain(KEY);
});
