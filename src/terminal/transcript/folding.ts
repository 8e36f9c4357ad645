// The hall, terminal: long text cut to a few lines that say how many are missing. Pure.
import { folded, type Line, line } from '../text/line.ts';

export interface Fold {
  readonly lines: readonly Line[];
  readonly isWhole: boolean;
}

/** `end` keeps the last ones, where the newest is what matters. */
export function fold(lines: readonly Line[], most: number, keep: 'start' | 'end', hint = ''): Fold {
  // One line that says that one line is missing helps nobody.
  if (lines.length <= most + 1) return { lines, isWhole: true };
  const missing = line(`… ${lines.length - most} ${keep === 'end' ? 'earlier' : 'more'} lines${hint}`, { dim: true });
  const kept = keep === 'end' ? [missing, ...lines.slice(-most)] : [...lines.slice(0, most), missing];
  return { lines: kept, isWhole: false };
}

export function indented(lines: readonly Line[], width: number, indent = '  '): Line[] {
  const blank = line(indent);
  return lines.flatMap((one) => folded(one, width - indent.length)).map((one) => [...blank, ...one]);
}
