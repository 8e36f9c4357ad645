// The hall, terminal: when the picture is drawn: at once, soon for what grows, and again and again while something moves.
// Knows time; not what is drawn.
import type { Cancel, Clock } from '../contracts/index.ts';

/** A picture for every event would cost more than anybody can see. */
const FRAME_MS = 30;
const TICK_MS = 120;

export class Drawing {
  readonly #clock: Clock;
  readonly #draw: () => { readonly moves: boolean };
  #cancel: Cancel = () => {};
  #isDueSoon = false;
  #isOver = false;

  constructor(clock: Clock, draw: () => { readonly moves: boolean }) {
    this.#clock = clock;
    this.#draw = draw;
  }

  now(): void {
    this.#cancel();
    this.#isDueSoon = false;
    if (this.#isOver) return;
    if (this.#draw().moves) this.#cancel = this.#clock.after(TICK_MS, () => this.now());
  }

  /** Once for all that happens until then, however much that is. A tick that is due later does not hold it up. */
  soon(): void {
    if (this.#isDueSoon || this.#isOver) return;
    this.#isDueSoon = true;
    this.#cancel();
    this.#cancel = this.#clock.after(FRAME_MS, () => this.now());
  }

  end(): void {
    this.#cancel();
    this.#isOver = true;
  }
}
