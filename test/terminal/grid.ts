// For tests of what is drawn: a small terminal of our own that knows the sequences we send and complains about any other.
import { graphemes } from '../../src/terminal/text/cells.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: that is how terminals are commanded
const SEQUENCE = /^\u001b(?:\[([?<>]?)([0-9;]*)([A-Za-z])|\]0;([^\u0000-\u001f\u007f-\u009f]*)\u001b\\)/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: everything that is no letter
const LETTERS = /^[^\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]+/;
const MODES: ReadonlySet<string> = new Set(['25', '7', '2026', '2004']);

export class Grid {
  readonly columns: number;
  readonly rows: number;
  title = '';
  /** Rows that have scrolled away, then those on the screen. */
  #lines: string[][] = [[]];
  #top = 0;
  #row = 0;
  #column = 0;
  #wraps = true;

  constructor(columns: number, rows: number) {
    this.columns = columns;
    this.rows = rows;
  }

  get text(): string[] {
    const lines = this.#lines.map((cells) => cells.join('').trimEnd());
    while (lines.at(-1) === '') lines.pop();
    return lines;
  }

  get cursor(): { row: number; column: number } {
    return { row: this.#top + this.#row, column: this.#column };
  }

  write(text: string): void {
    for (let rest = text; rest !== ''; ) {
      const letters = LETTERS.exec(rest)?.[0];
      const sequence = SEQUENCE.exec(rest);
      if (letters !== undefined) this.#letters(letters);
      else if (sequence) this.#obey(sequence);
      else if (rest[0] === '\r') this.#column = 0;
      else if (rest[0] === '\n') this.#down();
      else throw new Error(`Nobody sends this to a terminal: ${JSON.stringify(rest.slice(0, 20))}`);
      rest = rest.slice((letters ?? sequence?.[0] ?? ' ').length);
    }
  }

  #letters(text: string): void {
    for (const { text: one, width } of graphemes(text)) {
      if (this.#column + width > this.columns) {
        if (!this.#wraps) continue;
        this.#column = 0;
        this.#down();
      }
      const line = this.#line();
      while (line.length < this.#column) line.push(' ');
      line.splice(this.#column, Math.max(1, width), one, ...Array.from({ length: Math.max(0, width - 1) }, () => ''));
      this.#column += width;
    }
  }

  #obey([, mark = '', numbers = '', letter = '', title]: RegExpExecArray): void {
    const count = Number(numbers) || 1;
    if (title !== undefined) this.title = title;
    else if (letter === 'm' || letter === 'u' || letter === 't') return;
    else if (mark === '?' && (letter === 'h' || letter === 'l') && MODES.has(numbers)) {
      if (numbers === '7') this.#wraps = letter === 'h';
    } else if (letter === 'A') this.#row = Math.max(0, this.#row - count);
    else if (letter === 'C') this.#column = Math.min(this.columns - 1, this.#column + count);
    else if (letter === 'K' && numbers === '') this.#line().length = Math.min(this.#line().length, this.#column);
    else if (letter === 'J' && numbers === '') {
      this.#line().length = Math.min(this.#line().length, this.#column);
      this.#lines.length = Math.min(this.#lines.length, this.#top + this.#row + 1);
    } else throw new Error(`Nobody sends this to a terminal: CSI ${mark}${numbers}${letter}`);
  }

  #line(): string[] {
    const at = this.#top + this.#row;
    while (this.#lines.length <= at) this.#lines.push([]);
    return this.#lines[at] as string[];
  }

  #down(): void {
    if (this.#row < this.rows - 1) this.#row += 1;
    else this.#top += 1;
    this.#line();
  }
}
