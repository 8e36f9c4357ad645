// Conversations of several turns with providers that require their thinking back unchanged.
import { describe, expect, test } from 'vitest';
import type { AssistantMessage, ModelMessage } from '../../../src/protocol/index.ts';
import { expectGrammar, type Observation } from '../contract.ts';
import type { Reply } from '../servers/openai-completions.ts';
import { chunk, DONE } from '../servers/openai-completions-frames.ts';
import { createApiFixture, createModel } from './openai-completions-fixture.ts';
import { assistant, result, toolCall, user } from './request-samples.ts';

const fixture = createApiFixture();
const CALL = { id: 'call_A', name: 'read', pieces: ['{"path":"a"}'] };

/** Two turns: a call, its result, and a text. The server rejects the second request if anything differs. */
async function runTwoTurns(
  provider: string,
  first: Reply,
  history: ModelMessage[] = [],
): Promise<[Observation, Observation]> {
  const model = fixture.model(provider, {
    reasoning: true,
    id: provider === 'openrouter' ? 'anthropic/claude-x' : 'loop-1',
  });
  fixture.server.reply(first, { answer: { text: ['Done.'] } });
  const messages = [...history, user('Read a')];
  const firstTurn = await fixture.observe({ model, messages, thinkingLevel: 'high' });
  expectGrammar(firstTurn);
  const call = firstTurn.message.content.find((block) => block.type === 'toolCall');
  // Sessions are stored as JSON lines.
  const stored = JSON.parse(JSON.stringify(firstTurn.message)) as AssistantMessage;
  messages.push(stored, result(call?.id ?? '', 'content of a'));
  const second = await fixture.observe({ model, messages, thinkingLevel: 'high' });
  expect(second.message.errorMessage).toBeUndefined();
  expect(second.message.content).toEqual([{ type: 'text', text: 'Done.' }]);
  return [firstTurn, second];
}

const getSentMessages = (): Record<string, unknown>[] =>
  fixture.server.received.at(-1)?.body.messages as Record<string, unknown>[];
const findAssistant = (messages: Record<string, unknown>[]) => messages.findLast(({ role }) => role === 'assistant');

describe('OpenRouter', () => {
  const text = { type: 'reasoning.text', format: 'anthropic-claude-v1', index: 0 };
  const signed = { ...text, text: 'Let me see.', signature: 'Et8BCmUI' };

  test('gets text and signature back as one entry, although they arrived separately', async () => {
    const details = [
      [{ ...text, text: 'Let ' }],
      [{ ...text, text: 'me see.', signature: null }],
      [{ ...text, signature: 'Et8BCmUI' }],
    ];
    const [firstTurn] = await runTwoTurns('openrouter', {
      answer: { details, calls: [CALL] },
      issues: { call_A: { reasoning_details: [signed] } },
    });
    expect(firstTurn.message.content[0]).toMatchObject({ type: 'thinking', thinking: 'Let me see.' });
    expect(firstTurn.events.filter(({ type }) => type === 'thinking_start')).toHaveLength(1);
  });

  test('gets a signature back that arrived after the start of the text', async () => {
    const frames = [
      chunk({ reasoning: 'Let me see.', reasoning_details: [{ ...text, text: 'Let me see.' }] }),
      chunk({ content: 'I read.' }),
      chunk({ reasoning_details: [{ ...text, signature: 'Et8BCmUI' }] }),
      chunk({ tool_calls: [{ index: 0, id: 'call_A', function: { name: 'read', arguments: '{}' } }] }),
      chunk({}, 'tool_calls'),
      DONE,
    ];
    const [firstTurn] = await runTwoTurns('openrouter', {
      frames,
      issues: { call_A: { reasoning_details: [signed] } },
    });
    expect(firstTurn.message.content.map(({ type }) => type)).toEqual(['thinking', 'text', 'thinking', 'toolCall']);
    expect(firstTurn.message.content[2]).toMatchObject({ thinking: '', redacted: true });
  });

  test('gets encrypted thinking back with its summary', async () => {
    const summary = { type: 'reasoning.summary', summary: 'I think.', format: 'openai-responses-v1', index: 0 };
    const encrypted = {
      type: 'reasoning.encrypted',
      data: 'gAAAAB',
      id: 'rs_1',
      format: 'openai-responses-v1',
      index: 0,
    };
    const [firstTurn] = await runTwoTurns('openrouter', {
      answer: { details: [[summary], [encrypted]], calls: [CALL] },
      issues: { call_A: { reasoning_details: [summary, encrypted] } },
    });
    expect(firstTurn.message.content.slice(0, 2)).toMatchObject([
      { thinking: 'I think.' },
      { thinking: '', redacted: true },
    ]);
    expect(firstTurn.message.content[0]).not.toHaveProperty('redacted');
  });

  test('gets a signature back that arrived inside a call', async () => {
    const encrypted = { type: 'reasoning.encrypted', data: 'sig', id: 'call_A', format: 'google-gemini-v1', index: 0 };
    const piece = (args: string, fields = {}) => ({
      tool_calls: [{ index: 0, id: 'call_A', function: { name: 'read', arguments: args } }],
      ...fields,
    });
    const frames = [
      chunk(piece('{"path":', { reasoning_details: [encrypted] })),
      chunk(piece('"a"}')),
      chunk({}, 'tool_calls'),
      DONE,
    ];
    await runTwoTurns('openrouter', { frames, issues: { call_A: { reasoning_details: [encrypted] } } });
  });

  test('rejects altered thinking', async () => {
    const answer = { details: [[signed]], calls: [CALL] };
    fixture.server.reply(
      { answer, issues: { call_A: { reasoning_details: [signed] } } },
      { answer: { text: ['Done.'] } },
    );
    const model = fixture.model('openrouter', { reasoning: true, id: 'anthropic/claude-x' });
    const { message } = await fixture.observe({ model, messages: [user('Read a')] });
    const content = message.content.map((block) =>
      block.type === 'thinking' ? { ...block, thinking: 'else' } : block,
    );
    const second = await fixture.observe({
      model,
      messages: [user('Read a'), { ...message, content }, result('call_A', 'x')],
    });
    expect(second.message.errorMessage).toContain('Invalid `signature` in `thinking` block');
  });
});

describe('DeepSeek', () => {
  const other = createModel({ provider: 'groq' });

  test('gets its thinking back, and a space for messages without thinking', async () => {
    const history = [user('Hi'), assistant(other, [{ type: 'text', text: 'Hello.' }])];
    const first = {
      answer: { thinking: ['Let ', 'me see.'], calls: [CALL] },
      issues: { call_A: { reasoning_content: 'Let me see.' } },
    };
    await runTwoTurns('deepseek', first, history);
    expect(getSentMessages().filter(({ role }) => role === 'assistant')).toMatchObject([
      { content: 'Hello.', reasoning_content: ' ' },
      { content: null, reasoning_content: 'Let me see.' },
    ]);
  });
});

describe('Mistral', () => {
  test('gets its thinking back as a content part, and its own ids', async () => {
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
    const history = [
      user('Hi'),
      assistant(createModel(), [toolCall('call_1|fc_1')]),
      result('call_1|fc_1', 'x'),
      user('So?'),
    ];
    await runTwoTurns('mistral', { frames, issues: { D681PevKs: { content } } }, history);
    expect(findAssistant(getSentMessages())).toMatchObject({ tool_calls: [{ id: 'D681PevKs' }] });
  });
});

describe('Groq', () => {
  test('gets no thinking back', async () => {
    const [firstTurn] = await runTwoTurns('groq', { answer: { thinking: ['Hm.'], field: 'reasoning', calls: [CALL] } });
    expect(firstTurn.message.content[0]).toMatchObject({ type: 'thinking', thinking: 'Hm.' });
  });
});

describe('MiniMax', () => {
  test('gets its thinking back between tags', async () => {
    const model = fixture.model('openai', { provider: 'minimax' });
    fixture.server.reply(
      { answer: { text: ['<think>\nHm.\n</think>\n\nI read.'], calls: [CALL] } },
      { answer: { text: ['Done.'] } },
    );
    const { message } = await fixture.observe({ model });
    expect(message.content[0]).toMatchObject({ type: 'thinking', thinking: '\nHm.\n', thinkingSignature: 'think' });
    const second = await fixture.observe({ model, messages: [user('Hello'), message, result('call_A', 'x')] });
    expect(second.message.stopReason).toBe('stop');
    expect(findAssistant(getSentMessages())?.content).toBe('<think>\nHm.\n</think>\n\nI read.');
  });
});

describe('Gemini', () => {
  test('gets the signature of a call back', async () => {
    const extra_content = { google: { thought_signature: 'CoMB' } };
    const call = {
      id: 'call_A',
      type: 'function',
      function: { name: 'read', arguments: '{"path":"a"}' },
      extra_content,
    };
    const frames = [chunk({ tool_calls: [{ index: 0, ...call }] }), chunk({}, 'stop'), DONE];
    const [firstTurn] = await runTwoTurns('google', { frames, issues: { call_A: { tool_calls: [call] } } });
    expect(firstTurn.message.content[0]).toMatchObject({ thoughtSignature: JSON.stringify(extra_content) });
  });
});

describe('a local server', () => {
  test('gets no key, and alternating roles', async () => {
    const model = fixture.model('local', { provider: 'llamacpp' });
    fixture.server.reply({ answer: { text: ['Hi.'] } });
    const { message } = await fixture.observe({ model, apiKey: undefined, messages: [user('One'), user('Two')] });
    expect(message.content).toEqual([{ type: 'text', text: 'Hi.' }]);
  });
});

describe('the loopback provider', () => {
  test.each([
    [
      'a call without a result',
      'openai',
      [user('a'), assistant(createModel(), [toolCall('c')])],
      'did not have response messages: c',
    ],
    ['a result without a call', 'openai', [user('a'), result('c', 'x')], 'must be a response to a preceeding message'],
    ['a wrong key', 'openai', undefined, 'Incorrect API key provided'],
  ])('rejects %s', async (_, provider, messages = [user('a')], expectedError) => {
    fixture.server.reply({ answer: {} });
    const apiKey = expectedError.startsWith('Incorrect') ? 'sk-another' : undefined;
    const { message } = await fixture.observe({
      model: fixture.model(provider),
      messages,
      ...(apiKey ? { apiKey } : {}),
    });
    expect(message.errorMessage).toContain(expectedError);
  });
});
