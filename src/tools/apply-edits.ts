// Applies several text replacements to one text, all or none.
import { Fault } from '../base/index.ts';
import { createExactView, createNormalizedView, type TextView } from './text-view.ts';

export interface Edit {
  oldText: string;
  newText: string;
}

interface TextRange {
  start: number;
  end: number;
}

interface Replacement extends TextRange {
  index: number;
  text: string;
}

/** Every edit is located in the original text, so their order does not matter. `path` is used in messages only. */
export function applyEdits(source: string, edits: readonly Edit[], path: string): string {
  const messages = createEditMessages(edits.length, path);
  const views = [memoizeView(createExactView), memoizeView(createNormalizedView)];
  const replacements = edits.map(({ oldText, newText }, index): Replacement => {
    if (oldText === '') throw createFault(messages.empty(index));
    const range = findUniqueRange(source, oldText, views, index, messages);
    return { ...range, index, text: matchLineEndings(newText, source, range) };
  });
  replacements.sort((a, b) => a.start - b.start);
  for (const [i, next] of replacements.entries()) {
    const previous = replacements[i - 1];
    if (previous && previous.end > next.start) throw createFault(formatOverlap(previous.index, next.index, path));
  }
  const changed = applyReplacements(source, replacements);
  if (changed === source) throw createFault(messages.unchanged());
  return changed;
}

type CreateView = (source: string) => TextView;

/** Tries exact matches first. A unique exact match wins even if the normalized text occurs twice. */
function findUniqueRange(
  source: string,
  oldText: string,
  views: readonly CreateView[],
  index: number,
  messages: EditMessages,
): TextRange {
  for (const createView of views) {
    const { first, count } = findRanges(createView(source), createView(oldText), oldText);
    if (count > 1) throw createFault(messages.ambiguous(index, count));
    if (first) return first;
  }
  throw createFault(messages.missing(index));
}

function findRanges(
  text: TextView,
  needle: TextView,
  oldText: string,
): { first: TextRange | undefined; count: number } {
  let first: TextRange | undefined;
  let count = 0;
  // If the view removed trailing blanks from the old text, the match must end at the end of a line.
  const mustEndLine = /[^\S\n]$/.test(oldText) && !/\s$/.test(needle.text);
  for (const at of findOccurrences(text.text, needle.text)) {
    const after = at + needle.text.length;
    if (mustEndLine && after < text.text.length && text.text[after] !== '\n') continue;
    const start = text.toSourceIndex(at);
    const end = text.toSourceIndex(after);
    if (start === undefined || end === undefined) continue;
    first ??= { start, end };
    count += 1;
  }
  return { first, count };
}

/** Uses the line endings of the replaced lines, or of the first line of the file. */
function matchLineEndings(newText: string, source: string, { start, end }: TextRange): string {
  const unified = newText.replaceAll('\r\n', '\n');
  const sample = source.slice(start, end).includes('\n') ? source.slice(start, end) : source;
  const newline = sample.indexOf('\n');
  return newline > 0 && sample[newline - 1] === '\r' ? unified.replaceAll('\n', '\r\n') : unified;
}

function applyReplacements(source: string, replacements: readonly Replacement[]): string {
  let result = '';
  let at = 0;
  for (const { start, end, text } of replacements) {
    result += source.slice(at, start) + text;
    at = end;
  }
  return result + source.slice(at);
}

/** Several edits share one view of the source. */
function memoizeView(createView: CreateView): CreateView {
  const cache = new Map<string, TextView>();
  return (source) => {
    const view = cache.get(source) ?? createView(source);
    cache.set(source, view);
    return view;
  };
}

function createFault(message: string): Fault {
  return new Fault('tool_failed', message);
}

function formatOverlap(a: number, b: number, path: string): string {
  return `edits[${a}] and edits[${b}] overlap in ${path}. Merge them into one edit or target disjoint regions.`;
}

interface EditMessages {
  empty(index: number): string;
  missing(index: number): string;
  ambiguous(index: number, times: number): string;
  unchanged(): string;
}

function createEditMessages(count: number, path: string): EditMessages {
  const context = 'Please provide more context to make it unique.';
  if (count === 1) {
    return {
      empty: () => `oldText must not be empty in ${path}.`,
      missing: () =>
        `Could not find the exact text in ${path}. The old text must match exactly including all whitespace and newlines.`,
      ambiguous: (_, times) => `Found ${times} occurrences of the text in ${path}. The text must be unique. ${context}`,
      unchanged: () =>
        `No changes made to ${path}. The replacement produced identical content. This might indicate an issue with special characters or the text not existing as expected.`,
    };
  }
  return {
    empty: (index) => `edits[${index}].oldText must not be empty in ${path}.`,
    missing: (index) =>
      `Could not find edits[${index}] in ${path}. The oldText must match exactly including all whitespace and newlines.`,
    ambiguous: (index, times) =>
      `Found ${times} occurrences of edits[${index}] in ${path}. Each oldText must be unique. ${context}`,
    unchanged: () => `No changes made to ${path}. The replacements produced identical content.`,
  };
}

/** `indexOf` may compare the whole needle at each position. For needles up to this length it is still the fastest. */
const MAX_NAIVE_LENGTH = 64;

function* findOccurrences(text: string, needle: string): Generator<number> {
  if (needle === '') return;
  if (needle.length > MAX_NAIVE_LENGTH) return yield* findWithKmp(text, needle);
  for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + 1)) yield at;
}

/** Knuth-Morris-Pratt: after a mismatch it continues with the longest prefix of the needle that still matches. */
function* findWithKmp(text: string, needle: string): Generator<number> {
  const borders = computeBorders(needle);
  let matched = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    while (matched > 0 && needle.charCodeAt(matched) !== unit) matched = borders[matched - 1] as number;
    if (needle.charCodeAt(matched) === unit) matched += 1;
    if (matched < needle.length) continue;
    yield at + 1 - needle.length;
    matched = borders[matched - 1] as number;
  }
}

/** For each prefix of the needle: the length of its longest proper prefix that is also its suffix. */
function computeBorders(needle: string): Int32Array {
  const borders = new Int32Array(needle.length);
  let length = 0;
  for (let at = 1; at < needle.length; at += 1) {
    const unit = needle.charCodeAt(at);
    while (length > 0 && needle.charCodeAt(length) !== unit) length = borders[length - 1] as number;
    if (needle.charCodeAt(length) === unit) length += 1;
    borders[at] = length;
  }
  return borders;
}
