// Renders a Markdown table with columns that fit a given width.
import { type Line, measureLine, type Span, span, type TextStyle, wrapLine } from '../text/line.ts';
import { renderInline } from './render-inline.ts';

type Alignment = 'left' | 'right' | 'centre';

const MIN_COLUMN_WIDTH = 3;
const COLUMN_SEPARATOR = ' │ ';

/** `undefined` when even the narrowest columns would not fit. */
export function renderTable(
  [head = '', delimiter = '', ...rows]: readonly string[],
  width: number,
): Line[] | undefined {
  const alignments = splitCells(delimiter).map(parseAlignment);
  const available = width - COLUMN_SEPARATOR.length * (alignments.length - 1);
  if (alignments.length * MIN_COLUMN_WIDTH > available) return undefined;
  const cells = [head, ...rows].map((row, at) => {
    const texts = splitCells(row);
    return alignments.map((_, column) => renderCell(texts[column] ?? '', at === 0 ? { bold: true } : {}));
  });
  const widths = fitColumnWidths(
    alignments.map((_, column) =>
      cells.reduce((max, row) => Math.max(max, measureLine(row[column] ?? [])), MIN_COLUMN_WIDTH),
    ),
    available,
  );
  const [header = [], ...body] = cells.map((row) => renderRow(row, widths, alignments));
  const rule = widths.map((columnWidth) => '─'.repeat(columnWidth)).join('─┼─');
  return [...header, [span(rule, { dim: true })], ...body.flat()];
}

function renderCell(text: string, style: TextStyle): Line {
  return renderInline(text, style)[0] ?? [];
}

function splitCells(row: string): string[] {
  const inner = row
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '');
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'));
}

function parseAlignment(mark: string): Alignment {
  if (!mark.endsWith(':')) return 'left';
  return mark.startsWith(':') ? 'centre' : 'right';
}

/** Shrinks the widest column first, one cell at a time. */
function fitColumnWidths(widths: number[], available: number): number[] {
  // Clamp first, so that the loop below runs at most `available` times per column.
  const out = widths.map((width) => Math.min(width, available));
  for (let excess = sum(out) - available; excess > 0; excess--) {
    const widest = out.indexOf(Math.max(...out));
    out[widest] = (out[widest] ?? 0) - 1;
  }
  return out;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function renderRow(row: readonly Line[], widths: readonly number[], alignments: readonly Alignment[]): Line[] {
  const columns = row.map((cell, column) => wrapLine(cell, widths[column] ?? MIN_COLUMN_WIDTH));
  const height = Math.max(1, ...columns.map((lines) => lines.length));
  return Array.from({ length: height }, (_, at) =>
    columns.flatMap((lines, column): Span[] => {
      const between = column > 0 ? [span(COLUMN_SEPARATOR, { dim: true })] : [];
      return [
        ...between,
        ...alignCell(lines[at] ?? [], widths[column] ?? MIN_COLUMN_WIDTH, alignments[column] ?? 'left'),
      ];
    }),
  );
}

function alignCell(cell: Line, width: number, alignment: Alignment): Span[] {
  const free = Math.max(0, width - measureLine(cell));
  const before = alignment === 'left' ? 0 : alignment === 'right' ? free : Math.floor(free / 2);
  return [span(' '.repeat(before)), ...cell, span(' '.repeat(free - before))].filter(({ text }) => text !== '');
}
