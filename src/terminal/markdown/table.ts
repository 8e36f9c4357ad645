// The hall, terminal: a table of markdown in as many cells as there are. Pure.
import { type Line, type Look, lineWidth, type Span, span, wrapped } from '../text/line.ts';
import { inlineLines } from './inline.ts';

type Side = 'left' | 'right' | 'centre';

const LEAST = 3;
const BETWEEN = ' │ ';

/** `undefined` when even the narrowest columns would not fit. */
export function tableLines([head = '', delimiter = '', ...rows]: readonly string[], width: number): Line[] | undefined {
  const sides = cellsOf(delimiter).map(sideOf);
  const room = width - BETWEEN.length * (sides.length - 1);
  if (sides.length * LEAST > room) return undefined;
  const cells = [head, ...rows].map((row, at) => {
    const texts = cellsOf(row);
    return sides.map((_, column) => cellOf(texts[column] ?? '', at === 0 ? { bold: true } : {}));
  });
  const widths = fitting(
    sides.map((_, column) => cells.reduce((most, row) => Math.max(most, lineWidth(row[column] ?? [])), LEAST)),
    room,
  );
  const [header = [], ...body] = cells.map((row) => rowLines(row, widths, sides));
  const line = widths.map((wide) => '─'.repeat(wide)).join('─┼─');
  return [...header, [span(line, { dim: true })], ...body.flat()];
}

function cellOf(text: string, look: Look): Line {
  return inlineLines(text, look)[0] ?? [];
}

function cellsOf(row: string): string[] {
  const inner = row
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '');
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'));
}

function sideOf(mark: string): Side {
  if (!mark.endsWith(':')) return 'left';
  return mark.startsWith(':') ? 'centre' : 'right';
}

/** The widest give way first. */
function fitting(widths: number[], room: number): number[] {
  // No column can be wider than all of them together.
  const out = widths.map((wide) => Math.min(wide, room));
  for (let excess = sum(out) - room; excess > 0; excess--) {
    const widest = out.indexOf(Math.max(...out));
    out[widest] = (out[widest] ?? 0) - 1;
  }
  return out;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

function rowLines(row: readonly Line[], widths: readonly number[], sides: readonly Side[]): Line[] {
  const columns = row.map((cell, column) => wrapped(cell, widths[column] ?? LEAST));
  const height = Math.max(1, ...columns.map((lines) => lines.length));
  return Array.from({ length: height }, (_, at) =>
    columns.flatMap((lines, column): Span[] => {
      const between = column > 0 ? [span(BETWEEN, { dim: true })] : [];
      return [...between, ...aligned(lines[at] ?? [], widths[column] ?? LEAST, sides[column] ?? 'left')];
    }),
  );
}

function aligned(cell: Line, width: number, side: Side): Span[] {
  const free = Math.max(0, width - lineWidth(cell));
  const before = side === 'left' ? 0 : side === 'right' ? free : Math.floor(free / 2);
  return [span(' '.repeat(before)), ...cell, span(' '.repeat(free - before))].filter(({ text }) => text !== '');
}
