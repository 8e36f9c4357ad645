// Messages as other programs and damaged logs leave them must break nothing.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { check } from '../../../src/contracts/index.ts';
import { toModelMessages } from '../../../src/core/context/to-model.ts';
import { soundMessage } from '../../../src/core/tree/sound-message.ts';
import { type AgentMessage, agentMessage, noUsage } from '../../../src/protocol/index.ts';
import { refusals } from '../../support/strict-provider.ts';
import { assistant, bash, call, conversations, result, text, user } from '../entries.ts';

const odd = (message: object) => soundMessage(message as AgentMessage);

describe('a message', () => {
  test('that is sound is the same object', () => {
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
    for (const message of all) expect(soundMessage(message)).toBe(message);
  });

  test('an answer that is only a string, without counts', () => {
    expect(odd({ role: 'assistant', content: 'hello' })).toEqual({
      role: 'assistant',
      content: [text('hello')],
      api: '',
      provider: '',
      model: '',
      usage: noUsage(),
      stopReason: 'stop',
      timestamp: 0,
    });
  });

  test('counts that are there are kept', () => {
    const usage = { input: 5, output: 'x', totalTokens: 9, cost: { total: 0.5 } };
    expect(odd({ ...assistant('a'), usage })).toMatchObject({
      usage: { ...noUsage(), input: 5, cost: { ...noUsage().cost, total: 0.5 } },
    });
  });

  test('blocks of unknown kinds are left out, the others stay', () => {
    const blocks = [null, 7, { type: 'server_tool_use' }, text('a'), { type: 'toolCall', id: '1', name: 'read' }];
    expect(odd({ ...assistant('x'), content: blocks })).toMatchObject({ content: [text('a')] });
    expect(odd({ ...user('x'), content: [...blocks, { type: 'image' }] })).toMatchObject({ content: [text('a')] });
  });

  test('of a kind that nobody knows is kept as words when it has any', () => {
    expect(odd({ role: 'fileMention', content: 'see a.ts', timestamp: 3 })).toMatchObject({
      role: 'custom',
      customType: 'fileMention',
      content: 'see a.ts',
    });
    expect(odd({ role: '__proto__', content: [text('a')] })).toMatchObject({ role: 'custom', customType: '__proto__' });
    expect(odd({ role: 'pythonExecution', code: '1' })).toBeUndefined();
    expect(odd({ role: 'compactionSummary' })).toBeUndefined();
  });

  test('with anything in any field is one that the protocol knows, and the model can be asked', () => {
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
      .map(([of, fields]) => ({ timestamp: 1, ...fields, role: of }));
    fc.assert(
      fc.property(fc.array(message, { minLength: 1, maxLength: 6 }), conversations, (messages, entries) => {
        const sound = messages.flatMap((one) => odd(one) ?? []);
        for (const one of sound) expect(() => check(agentMessage, one)).not.toThrow();
        const said = entries.flatMap((entry) => (entry.type === 'message' ? [entry.message] : []));
        expect(refusals(toModelMessages([...said, ...sound]))).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });
});
