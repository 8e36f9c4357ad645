// Formats tables, ages and sizes for a terminal. Cells are sanitized like all other text on the terminal.

import { line, measureLine, truncateLine } from '../../terminal/text/line.ts';

const MAX_CELL_WIDTH = 60;

export function formatTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  maxCellWidth = MAX_CELL_WIDTH,
): string {
  const all = [head, ...rows].map((row) => row.map((text) => formatCell(text, maxCellWidth)));
  const widths = head.map((_, column) => all.reduce((width, row) => Math.max(width, row[column]?.width ?? 0), 0));
  const lines = all.map((row) =>
    row
      .map(({ text, width }, column) => text + ' '.repeat((widths[column] ?? 0) - width))
      .join('  ')
      .trimEnd(),
  );
  return `${lines.join('\n')}\n`;
}

interface Cell {
  readonly text: string;
  readonly width: number;
}

/** Measured before the spans are joined: text with an ellipsis would take long to measure. */
function formatCell(text: string, maxWidth: number): Cell {
  const spans = truncateLine(line(text.trim().replace(/\s+/g, ' ')), maxWidth);
  return { text: spans.map((span) => span.text).join(''), width: measureLine(spans) };
}

const AGE_UNITS: readonly [number, string][] = [
  [60_000, 'min'],
  [3_600_000, 'h'],
  [86_400_000, 'd'],
];

export function formatAge(ms: number): string {
  const step = AGE_UNITS.findLast(([length]) => ms >= length);
  return step ? `${Math.floor(ms / step[0])} ${step[1]}` : 'now';
}

export function formatByteSize(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const units = ['kB', 'MB', 'GB', 'TB'];
  const power = Math.min(Math.floor(Math.log2(bytes) / 10), units.length);
  return `${(bytes / 1024 ** power).toFixed(1)} ${units[power - 1]}`;
}
