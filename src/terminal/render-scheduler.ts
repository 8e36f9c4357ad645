// Decides when to render: immediately, after a short delay for streamed output, and periodically while something is animated.
import type { Cancel, Clock } from '../contracts/index.ts';

/** Streamed events within this time are rendered together. */
const FRAME_MS = 30;
const ANIMATION_MS = 120;

export class RenderScheduler {
  readonly #clock: Clock;
  readonly #render: () => { readonly isAnimating: boolean };
  #cancel: Cancel = () => {};
  #isScheduled = false;
  #isStopped = false;

  constructor(clock: Clock, render: () => { readonly isAnimating: boolean }) {
    this.#clock = clock;
    this.#render = render;
  }

  renderNow(): void {
    this.#cancel();
    this.#isScheduled = false;
    if (this.#isStopped) return;
    if (this.#render().isAnimating) this.#cancel = this.#clock.after(ANIMATION_MS, () => this.renderNow());
  }

  /** Coalesces calls into one render after `FRAME_MS`. Replaces an animation tick that is due later. */
  renderSoon(): void {
    if (this.#isScheduled || this.#isStopped) return;
    this.#isScheduled = true;
    this.#cancel();
    this.#cancel = this.#clock.after(FRAME_MS, () => this.renderNow());
  }

  stop(): void {
    this.#cancel();
    this.#isStopped = true;
  }
}
