// Markdown rendering, and that the result does not depend on how the text is split.
import { array, assert, constantFrom, integer, oneof, property, string } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MarkdownRenderer, renderMarkdown } from '../../../src/terminal/markdown/markdown-renderer.ts';
import { type Line, measureLine } from '../../../src/terminal/text/line.ts';

const getText = (spans: Line) => spans.map(({ text }) => text).join('');
const render = (markdown: string, width = 40) => renderMarkdown(markdown, width).map(getText);

const PIECES = [
  '# Title\n',
  'Some **bold** and *italic* `code` words\n',
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
const markdown = array(oneof(constantFrom(...PIECES), string({ unit: 'grapheme' })), { maxLength: 25 }).map((pieces) =>
  pieces.join(''),
);

describe('blocks', () => {
  test('headings, paragraphs, lists, quotes and rules', () => {
    expect(render('# Head\nwords\n\n- one\n  - two\n1. three\n- [x] done\n\n> quote\n\n---\n')).toEqual([
      ...['Head', 'words', '', '• one', '  • two', '1. three', '• ☑ done', '', '│ quote', '', '─'.repeat(40)],
    ]);
    expect(render('Head\n====\n')).toEqual(['Head']);
  });

  test('lines of code are neither joined, wrapped nor formatted', () => {
    const long = `${'x'.repeat(60)} **no**`;
    expect(render(`\`\`\`ts\n${long}\n# no heading\n\n\`\`\`\nafter`)).toEqual([
      '```ts',
      long,
      '# no heading',
      '',
      '```',
      'after',
    ]);
  });

  test('table columns fit the width', () => {
    const table = '| name | n |\n|---|--:|\n| one | 1 |\n| three | 30 |\n';
    expect(render(table)).toEqual(['name  │   n', '──────┼────', 'one   │   1', 'three │  30']);
    const narrow = render('| a | words |\n|---|---|\n| x | one two three four |\n', 16);
    expect(narrow.every((row) => row.length <= 16)).toBe(true);
    expect(narrow.length).toBeGreaterThan(3);
    expect(render('| a | b | c |\n|---|---|---|\n| 1 | 2 | 3 |', 8)[0]).toContain('| a');
  });

  test('long items are wrapped with a hanging indent', () => {
    expect(render('- one two three four five', 12)).toEqual(['• one two ', '  three four', '  five']);
  });

  test('inline markup becomes styles; the URL of a link is always shown', () => {
    const [first = []] = renderMarkdown('**b** *i* ~~s~~ `c` [here](http://evil.example)', 80);
    expect(getText(first)).toBe('b i s c here (http://evil.example)');
    const getStyle = (text: string) => first.find((span) => span.text === text)?.style;
    expect([getStyle('b'), getStyle('i'), getStyle('s'), getStyle('c')]).toEqual([
      { bold: true },
      { italic: true },
      { strike: true },
      { colour: 'cyan' },
    ]);
  });

  test('text that is not Markdown is unchanged', () => {
    expect(render('a < b && c > d &amp; snake_case_word 2 * 3 * 4', 60)).toEqual([
      'a < b && c > d &amp; snake_case_word 2 * 3 * 4',
    ]);
  });
});

describe('streaming', () => {
  test('the result does not depend on chunk boundaries', () => {
    assert(
      property(markdown, integer({ min: 1, max: 9 }), integer({ min: 8, max: 60 }), (text, size, width) => {
        const renderer = new MarkdownRenderer();
        const lines: Line[] = [];
        for (let at = 0; at < text.length; at += size) {
          lines.push(...renderer.push(text.slice(at, at + size), width));
          for (const line of renderer.renderPending(width)) expect(measureLine(line)).toBeLessThanOrEqual(width);
        }
        lines.push(...renderer.end(width));
        expect(lines.map(getText)).toEqual(renderMarkdown(text, width).map(getText));
      }),
    );
  });

  test('lines are emitted as soon as later text cannot change them', () => {
    const renderer = new MarkdownRenderer();
    const push = (text: string) => renderer.push(text, 40).map(getText);
    expect(push('words')).toEqual([]);
    expect(renderer.renderPending(40).map(getText)).toEqual(['words']);
    expect(push('\n\n')).toEqual(['words', '']);
    expect(push('```\ncode\n')).toEqual(['```', 'code']);
    expect(renderer.renderPending(40)).toEqual([]);
    expect(push('half')).toEqual([]);
    expect(renderer.renderPending(40).map(getText)).toEqual(['half']);
    expect(push('\n```\n- a\n- b')).toEqual(['half', '```', '• a'].slice(0, 2));
    expect(push('\n')).toEqual(['• a']);
  });

  test('output contains no control characters', () => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters must not occur
    const forbidden = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/;
    assert(
      property(markdown, integer({ min: 4, max: 60 }), (text, width) => {
        for (const line of renderMarkdown(text, width)) expect(getText(line)).not.toMatch(forbidden);
      }),
    );
  });
});
