// The hall: rows for a person to read. Pure; what comes from elsewhere passes the gate that everything shown on a terminal passes.
import { widthOf } from '../../terminal/text/cells.ts';
import { clipped, line } from '../../terminal/text/line.ts';

const LONGEST_CELL = 60;

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows].map((row) => row.map(cell));
  const widths = head.map((_, column) => Math.max(...all.map((row) => widthOf(row[column] ?? ''))));
  const lines = all.map((row) =>
    row
      .map((text, column) => text + ' '.repeat((widths[column] ?? 0) - widthOf(text)))
      .join('  ')
      .trimEnd(),
  );
  return `${lines.join('\n')}\n`;
}

function cell(text: string): string {
  return clipped(line(text.trim().replace(/\s+/g, ' ')), LONGEST_CELL)
    .map((span) => span.text)
    .join('');
}

const STEPS: readonly [number, string][] = [
  [60_000, 'min'],
  [3_600_000, 'h'],
  [86_400_000, 'd'],
];

export function ago(ms: number): string {
  const step = STEPS.findLast(([length]) => ms >= length);
  return step ? `${Math.floor(ms / step[0])} ${step[1]}` : 'now';
}

export function sizeOf(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const units = ['kB', 'MB', 'GB', 'TB'];
  const power = Math.min(Math.floor(Math.log2(bytes) / 10), units.length);
  return `${(bytes / 1024 ** power).toFixed(1)} ${units[power - 1]}`;
}
