// Markdown on a terminal: how it looks, and that it looks the same however it arrives.
import { array, assert, constantFrom, integer, oneof, property, string } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MarkdownView, markdownLines } from '../../../src/terminal/markdown/view.ts';
import { type Line, lineWidth } from '../../../src/terminal/text/line.ts';

const textOf = (spans: Line) => spans.map(({ text }) => text).join('');
const shown = (markdown: string, width = 40) => markdownLines(markdown, width).map(textOf);

const PIECES = [
  '# Title\n',
  'Some **bold** and *slanted* `code` words\n',
  '- item\n',
  '  1. inner item\n',
  '> quoted\n',
  '```ts\n',
  'const a = 1;\n',
  '```\n',
  '\n',
  '| a | b |\n',
  '|---|:-:|\n',
  '| 1 | **2** |\n',
  '---\n',
  '===\n',
  'plain [link](http://x.example) <b>html</b>\n',
  '**not closed',
  '\u001b[31m\n',
  '    indented\n',
  '~~~\n',
];
const markdown = array(oneof(constantFrom(...PIECES), string({ unit: 'grapheme' })), { maxLength: 25 }).map((all) =>
  all.join(''),
);

describe('blocks', () => {
  test('headings, paragraphs, lists, quotes and rules', () => {
    expect(shown('# Head\nwords\n\n- one\n  - two\n1. three\n- [x] done\n\n> said\n\n---\n')).toEqual([
      ...['Head', 'words', '', '• one', '  • two', '1. three', '• ☑ done', '', '│ said', '', '─'.repeat(40)],
    ]);
    expect(shown('Head\n====\n')).toEqual(['Head']);
  });

  test('code is as it is: its lines are neither joined, wrapped nor marked up', () => {
    const long = `${'x'.repeat(60)} **no**`;
    expect(shown(`\`\`\`ts\n${long}\n# no heading\n\n\`\`\`\nafter`)).toEqual([
      '```ts',
      long,
      '# no heading',
      '',
      '```',
      'after',
    ]);
  });

  test('tables stand in columns, as wide as there is room', () => {
    const table = '| name | n |\n|---|--:|\n| one | 1 |\n| three | 30 |\n';
    expect(shown(table)).toEqual(['name  │   n', '──────┼────', 'one   │   1', 'three │  30']);
    const narrow = shown('| a | words |\n|---|---|\n| x | one two three four |\n', 16);
    expect(narrow.every((row) => row.length <= 16)).toBe(true);
    expect(narrow.length).toBeGreaterThan(3);
    expect(shown('| a | b | c |\n|---|---|---|\n| 1 | 2 | 3 |', 8)[0]).toContain('| a');
  });

  test('long paragraphs and items are wrapped, items under themselves', () => {
    expect(shown('- one two three four five', 12)).toEqual(['• one two ', '  three four', '  five']);
  });

  test('marks become looks; where a link leads is always seen', () => {
    const [first = []] = markdownLines('**b** *i* ~~s~~ `c` [here](http://evil.example)', 80);
    expect(textOf(first)).toBe('b i s c here (http://evil.example)');
    const look = (text: string) => first.find((one) => one.text === text)?.look;
    expect([look('b'), look('i'), look('s'), look('c')]).toEqual([
      { bold: true },
      { italic: true },
      { strike: true },
      { colour: 'cyan' },
    ]);
  });

  test('what is not markdown stays as it was written', () => {
    expect(shown('a < b && c > d &amp; snake_case_word 2 * 3 * 4', 60)).toEqual([
      'a < b && c > d &amp; snake_case_word 2 * 3 * 4',
    ]);
  });
});

describe('while it is written', () => {
  test('cut anywhere, it ends up the same as whole', () => {
    assert(
      property(markdown, integer({ min: 1, max: 9 }), integer({ min: 8, max: 60 }), (text, size, width) => {
        const view = new MarkdownView();
        const lines: Line[] = [];
        for (let at = 0; at < text.length; at += size) {
          lines.push(...view.push(text.slice(at, at + size), width));
          for (const line of view.tail(width)) expect(lineWidth(line)).toBeLessThanOrEqual(width);
        }
        lines.push(...view.end(width));
        expect(lines.map(textOf)).toEqual(markdownLines(text, width).map(textOf));
      }),
    );
  });

  test('a line of code, an item and a paragraph are finished as soon as nothing can change them', () => {
    const view = new MarkdownView();
    const push = (text: string) => view.push(text, 40).map(textOf);
    expect(push('words')).toEqual([]);
    expect(view.tail(40).map(textOf)).toEqual(['words']);
    expect(push('\n\n')).toEqual(['words', '']);
    expect(push('```\ncode\n')).toEqual(['```', 'code']);
    expect(view.tail(40)).toEqual([]);
    expect(push('half')).toEqual([]);
    expect(view.tail(40).map(textOf)).toEqual(['half']);
    expect(push('\n```\n- a\n- b')).toEqual(['half', '```', '• a'].slice(0, 2));
    expect(push('\n')).toEqual(['• a']);
  });

  test('nothing in it commands a terminal', () => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
    const forbidden = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/;
    assert(
      property(markdown, integer({ min: 4, max: 60 }), (text, width) => {
        for (const line of markdownLines(text, width)) expect(textOf(line)).not.toMatch(forbidden);
      }),
    );
  });
});
