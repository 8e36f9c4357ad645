// Tool calls as a person sees them: what is done in one line, long results folded, changes in colour.
import { describe, expect, test } from 'vitest';
import type { Line } from '../../../src/terminal/text/line.ts';
import { fold } from '../../../src/terminal/transcript/folding.ts';
import { headLine, resultLines } from '../../../src/terminal/transcript/tool-view.ts';

const textOf = (spans: Line) => spans.map(({ text }) => text).join('');
const said = (count: number) => ({
  content: [{ type: 'text', text: Array.from({ length: count }, (_, at) => `line ${at + 1}`).join('\n') }],
});

describe('a call', () => {
  test('is one line, whatever its arguments are', () => {
    const args = { path: 'a.txt', content: 'first\nsecond', edits: [{ a: 1 }], limit: 3, none: undefined };
    expect(textOf(headLine({ name: 'write', args }, 'done', 80))).toBe('● write a.txt first… edits=[{"a":1}] limit=3');
    expect(textOf(headLine({ name: 'bash', args: { command: 'x'.repeat(200) } }, 'running', 30)).length).toBe(30);
  });
});

describe('a result', () => {
  const facts = { failed: false, streamed: false };

  test('is folded to its beginning, or to its end when it was seen coming; all of it is kept', () => {
    const start = resultLines(said(30), facts, 80);
    expect(start.lines.map(textOf)).toEqual([
      ...Array.from({ length: 8 }, (_, at) => `  line ${at + 1}`),
      '  … 22 more lines (Ctrl+O shows all)'.trimStart(),
    ]);
    expect(start.whole).toHaveLength(30);
    const end = resultLines(said(30), { failed: false, streamed: true }, 80).lines.map(textOf);
    expect([end[0], end.at(-1), end.length]).toEqual(['… 22 earlier lines (Ctrl+O shows all)', '  line 30', 9]);
    expect(resultLines(said(9), facts, 80).whole).toBeUndefined();
  });

  test('of a change is the change, in colour; a failure is what went wrong', () => {
    const output = { ...said(1), details: { diff: ' 1 same\n-2 old\n+2 new' } };
    const lines = resultLines(output, facts, 80).lines;
    expect(lines.map(textOf)).toEqual(['   1 same', '  -2 old', '  +2 new']);
    expect(lines.map((spans) => spans.at(-1)?.look.colour)).toEqual([undefined, 'red', 'green']);
    expect(resultLines(output, { failed: true, streamed: false }, 80).lines.map(textOf)).toEqual(['  line 1']);
  });

  test('never hides a single line behind a line', () => {
    const lines =
      said(9)
        .content[0]?.text.split('\n')
        .map((text) => [{ text, look: {} }] as unknown as Line) ?? [];
    expect(fold(lines, 8, 'start').isWhole).toBe(true);
  });
});
