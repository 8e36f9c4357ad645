import { describe, expect, test } from 'vitest';
import { extractConversation, summariseConversation } from '../../../src/llm/offline/conversation-digest.ts';
import { user } from './conversation-helpers.ts';

const conversation = `[User]: Fix the login bug. You must not touch b.ts.

[Assistant thinking]: hm

[Assistant]: I decided to read the code first. It is short.

[Assistant tool calls]: read(path="src/a \\"x\\".ts", offset=1); bash(command="npm (test); echo", timeout=3)

[Tool result]: const a = 1;

[Tool result]: 1 failed

Command exited with code 1

[Assistant tool calls]: edit(oldText=")", newText="(", path="src/c.ts")

[Tool result]: Successfully replaced text in src/c.ts.

[User]: Now run the tests again`;

const SECTIONS = [
  '## Goal',
  '## Constraints & Preferences',
  '## Progress',
  '### Done',
  '### In Progress',
  '### Blocked',
  '## Key Decisions',
  '## Next Steps',
  '## Critical Context',
];

function getSection(summary: string, title: string): string[] {
  const lines = summary.split('\n');
  const rest = lines.slice(lines.indexOf(title) + 1);
  const end = rest.findIndex((line) => line.startsWith('#'));
  return rest.slice(0, end < 0 ? undefined : end).filter(Boolean);
}

describe('the summary of a conversation', () => {
  const summary = summariseConversation({ conversation });

  test('has the sections of compaction, in order', () => {
    expect(summary.split('\n').filter((line) => line.startsWith('#'))).toEqual(SECTIONS);
  });

  test.each([
    ['## Goal', ['- Fix the login bug. You must not touch b.ts.']],
    ['## Constraints & Preferences', ['- You must not touch b.ts.']],
    ['### Done', ['- [x] read `src/a "x".ts`', '- [x] edit `src/c.ts`']],
    ['### In Progress', ['- [ ] Now run the tests again']],
    ['### Blocked', ['- bash `npm (test); echo`: Command exited with code 1']],
    ['## Key Decisions', ['- I decided to read the code first.']],
    ['## Next Steps', ['- Answer the last request: Now run the tests again']],
  ])('%s', (title, items) => {
    expect(getSection(summary, title)).toEqual(items);
  });

  test('names the files and its origin', () => {
    const context = getSection(summary, '## Critical Context').join('\n');
    expect(context).toContain('Files touched: `src/a "x".ts`, `src/c.ts`');
    expect(context).toContain('extracted by rule');
  });

  test('includes the items of an earlier summary once', () => {
    const next = summariseConversation({ conversation, previousSummary: summary });
    expect(getSection(next, '### Done')).toEqual(getSection(summary, '### Done'));
    const later = summariseConversation({
      conversation: '[User]: More\n\n[Assistant]: Fine.',
      previousSummary: summary,
    });
    expect(getSection(later, '## Goal')).toEqual(['- Fix the login bug. You must not touch b.ts.', '- More']);
    expect(getSection(later, '### Done')).toHaveLength(2);
    expect(getSection(later, '### In Progress')).toEqual(['- (none)']);
    expect(later.match(/extracted by rule/g)).toHaveLength(1);
  });

  test('is empty for an empty conversation', () => {
    const empty = summariseConversation({ conversation: '' });
    expect(empty.split('\n').filter((line) => line.startsWith('#'))).toEqual(SECTIONS);
    expect(getSection(empty, '## Goal')).toEqual(['- (none)']);
  });

  test('stays short for a very long conversation', () => {
    const long = Array.from(
      { length: 3000 },
      (_, n) => `[User]: never do ${n}\n\n[Assistant tool calls]: read(path="f${n}.ts")\n\n[Tool result]: ok\n`,
    ).join('\n');
    expect(summariseConversation({ conversation: long }).length).toBeLessThan(10_000);
  });
});

describe('detection of summary requests', () => {
  const extract = (text: string, systemPrompt = '') => extractConversation({ systemPrompt, messages: [user(text)] });

  test('by the system prompt or the text around the block', () => {
    expect(extract('<conversation>\nx\n</conversation>', 'You summarise conversations.')).toEqual({
      conversation: 'x\n',
    });
    expect(extract('<conversation>x</conversation> Write a summary.')).toEqual({ conversation: 'x' });
    expect(
      extract('<conversation>x</conversation>\n<previous-summary>\nold\n</previous-summary>\nUpdate the summary.'),
    ).toEqual({ conversation: 'x', previousSummary: 'old' });
  });

  test('not by text inside the block', () => {
    expect(extract('<conversation>a summary</conversation> what is this?')).toBeUndefined();
    expect(extract('Please write a summary.')).toBeUndefined();
    expect(extractConversation({ systemPrompt: 'summarise', messages: [] })).toBeUndefined();
  });
});
