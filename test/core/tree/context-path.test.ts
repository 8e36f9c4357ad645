// From a line of entries to what the model is given.
import { describe, expect, test } from 'vitest';
import { firstKept, messagesOf } from '../../../src/core/tree/context-path.ts';
import { textOf } from '../../../src/protocol/index.ts';
import { assistant, compacted, line, TIMESTAMP, text, user } from '../entries.ts';

const prompt = (words: string) => user([text(words)]);
const words = (path: Parameters<typeof messagesOf>[0]) =>
  messagesOf(path).map((message) =>
    'summary' in message ? message.summary : 'content' in message ? textOf(message.content) : '',
  );

describe('the context', () => {
  test('without a compaction is everything that was said', () => {
    expect(words(line(prompt('a'), { type: 'custom', customType: 'x' }, assistant('b')))).toEqual(['a', 'b']);
  });

  test('with one: its summary, what it kept, what came after', () => {
    const path = line(prompt('a'), assistant('b'), prompt('c'), compacted('e2'), prompt('d'));
    expect(words(path)).toEqual(['what was', 'c', 'd']);
    expect(messagesOf(path)[0]).toMatchObject({ role: 'compactionSummary', timestamp: Date.parse(TIMESTAMP) });
  });

  test('the newest of several counts; an older one among what it kept is not repeated', () => {
    const path = line(
      prompt('a'),
      prompt('b'),
      compacted('e1', 'first'),
      prompt('c'),
      compacted('e1', 'second'),
      prompt('d'),
    );
    expect(words(path)).toEqual(['second', 'b', 'c', 'd']);
  });

  test('what it kept is not there, or stands after it: only the summary and what came after', () => {
    expect(words(line(prompt('a'), compacted('gone'), prompt('b')))).toEqual(['what was', 'b']);
    expect(words(line(prompt('a'), compacted('e2'), prompt('b')))).toEqual(['what was', 'b']);
  });

  test('begins at the first entry that was kept', () => {
    expect(firstKept(line(prompt('a'), prompt('b')))).toBe(0);
    expect(firstKept(line(prompt('a'), prompt('b'), compacted('e1')))).toBe(1);
    expect(firstKept(line(prompt('a'), compacted('gone'), prompt('b')))).toBe(1);
  });

  test('words of an extension and of another branch count as the user’s', () => {
    const path = line(
      { type: 'custom_message', customType: 'note', content: 'n', display: false },
      { type: 'branch_summary', fromId: 'root', summary: 's' },
    );
    expect(messagesOf(path)).toMatchObject([
      { role: 'custom', content: 'n', display: false },
      { role: 'branchSummary', summary: 's' },
    ]);
  });
});
