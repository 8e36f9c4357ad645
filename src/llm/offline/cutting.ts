// First floor, llm: measures and cuts text without ever splitting a character. Knows nothing of what the text says.

/** At most `max` UTF-16 units from `start`; one unit more when the cut would fall inside a surrogate pair. */
function endOfCut(text: string, start: number, max: number): number {
  const end = start + max;
  if (end >= text.length) return text.length;
  const splits = isHigh(text.charCodeAt(end - 1)) && isLow(text.charCodeAt(end));
  return splits ? end + 1 : end;
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/** The beginning of a text on one line, for naming it in a sentence. */
export function brief(text: string, max = 80): string {
  const line = cut(text, max * 4)
    .replace(/\s+/g, ' ')
    .trim();
  return line.length <= max ? line : `${cut(line, max).trimEnd()}…`;
}

export function cut(text: string, max: number): string {
  return text.slice(0, endOfCut(text, 0, max));
}

/** Pieces of fixed size that make up the whole text. */
export function* pieces(text: string, size: number): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const end = endOfCut(text, start, size);
    yield text.slice(start, end);
    start = end;
  }
}

const WORDS_PER_DELTA = 3;
const LONGEST_DELTA = 48;

const FEW_WORDS = new RegExp(`^\\s*(?:\\S+\\s+){0,${WORDS_PER_DELTA - 1}}\\S*\\s*`);

/** A text as a model would stream it: a few words at a time, with the white space that follows them. */
export function* deltas(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    // Looking at a window only: a text without spaces must not be scanned to its end for every delta.
    const window = text.slice(start, endOfCut(text, start, LONGEST_DELTA));
    const words = FEW_WORDS.exec(window)?.[0] || window;
    yield words;
    start += words.length;
  }
}

/** The first lines of a text, within both limits. Empty lines at the end do not count. */
export function head(text: string, limits: { lines: number; chars: number }): { text: string; whole: boolean } {
  const trimmed = withoutLastBreaks(text);
  let end = 0;
  for (let line = 0; line < limits.lines && end >= 0; line++) end = trimmed.indexOf('\n', line === 0 ? 0 : end + 1);
  const byLines = end < 0 ? trimmed : trimmed.slice(0, end);
  const shown = cut(byLines, limits.chars);
  return { text: shown, whole: shown.length === trimmed.length };
}

/** By hand, because `/\n+$/` tries every run of line breaks in the text again from each of its places. */
export function withoutLastBreaks(text: string): string {
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

/** A code block whose fence is longer than any run of backticks inside. */
export function fenced(text: string): string {
  const longest = (text.match(/`{3,}/g) ?? []).reduce((max, run) => Math.max(max, run.length), 2);
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text}${text.endsWith('\n') ? '' : '\n'}${fence}`;
}

export function plural(count: number, noun: string, many = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : many}`;
}
