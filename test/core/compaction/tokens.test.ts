// How much a conversation weighs: the provider's own count first, an estimate for what came after.
import { describe, expect, test } from 'vitest';
import { contextTokens, estimateTokens } from '../../../src/core/compaction/tokens.ts';
import type { AgentMessage } from '../../../src/protocol/index.ts';
import { assistant, bash, call, compacted, line, result, text, user } from '../entries.ts';

const image = { type: 'image' as const, data: 'AA==', mimeType: 'image/png' };

describe('an estimate', () => {
  test.each<[string, AgentMessage, number]>([
    ['four characters are a token, begun ones count', user('12345'), 2],
    ['blocks are counted one by one', user([text('1'), text('1')]), 2],
    ['an image', user([text('1234'), image]), 1201],
    ['an answer: text, thinking, calls', assistant([text('1234'), { type: 'thinking', thinking: '5678' }]), 2],
    ['a call: its name and its arguments', assistant([call('1', 'read', { a: 1 })]), 3],
    ['a result', result('1', '12345678'), 2],
    ['a command with its output', bash('1234', '5678'), 2],
    ['a summary', { role: 'compactionSummary', summary: '12345678', tokensBefore: 9, timestamp: 0 }, 2],
    ['nothing', user(''), 0],
  ])('%s', (_, message, tokens) => {
    expect(estimateTokens(message)).toBe(tokens);
  });
});

describe('the context', () => {
  const counted = assistant('x', { usage: { input: 900, output: 10, cacheRead: 5, cacheWrite: 85 } });

  test('the newest answer says what it weighs; what came after is estimated', () => {
    expect(contextTokens(line(user('12345678'), counted, user('1234')))).toBe(1001);
  });

  test('an answer that failed or was stopped counts nothing', () => {
    const failed = assistant('1234', { stopReason: 'error', usage: { input: 9999 } });
    const stopped = assistant('1234', { stopReason: 'aborted', usage: { input: 9999 } });
    expect(contextTokens(line(counted, failed, stopped))).toBe(1002);
  });

  test('nobody counted: everything is estimated', () => {
    expect(contextTokens(line(user('12345678'), assistant('1234')))).toBe(3);
    expect(contextTokens([])).toBe(0);
  });

  test('what was counted before a compaction is gone', () => {
    const path = line(user('12345678'), counted, compacted('e1', '12345678'), user('1234'));
    expect(contextTokens(path)).toBe(2 + 1 + 1);
    expect(
      contextTokens([...path, ...line(user('a'), counted).map((entry) => ({ ...entry, id: `l${entry.id}` }))]),
    ).toBe(1000);
  });

  test('a log without counts or with nonsense in their place is estimated', () => {
    const odd = { ...assistant('1234'), usage: { input: 'many', output: Number.NaN } } as unknown as AgentMessage;
    expect(contextTokens(line(user('1234'), odd))).toBe(2);
    const none = { ...assistant('1234'), usage: undefined } as unknown as AgentMessage;
    expect(contextTokens(line(user('1234'), none))).toBe(2);
  });
});
