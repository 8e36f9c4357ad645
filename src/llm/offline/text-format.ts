// Measures and cuts text without splitting surrogate pairs.

/** At most `max` UTF-16 units from `start`; one unit more when the cut would fall inside a surrogate pair. */
function findCutEnd(text: string, start: number, max: number): number {
  const end = start + max;
  if (end >= text.length) return text.length;
  const splits = isHighSurrogate(text.charCodeAt(end - 1)) && isLowSurrogate(text.charCodeAt(end));
  return splits ? end + 1 : end;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/** The start of a text on one line, for use inside a sentence. */
export function abbreviate(text: string, max = 80): string {
  const line = truncate(text, max * 4)
    .replace(/\s+/g, ' ')
    .trim();
  return line.length <= max ? line : `${truncate(line, max).trimEnd()}…`;
}

export function truncate(text: string, max: number): string {
  return text.slice(0, findCutEnd(text, 0, max));
}

/** Splits the whole text into pieces of the given size. */
export function* splitIntoChunks(text: string, size: number): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const end = findCutEnd(text, start, size);
    yield text.slice(start, end);
    start = end;
  }
}

const WORDS_PER_DELTA = 3;
const MAX_DELTA = 48;

const DELTA_PATTERN = new RegExp(`^\\s*(?:\\S+\\s+){0,${WORDS_PER_DELTA - 1}}\\S*\\s*`);

/** Splits a text as a model would stream it: a few words at a time, with the white space after them. */
export function* splitIntoDeltas(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    // Matches within a window only, so that a text without spaces is not scanned to its end for every delta.
    const window = text.slice(start, findCutEnd(text, start, MAX_DELTA));
    const words = DELTA_PATTERN.exec(window)?.[0] || window;
    yield words;
    start += words.length;
  }
}

/** The first lines of a text, within both limits. Blank lines at the end are ignored. */
export function takeHead(text: string, limits: { lines: number; chars: number }): { text: string; whole: boolean } {
  const trimmed = trimTrailingNewlines(text);
  let end = 0;
  for (let line = 0; line < limits.lines && end >= 0; line++) end = trimmed.indexOf('\n', line === 0 ? 0 : end + 1);
  const byLines = end < 0 ? trimmed : trimmed.slice(0, end);
  const head = truncate(byLines, limits.chars);
  return { text: head, whole: head.length === trimmed.length };
}

/** A loop, because `/\n+$/` takes quadratic time on runs of line breaks. */
export function trimTrailingNewlines(text: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === '\n') end--;
  return text.slice(0, end);
}

export function countLines(text: string): number {
  if (text === '') return 0;
  let lines = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines++;
  return text.endsWith('\n') ? lines - 1 : lines;
}

/** A code block whose fence is longer than any run of backticks in the text. */
export function formatCodeBlock(text: string): string {
  const longest = (text.match(/`{3,}/g) ?? []).reduce((max, run) => Math.max(max, run.length), 2);
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text}${text.endsWith('\n') ? '' : '\n'}${fence}`;
}

export function formatCount(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}
