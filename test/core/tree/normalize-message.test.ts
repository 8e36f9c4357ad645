// normalizeMessage: messages of other programs and damaged logs.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { validate } from '../../../src/contracts/index.ts';
import { toModelMessages } from '../../../src/core/context/to-model-messages.ts';
import { normalizeMessage } from '../../../src/core/tree/normalize-message.ts';
import { type AgentMessage, agentMessage, createEmptyUsage } from '../../../src/protocol/index.ts';
import { findHistoryErrors } from '../../support/history-check.ts';
import { assistant, bash, call, conversations, result, text, user } from '../entries.ts';

const normalize = (message: object) => normalizeMessage(message as AgentMessage);

describe('normalizeMessage', () => {
  test('returns a valid message as the same object', () => {
    const image = { type: 'image' as const, data: 'AA==', mimeType: 'image/png' };
    const all: AgentMessage[] = [
      user('a'),
      user([text('a'), image, { type: 'image', source: { type: 'url', url: 'https://a' } }]),
      assistant([text('a'), { type: 'thinking', thinking: 'b' }, call('1')]),
      result('1'),
      bash('ls', 'a'),
      { role: 'custom', customType: 'x', content: 'a', display: false, timestamp: 1 },
      { role: 'compactionSummary', summary: 'a', tokensBefore: 1, timestamp: 1 },
      { role: 'branchSummary', summary: 'a', fromId: 'b', timestamp: 1 },
    ];
    for (const message of all) expect(normalizeMessage(message)).toBe(message);
  });

  test('fills the fields of an answer whose content is a string and which has no usage', () => {
    expect(normalize({ role: 'assistant', content: 'hello' })).toEqual({
      role: 'assistant',
      content: [text('hello')],
      api: '',
      provider: '',
      model: '',
      usage: createEmptyUsage(),
      stopReason: 'stop',
      timestamp: 0,
    });
  });

  test('keeps valid counts of an incomplete usage', () => {
    const usage = { input: 5, output: 'x', totalTokens: 9, cost: { total: 0.5 } };
    expect(normalize({ ...assistant('a'), usage })).toMatchObject({
      usage: { ...createEmptyUsage(), input: 5, cost: { ...createEmptyUsage().cost, total: 0.5 } },
    });
  });

  test('drops blocks of unknown types and keeps the others', () => {
    const blocks = [null, 7, { type: 'server_tool_use' }, text('a'), { type: 'toolCall', id: '1', name: 'read' }];
    expect(normalize({ ...assistant('x'), content: blocks })).toMatchObject({ content: [text('a')] });
    expect(normalize({ ...user('x'), content: [...blocks, { type: 'image' }] })).toMatchObject({
      content: [text('a')],
    });
  });

  test('an unknown role with content becomes a custom message', () => {
    expect(normalize({ role: 'fileMention', content: 'see a.ts', timestamp: 3 })).toMatchObject({
      role: 'custom',
      customType: 'fileMention',
      content: 'see a.ts',
    });
    expect(normalize({ role: '__proto__', content: [text('a')] })).toMatchObject({
      role: 'custom',
      customType: '__proto__',
    });
    expect(normalize({ role: 'pythonExecution', code: '1' })).toBeUndefined();
    expect(normalize({ role: 'compactionSummary' })).toBeUndefined();
  });

  test('for any field values the result is valid and providers accept the history', () => {
    const junk = fc.oneof(fc.constant(undefined), fc.jsonValue({ maxDepth: 1 }), fc.constant('text'));
    const role = fc.constantFrom('user', 'assistant', 'toolResult', 'bashExecution', 'custom', 'other', 'constructor');
    const keys = [
      'content',
      'usage',
      'stopReason',
      'toolCallId',
      'toolName',
      'isError',
      'command',
      'output',
      'model',
      'errorMessage',
    ];
    const message = fc
      .tuple(role, fc.dictionary(fc.constantFrom(...keys), junk))
      .map(([messageRole, fields]) => ({ timestamp: 1, ...fields, role: messageRole }));
    fc.assert(
      fc.property(fc.array(message, { minLength: 1, maxLength: 6 }), conversations, (messages, entries) => {
        const normalized = messages.flatMap((item) => normalize(item) ?? []);
        for (const item of normalized) expect(() => validate(agentMessage, item)).not.toThrow();
        const conversation = entries.flatMap((entry) => (entry.type === 'message' ? [entry.message] : []));
        expect(findHistoryErrors(toModelMessages([...conversation, ...normalized]))).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });
});
