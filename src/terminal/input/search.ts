// The hall, terminal: looking for earlier words by a part of them, as shells do with Ctrl+R. Knows the history; no screen.
import { clipped, type Line, line } from '../text/line.ts';
import type { Draft } from './editor.ts';
import { written } from './editor.ts';
import type { Found, History } from './history.ts';
import type { Stroke } from './keys.ts';

const KEYS = 'Ctrl+R older · Enter says it · Esc keeps it · Ctrl+C back';
const KEEPING: ReadonlySet<string> = new Set(['escape', 'tab']);
const LEAVING: ReadonlySet<string> = new Set(['ctrl+c', 'ctrl+g']);

export class Search {
  readonly #history: History;
  /** What stood there before. */
  readonly #before: Draft;
  #words = '';
  #found: Found | undefined;
  #isStuck = false;

  constructor(history: History, before: Draft) {
    this.#history = history;
    this.#before = before;
  }

  get draft(): Draft {
    return this.#found ? written(this.#found.text, this.#before.cut) : this.#before;
  }

  /** What a key does to it: it goes on, what was found is kept or not, or the key meant something else. */
  stroke(stroke: Stroke): 'goes on' | 'keeps' | 'leaves' | 'ends' {
    if (!('key' in stroke)) {
      const [more = ''] = ('text' in stroke ? stroke.text : stroke.pasted).split('\n');
      this.#words += more;
      this.#look(this.#found?.at, -1);
    } else if (stroke.key === 'ctrl+r') this.#look(this.#found && this.#found.at - 1, -1);
    else if (stroke.key === 'ctrl+s') this.#look(this.#found && this.#found.at + 1, 1);
    else if (stroke.key === 'backspace') {
      this.#words = [...this.#words].slice(0, -1).join('');
      this.#found = undefined;
      if (this.#words !== '') this.#look(undefined, -1);
    } else if (LEAVING.has(stroke.key)) return 'leaves';
    else return KEEPING.has(stroke.key) ? 'keeps' : 'ends';
    return 'goes on';
  }

  /** From here on the Up key goes on where this was found. */
  keep(): void {
    if (this.#found) this.#history.goTo(this.#found.at, this.#before.text);
  }

  leave(): Draft {
    return this.#before;
  }

  view(width: number): Line[] {
    const looked = this.#words === '' ? 'earlier words with …' : `earlier words with “${this.#words}”`;
    const said = this.#isStuck ? `no more ${looked}` : looked;
    return [clipped(line(`  ${said} · ${KEYS}`, { dim: true }), width)];
  }

  #look(from: number | undefined, by: -1 | 1): void {
    const found = this.#history.find(this.#words, from, by, this.#found);
    this.#isStuck = !found;
    this.#found = found ?? this.#found;
  }
}
