// Draws on an ANSI terminal: finished lines are printed once and scroll; the live rows at the bottom are redrawn in place.

import { type SafeText, sanitizeLine } from '../base/safe-text.ts';
import type { Tty } from '../contracts/tty.ts';
import { ansi, type ColourSupport, renderAnsi } from './text/ansi.ts';
import { type Line, measureLine, truncateLine } from './text/line.ts';

export interface LiveView {
  readonly lines: readonly Line[];
  readonly cursor?: { readonly row: number; readonly column: number } | undefined;
  /** The open dialog, for screens that cannot redraw. `key` identifies the dialog. */
  readonly dialog?: { readonly key: unknown; readonly lines: readonly Line[] } | undefined;
  /** The unsent input, for screens that cannot redraw. */
  readonly draft?: string | undefined;
  /** Whether no run is active, so that the user is expected to type. */
  readonly isIdle: boolean;
}

export interface Screen {
  /** One less than the terminal has: some terminals wrap as soon as the last cell is filled. */
  readonly columns: number;
  readonly rows: number;
  /** Queues lines that the next `draw` prints above the live rows. They are never redrawn. */
  print(lines: readonly Line[]): void;
  draw(liveView: LiveView): void;
  /** Call after the terminal has rewrapped its rows to a new size. */
  handleResize(): void;
  /** Clears the visible screen; the scrollback remains. */
  clear(): void;
  /** Erases the live rows, so that another program can write below the finished lines. Nothing is drawn until `resume`. */
  suspend(): void;
  /** Call after user input was handled. */
  handleInput(): void;
  /** Starts drawing at the cursor. Rows drawn before `suspend` are not overwritten: other programs may have written there. */
  resume(): void;
  setTitle(text: string): void;
}

export class AnsiScreen implements Screen {
  readonly #tty: Tty;
  readonly #colourSupport: ColourSupport;
  /** The live rows as drawn. `width` is in cells. */
  #rows: { text: string; width: number }[] = [];
  /** Cursor position relative to the first live row. */
  #cursorRow = 0;
  #cursorColumn = 0;
  #pending: Line[] = [];
  #title: SafeText | undefined;
  #isSuspended = false;

  constructor(tty: Tty, colourSupport: ColourSupport) {
    this.#tty = tty;
    this.#colourSupport = colourSupport;
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

  draw(liveView: LiveView): void {
    if (this.#isSuspended) return;
    const finished = this.#pending.splice(0);
    const rows = this.#renderRows(liveView);
    const head = `${ansi.beginSynchronizedUpdate}${ansi.hideCursor}\r${ansi.up(this.#cursorRow)}`;
    const body = finished.length > 0 ? this.#redrawAll(finished, rows) : this.#redrawChanged(rows);
    this.#rows = rows;
    const skipped = liveView.lines.length - rows.length;
    const cursor = liveView.cursor && {
      row: Math.max(0, liveView.cursor.row - skipped),
      column: liveView.cursor.column,
    };
    this.#cursorRow = cursor?.row ?? Math.max(0, rows.length - 1);
    this.#cursorColumn = cursor?.column ?? 0;
    const back = `\r${ansi.up(rows.length - 1 - this.#cursorRow)}${ansi.right(this.#cursorColumn)}`;
    const tail = `${ansi.enableWrap}${back}${cursor ? ansi.showCursor : ''}${ansi.endSynchronizedUpdate}`;
    this.#tty.write(`${head}${body}${tail}`);
  }

  /** A row that is wider than the new width occupies several rows now. */
  handleResize(): void {
    if (this.#isSuspended) return;
    const columns = Math.max(1, this.#tty.columns);
    const countRows = (width: number) => Math.max(1, Math.ceil(width / columns));
    const before = this.#rows.slice(0, this.#cursorRow).reduce((sum, { width }) => sum + countRows(width), 0);
    const above = before + Math.floor(this.#cursorColumn / columns);
    this.#tty.write(`\r${ansi.up(Math.min(above, this.#tty.rows - 1))}${ansi.eraseBelow}`);
    this.#resetRows();
  }

  clear(): void {
    if (this.#isSuspended) return;
    this.#tty.write(ansi.clearScreen);
    this.#resetRows();
  }

  setTitle(text: string): void {
    const isFirst = this.#title === undefined;
    this.#title = sanitizeLine(text);
    if (!this.#isSuspended) this.#writeTitle(isFirst);
  }

  resume(): void {
    this.#isSuspended = false;
    this.#resetRows();
    this.#writeTitle(true);
  }

  handleInput(): void {}

  suspend(): void {
    if (this.#isSuspended) return;
    this.draw({ lines: [], isIdle: false });
    this.#tty.write(`${ansi.eraseBelow}${this.#title === undefined ? '' : ansi.popTitle}`);
    this.#isSuspended = true;
  }

  #writeTitle(shouldSaveOldTitle: boolean): void {
    if (this.#title === undefined) return;
    this.#tty.write(`${shouldSaveOldTitle ? ansi.pushTitle : ''}${ansi.setTitle(this.#title)}`);
  }

  #resetRows(): void {
    this.#rows = [];
    this.#cursorRow = 0;
    this.#cursorColumn = 0;
  }

  #renderRows({ lines }: LiveView): { text: string; width: number }[] {
    return lines.slice(-Math.max(1, this.#tty.rows - 1)).map((spans) => {
      const truncated = truncateLine(spans, this.columns);
      return { text: renderAnsi(truncated, this.#colourSupport), width: measureLine(truncated) };
    });
  }

  #redrawAll(finished: readonly Line[], rows: readonly { text: string }[]): string {
    const above = finished.map((spans) => `${renderAnsi(spans, this.#colourSupport)}\r\n`).join('');
    return `${ansi.eraseBelow}${above}${ansi.disableWrap}${rows.map(({ text }) => text).join('\r\n')}`;
  }

  #redrawChanged(rows: readonly { text: string }[]): string {
    const shrinks = rows.length < this.#rows.length;
    const drawn = rows.map(({ text }, at) => {
      const isUnchanged = this.#rows[at]?.text === text && !(shrinks && at === rows.length - 1);
      return isUnchanged ? '' : `${ansi.eraseLine}${text}`;
    });
    const eraseRest = shrinks ? ansi.eraseBelow : '';
    return `${ansi.disableWrap}${drawn.join('\r\n')}${eraseRest}`;
  }
}
