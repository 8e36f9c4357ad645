// Reads the numbered diff lines of tools, and arranges them for two columns. Pure.

export type DiffLine =
  | { readonly kind: 'same'; readonly oldNumber: number; readonly newNumber: number; readonly text: string }
  | { readonly kind: 'removed'; readonly oldNumber: number; readonly text: string }
  | { readonly kind: 'added'; readonly newNumber: number; readonly text: string }
  /** Lines that are not shown. */
  | { readonly kind: 'skipped' };

type Removed = Extract<DiffLine, { kind: 'removed' }>;
type Added = Extract<DiffLine, { kind: 'added' }>;

/** A row of two columns. */
export type DiffPair =
  | { readonly kind: 'same'; readonly line: Extract<DiffLine, { kind: 'same' }> }
  | { readonly kind: 'change'; readonly removed: Removed | undefined; readonly added: Added | undefined }
  | { readonly kind: 'skipped' };

/** A sign, the number of the line, a blank, the text. */
const LINE = /^([-+ ])( *)(\d+) ?(.*)$/s;

export function parseDiff(diff: string): DiffLine[] {
  let shift = 0;
  return diff.split('\n').flatMap((line): DiffLine[] => {
    const [, sign, , digits, text = ''] = LINE.exec(line) ?? [];
    if (digits === undefined) return line.trim() === '' ? [] : [{ kind: 'skipped' }];
    const number = Number(digits);
    if (sign === '-') {
      shift--;
      return [{ kind: 'removed', oldNumber: number, text }];
    }
    if (sign === '+') {
      shift++;
      return [{ kind: 'added', newNumber: number, text }];
    }
    return [{ kind: 'same', oldNumber: number, newNumber: number + shift, text }];
  });
}

/** Puts the removed lines of a change beside the added ones. */
export function pairLines(lines: readonly DiffLine[]): DiffPair[] {
  const pairs: DiffPair[] = [];
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] as DiffLine;
    if (line.kind === 'same' || line.kind === 'skipped') {
      pairs.push(line.kind === 'same' ? { kind: 'same', line } : line);
      at++;
      continue;
    }
    const removed = takeRun(lines, at, 'removed') as Removed[];
    const added = takeRun(lines, at + removed.length, 'added') as Added[];
    for (let row = 0; row < Math.max(removed.length, added.length); row++) {
      pairs.push({ kind: 'change', removed: removed[row], added: added[row] });
    }
    at += removed.length + added.length;
  }
  return pairs;
}

function takeRun(lines: readonly DiffLine[], from: number, kind: DiffLine['kind']): DiffLine[] {
  let end = from;
  while (lines[end]?.kind === kind) end++;
  return lines.slice(from, end);
}

export function countChanges(lines: readonly DiffLine[]): { added: number; removed: number } {
  const count = (kind: DiffLine['kind']) => lines.filter((line) => line.kind === kind).length;
  return { added: count('added'), removed: count('removed') };
}

/** With less text in common, two lines are different lines and not one changed line. */
const MIN_COMMON_SHARE = 0.3;

/** The part of a text that differs from another one, between their common start and end. */
export function findDifference(text: string, other: string): { start: number; end: number } | undefined {
  const shorter = Math.min(text.length, other.length);
  let start = 0;
  while (start < shorter && text[start] === other[start]) start++;
  // The two halves of a character outside of the basic plane are not separated.
  if (/[\ud800-\udbff]/.test(text.charAt(start - 1))) start--;
  let common = 0;
  while (common < shorter - start && text.at(-1 - common) === other.at(-1 - common)) common++;
  if (/[\udc00-\udfff]/.test(text.charAt(text.length - common))) common--;
  if (text.slice(0, start).trim().length + common < MIN_COMMON_SHARE * shorter) return undefined;
  return { start, end: text.length - common };
}
