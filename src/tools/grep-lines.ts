// First floor, tools: from ripgrep's JSON to the lines that a model reads. Decides when enough was seen; starts nothing.

const LONGEST_SHOWN = 500;
/** More than is ever shown, so that totals stay exact for any usual limit, and memory bounded for any other. */
const MOST_COLLECTED = 1024 * 1024;

/** Text, or base64 when it is no UTF-8. */
type Words = { text: string } | { bytes: string };

interface RipgrepEvent {
  type: 'begin' | 'match' | 'context' | 'end' | 'summary';
  data: { path: Words; lines: Words; line_number: number };
}

export class GrepLines {
  readonly lines: string[] = [];
  matches = 0;
  hasCutLines = false;
  readonly #limit: number;
  readonly #context: number;
  #characters = 0;
  /** Lines still due after the last match. */
  #due = 0;

  constructor(limit: number, context: number) {
    this.#limit = limit;
    this.#context = context;
  }

  get isLimitReached(): boolean {
    return this.matches >= this.#limit;
  }

  /** Takes one line of `rg --json`. `true` when nothing more is wanted. */
  take(json: string): boolean {
    const event = JSON.parse(json) as RipgrepEvent;
    if (event.type === 'match') {
      if (this.isLimitReached) return true;
      this.matches += 1;
      this.#due = this.#context;
      this.#add(event, ':');
    } else if (event.type === 'context') {
      this.#due -= 1;
      this.#add(event, '-');
    } else if (event.type === 'end') {
      this.#due = 0;
    }
    return (this.isLimitReached && this.#due <= 0) || this.#characters > MOST_COLLECTED;
  }

  #add({ data }: RipgrepEvent, mark: string): void {
    const path = wordsOf(data.path).replace(/^\.\//, '');
    const line = wordsOf(data.lines).replace(/\r?\n$/, '');
    const isLong = line.length > LONGEST_SHOWN;
    this.hasCutLines ||= isLong;
    const shown = isLong ? `${beginning(line, LONGEST_SHOWN)}... [truncated]` : line;
    this.lines.push(`${path}${mark}${data.line_number}${mark} ${shown}`);
    this.#characters += path.length + shown.length;
  }
}

function wordsOf(words: Words): string {
  return 'text' in words ? words.text : Buffer.from(words.bytes, 'base64').toString('utf8');
}

/** At most `length` units, without half a surrogate pair at the end. */
function beginning(text: string, length: number): string {
  const isPair = /[\ud800-\udbff]/.test(text.charAt(length - 1));
  return text.slice(0, isPair ? length - 1 : length);
}
