// Shortens long output to a few lines plus a count of the omitted lines.
import { hardWrapLine, type Line, line } from '../text/line.ts';

export interface FoldedLines {
  readonly lines: readonly Line[];
  readonly isComplete: boolean;
}

/** `end` retains the last lines, for output where the newest lines matter. */
export function foldLines(lines: readonly Line[], maxLines: number, retain: 'start' | 'end', hint = ''): FoldedLines {
  // Replacing a single line by “1 more line” would save nothing.
  if (lines.length <= maxLines + 1) return { lines, isComplete: true };
  const omitted = line(`… ${lines.length - maxLines} ${retain === 'end' ? 'earlier' : 'more'} lines${hint}`, {
    dim: true,
  });
  const retained = retain === 'end' ? [omitted, ...lines.slice(-maxLines)] : [...lines.slice(0, maxLines), omitted];
  return { lines: retained, isComplete: false };
}

export function indentLines(lines: readonly Line[], width: number, indent = '  '): Line[] {
  const blank = line(indent);
  return lines
    .flatMap((source) => hardWrapLine(source, width - indent.length))
    .map((wrapped) => [...blank, ...wrapped]);
}
