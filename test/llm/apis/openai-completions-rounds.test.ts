// Conversations of several turns with hosts that want their thinking back exactly as they gave it.
import { describe, expect, test } from 'vitest';
import type { AssistantMessage, ModelMessage } from '../../../src/protocol/index.ts';
import { expectGrammar, type Observation } from '../contract.ts';
import type { Reply } from '../servers/openai-completions.ts';
import { chunk, DONE } from '../servers/openai-completions-frames.ts';
import { called, modelOf, result, said, stage, user } from './openai-completions-stage.ts';

const loop = stage();
const CALL = { id: 'call_A', name: 'read', pieces: ['{"path":"a"}'] };

/** Two turns: a call, its result, and then some words. The second request is refused if anything is amiss. */
async function rounds(house: string, first: Reply, history: ModelMessage[] = []): Promise<[Observation, Observation]> {
  const model = loop.model(house, { reasoning: true, id: house === 'openrouter' ? 'anthropic/claude-x' : 'loop-1' });
  loop.server.reply(first, { answer: { text: ['Done.'] } });
  const messages = [...history, user('Read a')];
  const one = await loop.ask({ model, messages, thinkingLevel: 'high' });
  expectGrammar(one);
  const call = one.message.content.find((block) => block.type === 'toolCall');
  // What is kept is a file of JSON lines.
  const kept = JSON.parse(JSON.stringify(one.message)) as AssistantMessage;
  messages.push(kept, result(call?.id ?? '', 'content of a'));
  const two = await loop.ask({ model, messages, thinkingLevel: 'high' });
  expect(two.message.errorMessage).toBeUndefined();
  expect(two.message.content).toEqual([{ type: 'text', text: 'Done.' }]);
  return [one, two];
}

const sent = (): Record<string, unknown>[] => loop.server.received.at(-1)?.body.messages as Record<string, unknown>[];
const answerIn = (messages: Record<string, unknown>[]) => messages.findLast(({ role }) => role === 'assistant');

describe('OpenRouter', () => {
  const text = { type: 'reasoning.text', format: 'anthropic-claude-v1', index: 0 };
  const signed = { ...text, text: 'Let me see.', signature: 'Et8BCmUI' };

  test('gets text and signature back as one, though they came apart', async () => {
    const details = [
      [{ ...text, text: 'Let ' }],
      [{ ...text, text: 'me see.', signature: null }],
      [{ ...text, signature: 'Et8BCmUI' }],
    ];
    const [one] = await rounds('openrouter', {
      answer: { details, calls: [CALL] },
      issues: { call_A: { reasoning_details: [signed] } },
    });
    expect(one.message.content[0]).toMatchObject({ type: 'thinking', thinking: 'Let me see.' });
    expect(one.events.filter(({ type }) => type === 'thinking_start')).toHaveLength(1);
  });

  test('gets a signature back that came after the words had begun', async () => {
    const frames = [
      chunk({ reasoning: 'Let me see.', reasoning_details: [{ ...text, text: 'Let me see.' }] }),
      chunk({ content: 'I read.' }),
      chunk({ reasoning_details: [{ ...text, signature: 'Et8BCmUI' }] }),
      chunk({ tool_calls: [{ index: 0, id: 'call_A', function: { name: 'read', arguments: '{}' } }] }),
      chunk({}, 'tool_calls'),
      DONE,
    ];
    const [one] = await rounds('openrouter', { frames, issues: { call_A: { reasoning_details: [signed] } } });
    expect(one.message.content.map(({ type }) => type)).toEqual(['thinking', 'text', 'thinking', 'toolCall']);
    expect(one.message.content[2]).toMatchObject({ thinking: '', redacted: true });
  });

  test('gets sealed thinking back, with the summary that came before it', async () => {
    const summary = { type: 'reasoning.summary', summary: 'I think.', format: 'openai-responses-v1', index: 0 };
    const sealed = { type: 'reasoning.encrypted', data: 'gAAAAB', id: 'rs_1', format: 'openai-responses-v1', index: 0 };
    const [one] = await rounds('openrouter', {
      answer: { details: [[summary], [sealed]], calls: [CALL] },
      issues: { call_A: { reasoning_details: [summary, sealed] } },
    });
    expect(one.message.content.slice(0, 2)).toMatchObject([{ thinking: 'I think.' }, { thinking: '', redacted: true }]);
    expect(one.message.content[0]).not.toHaveProperty('redacted');
  });

  test('gets a seal back that came in the middle of a call', async () => {
    const sealed = { type: 'reasoning.encrypted', data: 'sig', id: 'call_A', format: 'google-gemini-v1', index: 0 };
    const piece = (args: string, more = {}) => ({
      tool_calls: [{ index: 0, id: 'call_A', function: { name: 'read', arguments: args } }],
      ...more,
    });
    const frames = [
      chunk(piece('{"path":', { reasoning_details: [sealed] })),
      chunk(piece('"a"}')),
      chunk({}, 'tool_calls'),
      DONE,
    ];
    await rounds('openrouter', { frames, issues: { call_A: { reasoning_details: [sealed] } } });
  });

  test('refuses what was altered', async () => {
    const answer = { details: [[signed]], calls: [CALL] };
    loop.server.reply({ answer, issues: { call_A: { reasoning_details: [signed] } } }, { answer: { text: ['Done.'] } });
    const model = loop.model('openrouter', { reasoning: true, id: 'anthropic/claude-x' });
    const { message } = await loop.ask({ model, messages: [user('Read a')] });
    const content = message.content.map((block) =>
      block.type === 'thinking' ? { ...block, thinking: 'else' } : block,
    );
    const again = await loop.ask({ model, messages: [user('Read a'), { ...message, content }, result('call_A', 'x')] });
    expect(again.message.errorMessage).toContain('Invalid `signature` in `thinking` block');
  });
});

describe('DeepSeek', () => {
  const other = modelOf({ provider: 'groq' });

  test('gets its thinking back, and a blank from those who had none', async () => {
    const history = [user('Hi'), said(other, [{ type: 'text', text: 'Hello.' }])];
    const first = {
      answer: { thinking: ['Let ', 'me see.'], calls: [CALL] },
      issues: { call_A: { reasoning_content: 'Let me see.' } },
    };
    await rounds('deepseek', first, history);
    expect(sent().filter(({ role }) => role === 'assistant')).toMatchObject([
      { content: 'Hello.', reasoning_content: ' ' },
      { content: null, reasoning_content: 'Let me see.' },
    ]);
  });
});

describe('Mistral', () => {
  test('gets its thinking back as a part of the content, and its own ids', async () => {
    const thinking = { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] };
    const content = [thinking, { type: 'text', text: 'I read.' }];
    const frames = [
      chunk({ role: 'assistant', content: [thinking] }),
      chunk({ content: [{ type: 'text', text: 'I ' }] }),
      chunk({ content: 'read.' }),
      chunk(
        { tool_calls: [{ index: 0, id: 'D681PevKs', function: { name: 'read', arguments: '{"path": "a"}' } }] },
        'tool_calls',
      ),
      DONE,
    ];
    const history = [user('Hi'), said(modelOf(), [called('call_1|fc_1')]), result('call_1|fc_1', 'x'), user('So?')];
    await rounds('mistral', { frames, issues: { D681PevKs: { content } } }, history);
    expect(answerIn(sent())).toMatchObject({ tool_calls: [{ id: 'D681PevKs' }] });
  });
});

describe('Groq', () => {
  test('gets no thinking back, which it refuses', async () => {
    const [one] = await rounds('groq', { answer: { thinking: ['Hm.'], field: 'reasoning', calls: [CALL] } });
    expect(one.message.content[0]).toMatchObject({ type: 'thinking', thinking: 'Hm.' });
  });
});

describe('MiniMax', () => {
  test('gets its thinking back between its tags', async () => {
    const model = loop.model('openai', { provider: 'minimax' });
    loop.server.reply(
      { answer: { text: ['<think>\nHm.\n</think>\n\nI read.'], calls: [CALL] } },
      { answer: { text: ['Done.'] } },
    );
    const { message } = await loop.ask({ model });
    expect(message.content[0]).toMatchObject({ type: 'thinking', thinking: '\nHm.\n', thinkingSignature: 'think' });
    const again = await loop.ask({ model, messages: [user('Hello'), message, result('call_A', 'x')] });
    expect(again.message.stopReason).toBe('stop');
    expect(answerIn(sent())?.content).toBe('<think>\nHm.\n</think>\n\nI read.');
  });
});

describe('Gemini', () => {
  test('gets back the seal on a call', async () => {
    const extra_content = { google: { thought_signature: 'CoMB' } };
    const call = {
      id: 'call_A',
      type: 'function',
      function: { name: 'read', arguments: '{"path":"a"}' },
      extra_content,
    };
    const frames = [chunk({ tool_calls: [{ index: 0, ...call }] }), chunk({}, 'stop'), DONE];
    const [one] = await rounds('google', { frames, issues: { call_A: { tool_calls: [call] } } });
    expect(one.message.content[0]).toMatchObject({ thoughtSignature: JSON.stringify(extra_content) });
  });
});

describe('a server of one’s own', () => {
  test('is sent no key, and sides that alternate', async () => {
    const model = loop.model('local', { provider: 'llamacpp' });
    loop.server.reply({ answer: { text: ['Hi.'] } });
    const { message } = await loop.ask({ model, apiKey: undefined, messages: [user('One'), user('Two')] });
    expect(message.content).toEqual([{ type: 'text', text: 'Hi.' }]);
  });
});

describe('the loopback provider', () => {
  test.each([
    ['an open call', 'openai', [user('a'), said(modelOf(), [called('c')])], 'did not have response messages: c'],
    ['a result of nothing', 'openai', [user('a'), result('c', 'x')], 'must be a response to a preceeding message'],
    ['a wrong key', 'openai', undefined, 'Incorrect API key provided'],
  ])('refuses %s', async (_, house, messages = [user('a')], complaint) => {
    loop.server.reply({ answer: {} });
    const apiKey = complaint.startsWith('Incorrect') ? 'sk-another' : undefined;
    const { message } = await loop.ask({ model: loop.model(house), messages, ...(apiKey ? { apiKey } : {}) });
    expect(message.errorMessage).toContain(complaint);
  });
});
