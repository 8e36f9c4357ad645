// Rendering of tool calls: one-line header, folded results, coloured diffs.
import { describe, expect, test } from 'vitest';
import { loadSyntaxHighlighter } from '../../../src/terminal/markdown/highlight-code.ts';
import type { Line } from '../../../src/terminal/text/line.ts';
import { foldLines } from '../../../src/terminal/transcript/fold-lines.ts';
import { renderCallHeader, renderResult } from '../../../src/terminal/transcript/render-tool-call.ts';

const getText = (spans: Line) => spans.map(({ text }) => text).join('');
const createOutput = (count: number) => ({
  content: [{ type: 'text', text: Array.from({ length: count }, (_, at) => `line ${at + 1}`).join('\n') }],
});

describe('call header', () => {
  test('is a single line for any arguments', () => {
    const args = { path: 'a.txt', content: 'first\nsecond', edits: [{ a: 1 }], limit: 3, none: undefined };
    expect(getText(renderCallHeader({ name: 'write', args }, 'done', 80))).toBe(
      '● write a.txt (2 lines, 1 edit, limit 3)',
    );
    expect(getText(renderCallHeader({ name: 'bash', args: { command: 'x'.repeat(200) } }, 'running', 30)).length).toBe(
      30,
    );
  });
});

test('the header of a finished edit has the numbers of added and removed lines', () => {
  const output = { content: [], details: { diff: ' 1 same\n-2 old\n+2 new\n+3 newer' } };
  const call = { name: 'edit', args: { path: 'a.ts', edits: [{}] } };
  expect(getText(renderCallHeader(call, 'running', 80))).toBe('● edit a.ts (1 edit)');
  expect(getText(renderCallHeader(call, 'done', 80, output))).toBe('● edit a.ts +2 −1');
});

describe('result', () => {
  const flags = { isError: false, isStreamed: false };

  test('is folded to its start, or to its end if it was streamed; the full result is retained', () => {
    const start = renderResult(createOutput(30), flags, 80);
    expect(start.lines.map(getText)).toEqual([
      ...Array.from({ length: 8 }, (_, at) => `  line ${at + 1}`),
      '  … 22 more lines (Ctrl+O to show all)'.trimStart(),
    ]);
    expect(start.fullLines).toHaveLength(30);
    const end = renderResult(createOutput(30), { isError: false, isStreamed: true }, 80).lines.map(getText);
    expect([end[0], end.at(-1), end.length]).toEqual(['… 22 earlier lines (Ctrl+O to show all)', '  line 30', 9]);
    expect(renderResult(createOutput(9), flags, 80).fullLines).toBeUndefined();
  });

  test('of an edit is a coloured diff; of a failure the error text', () => {
    const output = { ...createOutput(1), details: { diff: ' 1 same\n-2 old\n+2 new' } };
    const lines = renderResult(output, flags, 80).lines;
    expect(lines.map(getText)).toEqual(['   1 same', '  -2 old', '  +2 new']);
    expect(lines.map((spans) => spans.at(-1)?.style.colour)).toEqual([undefined, 'red', 'green']);
    expect(renderResult(output, { isError: true, isStreamed: false }, 80).lines.map(getText)).toEqual(['  line 1']);
  });

  test('of an edit emphasizes the characters that differ, if each removed line has one added line', () => {
    const render = (diff: string) =>
      renderResult({ content: [], details: { diff } }, flags, 80).lines.map((spans) =>
        spans.map(({ text, style }) => (style.inverse ? `[${text}]` : text)).join(''),
      );
    expect(render('-3 const limit = 10;\n+3 const limit = 20;')).toEqual([
      '  -3 const limit = [1]0;',
      '  +3 const limit = [2]0;',
    ]);
    expect(render('-3 a\n+3 completely\n+4 other')).toEqual(['  -3 a', '  +3 completely', '  +4 other']);
    expect(render('-3 one thing\n+3 another matter')).toEqual(['  -3 one thing', '  +3 another matter']);
    expect(render('-1 face \u{1F600} end\n+1 face \u{1F601} end')).toEqual([
      '  -1 face [\u{1F600}] end',
      '  +1 face [\u{1F601}] end',
    ]);
  });

  test('with the content of a file is highlighted by the extension of its path; other results are not', async () => {
    await loadSyntaxHighlighter();
    const output = { content: [{ type: 'text', text: 'const a = 1;' }] };
    const countColours = (args: Record<string, unknown>) =>
      renderResult(output, { ...flags, args }, 80).lines[0]?.filter(({ style }) => style.colour).length;
    expect(countColours({ path: 'a.ts', offset: 1 })).toBe(2);
    expect(countColours({ path: 'a.unknown' })).toBe(0);
    const cut = { content: [{ type: 'text', text: 'const a = 1;\n\n[6 more lines in file.]' }] };
    const lastLine = renderResult(cut, { ...flags, args: { path: 'a.ts' } }, 80).lines.at(-1);
    expect(lastLine?.at(-1)?.style).toEqual({ dim: true });
    expect(countColours({ path: 'a.ts', content: 'x' })).toBe(0);
  });

  test('is not folded to hide a single line', () => {
    const lines =
      createOutput(9)
        .content[0]?.text.split('\n')
        .map((text) => [{ text, style: {} }] as unknown as Line) ?? [];
    expect(foldLines(lines, 8, 'start').isComplete).toBe(true);
  });
});
