// The hall, terminal: the picture on the terminal. What is finished is printed once and scrolls away; what still changes is
// kept at the bottom and drawn again. Knows lines and rows, nothing of what they say.

import { type Plain, plainLine } from '../base/plain.ts';
import type { Tty } from '../contracts/tty.ts';
import { clipped, type Line, lineWidth } from './text/line.ts';
import { type Palette, paint, terminal } from './text/paint.ts';

export interface Live {
  readonly lines: readonly Line[];
  /** Where the person types. */
  readonly cursor?: { readonly row: number; readonly column: number } | undefined;
  /** The question that is open, for screens that cannot draw: what it says, and something that tells it from the others. */
  readonly question?: { readonly key: unknown; readonly lines: readonly Line[] } | undefined;
  /** What the person would say with Enter, for the same. */
  readonly draft?: string | undefined;
  /** Whether the person is expected to type. */
  readonly isIdle: boolean;
}

/** Where a conversation is shown. */
export interface Screen {
  /** One less than there are: some terminals begin a new row when the last cell is filled. */
  readonly columns: number;
  readonly rows: number;
  /** Printed above the live part with the next drawing, and never touched again. */
  print(lines: readonly Line[]): void;
  draw(live: Live): void;
  /** The terminal has wrapped what was there anew. */
  resized(): void;
  /** Begins again on an empty terminal; what was said stays where one can scroll to it. */
  clear(): void;
  /** Takes the live part away, so that what follows, of whomever, stands below what is finished. Nothing is drawn until `restart`. */
  leave(): void;
  /** The person has typed. */
  typed(): void;
  /** Others may have written to the terminal meanwhile: what was drawn is theirs now. */
  restart(): void;
  title(text: string): void;
}

export class DrawnScreen implements Screen {
  readonly #tty: Tty;
  readonly #palette: Palette;
  /** The rows at the bottom as they were drawn, and how wide each is. */
  #rows: { text: string; width: number }[] = [];
  /** Where the cursor stands: in which of them, and how far to the right. */
  #at = 0;
  #column = 0;
  #pending: Line[] = [];
  #title: Plain | undefined;
  #isAway = false;

  constructor(tty: Tty, palette: Palette) {
    this.#tty = tty;
    this.#palette = palette;
  }

  get columns(): number {
    return Math.max(4, this.#tty.columns - 1);
  }

  get rows(): number {
    return this.#tty.rows;
  }

  print(lines: readonly Line[]): void {
    this.#pending.push(...lines);
  }

  draw(live: Live): void {
    if (this.#isAway) return;
    const finished = this.#pending.splice(0);
    const rows = this.#fitting(live);
    const head = `${terminal.beginFrame}${terminal.hideCursor}\r${terminal.up(this.#at)}`;
    const body = finished.length > 0 ? this.#afresh(finished, rows) : this.#changes(rows);
    this.#rows = rows;
    const skipped = live.lines.length - rows.length;
    const cursor = live.cursor && { row: Math.max(0, live.cursor.row - skipped), column: live.cursor.column };
    this.#at = cursor?.row ?? Math.max(0, rows.length - 1);
    this.#column = cursor?.column ?? 0;
    const back = `\r${terminal.up(rows.length - 1 - this.#at)}${terminal.right(this.#column)}`;
    const tail = `${terminal.wrapLines}${back}${cursor ? terminal.showCursor : ''}${terminal.endFrame}`;
    this.#tty.write(`${head}${body}${tail}`);
  }

  /** Rows that were too wide now take several. */
  resized(): void {
    if (this.#isAway) return;
    const columns = Math.max(1, this.#tty.columns);
    const taken = (width: number) => Math.max(1, Math.ceil(width / columns));
    const before = this.#rows.slice(0, this.#at).reduce((sum, { width }) => sum + taken(width), 0);
    const above = before + Math.floor(this.#column / columns);
    this.#tty.write(`\r${terminal.up(Math.min(above, this.#tty.rows - 1))}${terminal.eraseBelow}`);
    this.#forget();
  }

  clear(): void {
    if (this.#isAway) return;
    this.#tty.write(terminal.clear);
    this.#forget();
  }

  title(text: string): void {
    const isFirst = this.#title === undefined;
    this.#title = plainLine(text);
    if (!this.#isAway) this.#entitle(isFirst);
  }

  restart(): void {
    this.#isAway = false;
    this.#forget();
    this.#entitle(true);
  }

  typed(): void {}

  leave(): void {
    if (this.#isAway) return;
    this.draw({ lines: [], isIdle: false });
    this.#tty.write(`${terminal.eraseBelow}${this.#title === undefined ? '' : terminal.oldTitle}`);
    this.#isAway = true;
  }

  #entitle(keepsOld: boolean): void {
    if (this.#title === undefined) return;
    this.#tty.write(`${keepsOld ? terminal.keepTitle : ''}${terminal.title(this.#title)}`);
  }

  #forget(): void {
    this.#rows = [];
    this.#at = 0;
    this.#column = 0;
  }

  #fitting({ lines }: Live): { text: string; width: number }[] {
    return lines.slice(-Math.max(1, this.#tty.rows - 1)).map((spans) => {
      const fitting = clipped(spans, this.columns);
      return { text: paint(fitting, this.#palette), width: lineWidth(fitting) };
    });
  }

  #afresh(finished: readonly Line[], rows: readonly { text: string }[]): string {
    const above = finished.map((spans) => `${paint(spans, this.#palette)}\r\n`).join('');
    return `${terminal.eraseBelow}${above}${terminal.cutLines}${rows.map(({ text }) => text).join('\r\n')}`;
  }

  #changes(rows: readonly { text: string }[]): string {
    const shrinks = rows.length < this.#rows.length;
    const drawn = rows.map(({ text }, at) => {
      const same = this.#rows[at]?.text === text && !(shrinks && at === rows.length - 1);
      return same ? '' : `${text}${terminal.eraseLine}`;
    });
    const rest = shrinks ? terminal.eraseBelow : '';
    return `${terminal.cutLines}${drawn.join('\r\n')}${rest}`;
  }
}
