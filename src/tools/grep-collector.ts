// Converts the JSON output of ripgrep to result lines, up to a limit.

const MAX_SHOWN_LENGTH = 500;
/** Larger than the display limit, so that totals are exact for usual limits. Bounds memory for large ones. */
const MAX_COLLECTED_CHARACTERS = 1024 * 1024;

/** `bytes` is base64, for text that is not UTF-8. */
type RipgrepText = { text: string } | { bytes: string };

interface RipgrepEvent {
  type: 'begin' | 'match' | 'context' | 'end' | 'summary';
  data: { path: RipgrepText; lines: RipgrepText; line_number: number };
}

/** A line that ripgrep has read. */
export interface FoundLine {
  readonly path: string;
  /** From 1. */
  readonly number: number;
  /** As in the file, without its newline, up to the shown length. */
  readonly text: string;
  /** As in the result. */
  readonly shown: string;
  /** Not a line of the context. */
  readonly isMatch: boolean;
  readonly isTruncated: boolean;
}

export class GrepCollector {
  readonly found: FoundLine[] = [];
  matchCount = 0;
  readonly #limit: number;
  readonly #context: number;
  #characters = 0;
  /** Context lines that may still follow the last match. */
  #remainingContext = 0;

  constructor(limit: number, context: number) {
    this.#limit = limit;
    this.#context = context;
  }

  get isLimitReached(): boolean {
    return this.matchCount >= this.#limit;
  }

  /** Adds one line of `rg --json`. Returns `true` when no more lines are needed. */
  addJsonLine(json: string): boolean {
    const event = JSON.parse(json) as RipgrepEvent;
    if (event.type === 'match') {
      if (this.isLimitReached) return true;
      this.matchCount += 1;
      this.#remainingContext = this.#context;
      this.#add(event, ':');
    } else if (event.type === 'context') {
      this.#remainingContext -= 1;
      this.#add(event, '-');
    } else if (event.type === 'end') {
      this.#remainingContext = 0;
    }
    return (this.isLimitReached && this.#remainingContext <= 0) || this.#characters > MAX_COLLECTED_CHARACTERS;
  }

  #add({ data }: RipgrepEvent, separator: string): void {
    const path = decodeText(data.path).replace(/^\.\//, '');
    const line = decodeText(data.lines).replace(/\r?\n$/, '');
    const isLong = line.length > MAX_SHOWN_LENGTH;
    const text = isLong ? truncateText(line, MAX_SHOWN_LENGTH) : line;
    const suffix = isLong ? '... [truncated]' : '';
    const shown = `${path}${separator}${data.line_number}${separator} ${text}${suffix}`;
    this.found.push({ path, number: data.line_number, text, shown, isMatch: separator === ':', isTruncated: isLong });
    this.#characters += shown.length;
  }
}

function decodeText(text: RipgrepText): string {
  return 'text' in text ? text.text : Buffer.from(text.bytes, 'base64').toString('utf8');
}

/** At most `length` UTF-16 units, without half a surrogate pair at the end. */
function truncateText(text: string, length: number): string {
  const splitsPair = /[\ud800-\udbff]/.test(text.charAt(length - 1));
  return text.slice(0, splitsPair ? length - 1 : length);
}
