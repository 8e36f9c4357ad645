// buildContextMessages: converts a path of entries into the messages for the model.
import { describe, expect, test } from 'vitest';
import { buildContextMessages, findFirstKeptIndex } from '../../../src/core/tree/context-path.ts';
import { extractText } from '../../../src/protocol/index.ts';
import { assistant, compactionBody, createPath, TIMESTAMP, text, user } from '../entries.ts';

const prompt = (value: string) => user([text(value)]);
const contextTexts = (path: Parameters<typeof buildContextMessages>[0]) =>
  buildContextMessages(path).map((message) =>
    'summary' in message ? message.summary : 'content' in message ? extractText(message.content) : '',
  );

describe('the context', () => {
  test('without a compaction contains all messages', () => {
    expect(contextTexts(createPath(prompt('a'), { type: 'custom', customType: 'x' }, assistant('b')))).toEqual([
      'a',
      'b',
    ]);
  });

  test('with a compaction contains its summary, the kept entries and the entries after it', () => {
    const path = createPath(prompt('a'), assistant('b'), prompt('c'), compactionBody('e2'), prompt('d'));
    expect(contextTexts(path)).toEqual(['summary', 'c', 'd']);
    expect(buildContextMessages(path)[0]).toMatchObject({
      role: 'compactionSummary',
      timestamp: Date.parse(TIMESTAMP),
    });
  });

  test('contains only the newest summary, even if an older compaction is among the kept entries', () => {
    const path = createPath(
      prompt('a'),
      prompt('b'),
      compactionBody('e1', 'first'),
      prompt('c'),
      compactionBody('e1', 'second'),
      prompt('d'),
    );
    expect(contextTexts(path)).toEqual(['second', 'b', 'c', 'd']);
  });

  test('contains only the summary and later entries if the first kept entry is missing or after the compaction', () => {
    expect(contextTexts(createPath(prompt('a'), compactionBody('missing'), prompt('b')))).toEqual(['summary', 'b']);
    expect(contextTexts(createPath(prompt('a'), compactionBody('e2'), prompt('b')))).toEqual(['summary', 'b']);
  });

  test('starts at the first kept entry', () => {
    expect(findFirstKeptIndex(createPath(prompt('a'), prompt('b')))).toBe(0);
    expect(findFirstKeptIndex(createPath(prompt('a'), prompt('b'), compactionBody('e1')))).toBe(1);
    expect(findFirstKeptIndex(createPath(prompt('a'), compactionBody('missing'), prompt('b')))).toBe(1);
  });

  test('contains custom messages and branch summaries', () => {
    const path = createPath(
      { type: 'custom_message', customType: 'note', content: 'n', display: false },
      { type: 'branch_summary', fromId: 'root', summary: 's' },
    );
    expect(buildContextMessages(path)).toMatchObject([
      { role: 'custom', content: 'n', display: false },
      { role: 'branchSummary', summary: 's' },
    ]);
  });
});
