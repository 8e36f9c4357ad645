// First floor, tools: what an edit changed, as hosts show it: numbered lines with a little context. Pure.

const CONTEXT = 4;
/** Beyond this many changed lines the search for the shortest difference costs more than it explains. */
const MOST_CHANGES = 1000;

export interface LineDiff {
  diff: string;
  /** In the new text. */
  firstChangedLine: number | undefined;
}

/** Lines as in a unified diff, their first letter saying what happened to them. */
interface Hunk {
  oldStart: number;
  newStart: number;
  lines: string[];
}

/** Both texts with LF only. The diff library is loaded by the first edit, not at start. */
export async function lineDiff(before: string, after: string): Promise<LineDiff> {
  const { structuredPatch } = await import('diff');
  const options = { context: CONTEXT, maxEditLength: MOST_CHANGES };
  const patch = structuredPatch('', '', before, after, undefined, undefined, options);
  const oldLines = linesOf(before);
  const newLines = linesOf(after);
  return render(patch?.hunks ?? [wholesale(oldLines, newLines)], oldLines.length, newLines.length);
}

function render(hunks: readonly Hunk[], oldTotal: number, newTotal: number): LineDiff {
  const width = String(Math.max(oldTotal, newTotal)).length;
  const skipped = ` ${''.padStart(width)} ...`;
  const out: string[] = [];
  let firstChangedLine: number | undefined;
  let shownUpTo = 0;
  for (const hunk of hunks) {
    let [oldLine, newLine] = [hunk.oldStart, hunk.newStart];
    if (oldLine > shownUpTo + 1) out.push(skipped);
    for (const line of hunk.lines) {
      const sign = line[0];
      if (sign === '\\') continue;
      if (sign !== ' ') firstChangedLine ??= newLine;
      out.push(`${sign}${String(sign === '+' ? newLine : oldLine).padStart(width)} ${line.slice(1)}`);
      if (sign !== '+') oldLine += 1;
      if (sign !== '-') newLine += 1;
    }
    shownUpTo = oldLine - 1;
  }
  if (hunks.length > 0 && shownUpTo < oldTotal) out.push(skipped);
  return { diff: out.join('\n'), firstChangedLine };
}

/** Everything between the first and the last difference as one block. */
function wholesale(before: readonly string[], after: readonly string[]): Hunk {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  const from = Math.max(0, head - CONTEXT);
  const changedEnd = before.length - tail;
  const lines = [
    ...before.slice(from, head).map((line) => ` ${line}`),
    ...before.slice(head, changedEnd).map((line) => `-${line}`),
    ...after.slice(head, after.length - tail).map((line) => `+${line}`),
    ...before.slice(changedEnd, changedEnd + CONTEXT).map((line) => ` ${line}`),
  ];
  return { oldStart: from + 1, newStart: from + 1, lines };
}

function linesOf(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}
