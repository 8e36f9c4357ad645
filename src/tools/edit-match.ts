// First floor, tools: several replacements in one text, all or none. Pure; knows no files, only the path's name.
import { Fault } from '../base/index.ts';
import { forgivingView, plainView, type TextView } from './edit-view.ts';
import { occurrences } from './occurrences.ts';

export interface Edit {
  oldText: string;
  newText: string;
}

interface Span {
  start: number;
  end: number;
}

interface Replacement extends Span {
  index: number;
  text: string;
}

/** The text with every edit made. Each is looked up in the original, so their order does not matter. */
export function applyEdits(source: string, edits: readonly Edit[], path: string): string {
  const naming = namingFor(edits.length, path);
  const views = [lazily(plainView), lazily(forgivingView)];
  const replacements = edits.map(({ oldText, newText }, index): Replacement => {
    if (oldText === '') throw refusal(naming.empty(index));
    const span = uniqueSpan(source, oldText, views, index, naming);
    return { ...span, index, text: withLineEnds(newText, source, span) };
  });
  replacements.sort((a, b) => a.start - b.start);
  for (const [i, next] of replacements.entries()) {
    const previous = replacements[i - 1];
    if (previous && previous.end > next.start) throw refusal(overlap(previous.index, next.index, path));
  }
  const changed = splice(source, replacements);
  if (changed === source) throw refusal(naming.unchanged());
  return changed;
}

type View = (source: string) => TextView;

/** Exact first. What fits exactly in one place is meant, even when a hasty reader would see it in two. */
function uniqueSpan(source: string, oldText: string, views: readonly View[], index: number, naming: Naming): Span {
  for (const view of views) {
    const { first, count } = spansOf(view(source), view(oldText), oldText);
    if (count > 1) throw refusal(naming.ambiguous(index, count));
    if (first) return first;
  }
  throw refusal(naming.missing(index));
}

function spansOf(text: TextView, needle: TextView, oldText: string): { first: Span | undefined; count: number } {
  let first: Span | undefined;
  let count = 0;
  // Blanks that the view took from the end of the old text are only ever taken at the end of a line.
  const mustEndLine = /[^\S\n]$/.test(oldText) && !/\s$/.test(needle.text);
  for (const at of occurrences(text.text, needle.text)) {
    const after = at + needle.text.length;
    if (mustEndLine && after < text.text.length && text.text[after] !== '\n') continue;
    const start = text.sourceIndex(at);
    const end = text.sourceIndex(after);
    if (start === undefined || end === undefined) continue;
    first ??= { start, end };
    count += 1;
  }
  return { first, count };
}

/** New lines end as the replaced ones did, or as the first line of the file does. */
function withLineEnds(newText: string, source: string, { start, end }: Span): string {
  const unified = newText.replaceAll('\r\n', '\n');
  const pattern = source.slice(start, end).includes('\n') ? source.slice(start, end) : source;
  const newline = pattern.indexOf('\n');
  return newline > 0 && pattern[newline - 1] === '\r' ? unified.replaceAll('\n', '\r\n') : unified;
}

function splice(source: string, replacements: readonly Replacement[]): string {
  let result = '';
  let at = 0;
  for (const { start, end, text } of replacements) {
    result += source.slice(at, start) + text;
    at = end;
  }
  return result + source.slice(at);
}

/** Several edits share one view of the source. */
function lazily(view: View): View {
  const made = new Map<string, TextView>();
  return (source) => {
    const known = made.get(source) ?? view(source);
    made.set(source, known);
    return known;
  };
}

function refusal(message: string): Fault {
  return new Fault('tool_failed', message);
}

function overlap(a: number, b: number, path: string): string {
  return `edits[${a}] and edits[${b}] overlap in ${path}. Merge them into one edit or target disjoint regions.`;
}

interface Naming {
  empty(index: number): string;
  missing(index: number): string;
  ambiguous(index: number, times: number): string;
  unchanged(): string;
}

function namingFor(count: number, path: string): Naming {
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
