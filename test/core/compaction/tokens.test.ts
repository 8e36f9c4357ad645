// Token counts: the provider's count up to the last answer, an estimate for the messages after it.
import { describe, expect, test } from 'vitest';
import { estimateContextTokens, estimateTokens } from '../../../src/core/compaction/tokens.ts';
import type { AgentMessage } from '../../../src/protocol/index.ts';
import { assistant, bash, call, compactionBody, createPath, result, text, user } from '../entries.ts';

const image = { type: 'image' as const, data: 'AA==', mimeType: 'image/png' };

describe('estimateTokens', () => {
  test.each<[string, AgentMessage, number]>([
    ['four characters are one token, rounded up', user('12345'), 2],
    ['each block is rounded up', user([text('1'), text('1')]), 2],
    ['an image', user([text('1234'), image]), 1201],
    ['an answer: text and thinking', assistant([text('1234'), { type: 'thinking', thinking: '5678' }]), 2],
    ['a call: its name and its arguments', assistant([call('1', 'read', { a: 1 })]), 3],
    ['a result', result('1', '12345678'), 2],
    ['a command with its output', bash('1234', '5678'), 2],
    ['a summary', { role: 'compactionSummary', summary: '12345678', tokensBefore: 9, timestamp: 0 }, 2],
    ['an empty message', user(''), 0],
  ])('%s', (_, message, tokens) => {
    expect(estimateTokens(message)).toBe(tokens);
  });
});

describe('estimateContextTokens', () => {
  const counted = assistant('x', { usage: { input: 900, output: 10, cacheRead: 5, cacheWrite: 85 } });

  test('uses the count of the newest answer and estimates the messages after it', () => {
    expect(estimateContextTokens(createPath(user('12345678'), counted, user('1234')))).toBe(1001);
  });

  test('ignores the counts of failed and aborted answers', () => {
    const failed = assistant('1234', { stopReason: 'error', usage: { input: 9999 } });
    const aborted = assistant('1234', { stopReason: 'aborted', usage: { input: 9999 } });
    expect(estimateContextTokens(createPath(counted, failed, aborted))).toBe(1002);
  });

  test('estimates everything if there is no count', () => {
    expect(estimateContextTokens(createPath(user('12345678'), assistant('1234')))).toBe(3);
    expect(estimateContextTokens([])).toBe(0);
  });

  test('ignores counts from before a compaction', () => {
    const path = createPath(user('12345678'), counted, compactionBody('e1', '12345678'), user('1234'));
    expect(estimateContextTokens(path)).toBe(2 + 1 + 1);
    expect(
      estimateContextTokens([
        ...path,
        ...createPath(user('a'), counted).map((entry) => ({ ...entry, id: `l${entry.id}` })),
      ]),
    ).toBe(1000);
  });

  test('estimates messages with missing or invalid counts', () => {
    const invalid = { ...assistant('1234'), usage: { input: 'many', output: Number.NaN } } as unknown as AgentMessage;
    expect(estimateContextTokens(createPath(user('1234'), invalid))).toBe(2);
    const missing = { ...assistant('1234'), usage: undefined } as unknown as AgentMessage;
    expect(estimateContextTokens(createPath(user('1234'), missing))).toBe(2);
  });
});
