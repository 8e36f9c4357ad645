// A small terminal emulator for tests. Supports only the sequences that the terminal UI sends, and throws for all others.
import { splitGraphemes } from '../../src/terminal/text/text-width.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences start with a control character
const SEQUENCE = /^\u001b(?:\[([?<>]?)([0-9;]*)([A-Za-z])|\]0;([^\u0000-\u001f\u007f-\u009f]*)\u001b\\)/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: matches everything up to the next control character
const PRINTABLE = /^[^\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]+/;
const MODES: ReadonlySet<string> = new Set(['25', '7', '2026', '2004']);

export class TerminalEmulator {
  readonly columns: number;
  readonly rows: number;
  title = '';
  /** Scrollback rows, then the visible rows. */
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
      const printable = PRINTABLE.exec(rest)?.[0];
      const sequence = SEQUENCE.exec(rest);
      if (printable !== undefined) this.#writeText(printable);
      else if (sequence) this.#execute(sequence);
      else if (rest[0] === '\r') this.#column = 0;
      else if (rest[0] === '\n') this.#moveDown();
      else throw new Error(`Unexpected terminal output: ${JSON.stringify(rest.slice(0, 20))}`);
      rest = rest.slice((printable ?? sequence?.[0] ?? ' ').length);
    }
  }

  #writeText(text: string): void {
    for (const { text: grapheme, width } of splitGraphemes(text)) {
      if (this.#column + width > this.columns) {
        if (!this.#wraps) continue;
        this.#column = 0;
        this.#moveDown();
      }
      const line = this.#currentLine();
      while (line.length < this.#column) line.push(' ');
      line.splice(
        this.#column,
        Math.max(1, width),
        grapheme,
        ...Array.from({ length: Math.max(0, width - 1) }, () => ''),
      );
      this.#column += width;
    }
  }

  #execute([, mark = '', numbers = '', letter = '', title]: RegExpExecArray): void {
    const count = Number(numbers) || 1;
    if (title !== undefined) this.title = title;
    else if (letter === 'm' || letter === 'u' || letter === 't') return;
    else if (mark === '?' && (letter === 'h' || letter === 'l') && MODES.has(numbers)) {
      if (numbers === '7') this.#wraps = letter === 'h';
    } else if (letter === 'A') this.#row = Math.max(0, this.#row - count);
    else if (letter === 'C') this.#column = Math.min(this.columns - 1, this.#column + count);
    else if (letter === 'K' && numbers === '2') this.#currentLine().length = 0;
    else if (letter === 'J' && numbers === '') {
      this.#currentLine().length = Math.min(this.#currentLine().length, this.#column);
      this.#lines.length = Math.min(this.#lines.length, this.#top + this.#row + 1);
    } else throw new Error(`Unexpected terminal output: CSI ${mark}${numbers}${letter}`);
  }

  #currentLine(): string[] {
    const at = this.#top + this.#row;
    while (this.#lines.length <= at) this.#lines.push([]);
    return this.#lines[at] as string[];
  }

  #moveDown(): void {
    if (this.#row < this.rows - 1) this.#row += 1;
    else this.#top += 1;
    this.#currentLine();
  }
}
