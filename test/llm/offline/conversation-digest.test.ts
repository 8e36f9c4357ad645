import { describe, expect, test } from 'vitest';
import { conversationToSummarise, summariseConversation } from '../../../src/llm/offline/conversation-digest.ts';
import { user } from './talk.ts';

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

function sectionOf(summary: string, title: string): string[] {
  const lines = summary.split('\n');
  const rest = lines.slice(lines.indexOf(title) + 1);
  const end = rest.findIndex((line) => line.startsWith('#'));
  return rest.slice(0, end < 0 ? undefined : end).filter(Boolean);
}

describe('the summary of a conversation', () => {
  const summary = summariseConversation({ conversation });

  test('has the sections that compaction keeps, in order', () => {
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
    expect(sectionOf(summary, title)).toEqual(items);
  });

  test('names the files and says how it was made', () => {
    const context = sectionOf(summary, '## Critical Context').join('\n');
    expect(context).toContain('Files touched: `src/a "x".ts`, `src/c.ts`');
    expect(context).toContain('extracted by rule');
  });

  test('takes over what an earlier summary had, once', () => {
    const next = summariseConversation({ conversation, previousSummary: summary });
    expect(sectionOf(next, '### Done')).toEqual(sectionOf(summary, '### Done'));
    const later = summariseConversation({
      conversation: '[User]: More\n\n[Assistant]: Fine.',
      previousSummary: summary,
    });
    expect(sectionOf(later, '## Goal')).toEqual(['- Fix the login bug. You must not touch b.ts.', '- More']);
    expect(sectionOf(later, '### Done')).toHaveLength(2);
    expect(sectionOf(later, '### In Progress')).toEqual(['- (none)']);
    expect(later.match(/extracted by rule/g)).toHaveLength(1);
  });

  test('of nothing is empty, not invented', () => {
    const empty = summariseConversation({ conversation: '' });
    expect(empty.split('\n').filter((line) => line.startsWith('#'))).toEqual(SECTIONS);
    expect(sectionOf(empty, '## Goal')).toEqual(['- (none)']);
  });

  test('of a very long one stays short', () => {
    const long = Array.from(
      { length: 3000 },
      (_, n) => `[User]: never do ${n}\n\n[Assistant tool calls]: read(path="f${n}.ts")\n\n[Tool result]: ok\n`,
    ).join('\n');
    expect(summariseConversation({ conversation: long }).length).toBeLessThan(10_000);
  });
});

describe('when a summary is wanted', () => {
  const wants = (text: string, systemPrompt = '') => conversationToSummarise({ systemPrompt, messages: [user(text)] });

  test('the system prompt or the words around the block say so', () => {
    expect(wants('<conversation>\nx\n</conversation>', 'You summarise conversations.')).toEqual({
      conversation: 'x\n',
    });
    expect(wants('<conversation>x</conversation> Write a summary.')).toEqual({ conversation: 'x' });
    expect(
      wants('<conversation>x</conversation>\n<previous-summary>\nold\n</previous-summary>\nUpdate the summary.'),
    ).toEqual({ conversation: 'x', previousSummary: 'old' });
  });

  test('a word inside the block does not', () => {
    expect(wants('<conversation>a summary</conversation> what is this?')).toBeUndefined();
    expect(wants('Please write a summary.')).toBeUndefined();
    expect(conversationToSummarise({ systemPrompt: 'summarise', messages: [] })).toBeUndefined();
  });
});
