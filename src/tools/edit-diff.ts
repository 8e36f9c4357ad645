// Formats the change of an edit as numbered diff lines with context.

const CONTEXT_LINES = 4;
/** With more changed lines the diff algorithm is too slow; a single hunk is shown instead. */
const MAX_CHANGED_LINES = 1000;

export interface LineDiff {
  diff: string;
  /** In the new text. */
  firstChangedLine: number | undefined;
}

/** The first character of each line is its diff sign, as in a unified diff. */
interface Hunk {
  oldStart: number;
  newStart: number;
  lines: string[];
}

type StructuredPatch = typeof import('diff').structuredPatch;

/** Both texts must use LF line endings. The diff library is loaded lazily, to keep startup fast. */
export async function createLineDiff(before: string, after: string): Promise<LineDiff> {
  const { structuredPatch } = await import('diff');
  return formatLineDiff(structuredPatch, before, after);
}

export function formatLineDiff(
  structuredPatch: StructuredPatch,
  before: string,
  after: string,
  context = CONTEXT_LINES,
): LineDiff {
  const options = { context, maxEditLength: MAX_CHANGED_LINES };
  const patch = structuredPatch('', '', before, after, undefined, undefined, options);
  const oldLines = splitLines(before);
  const newLines = splitLines(after);
  return renderHunks(patch?.hunks ?? [createSingleHunk(oldLines, newLines)], oldLines.length, newLines.length);
}

function renderHunks(hunks: readonly Hunk[], oldTotal: number, newTotal: number): LineDiff {
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

/** One hunk from the first to the last changed line. */
function createSingleHunk(before: readonly string[], after: readonly string[]): Hunk {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  const from = Math.max(0, head - CONTEXT_LINES);
  const changedEnd = before.length - tail;
  const lines = [
    ...before.slice(from, head).map((line) => ` ${line}`),
    ...before.slice(head, changedEnd).map((line) => `-${line}`),
    ...after.slice(head, after.length - tail).map((line) => `+${line}`),
    ...before.slice(changedEnd, changedEnd + CONTEXT_LINES).map((line) => ` ${line}`),
  ];
  return { oldStart: from + 1, newStart: from + 1, lines };
}

function splitLines(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}
