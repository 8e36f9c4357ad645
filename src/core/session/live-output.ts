// First floor, core: output that is shown while it comes. Bounded: a listener that does not keep up misses some of it.

/** What may wait for a slow listener, in characters. */
const MOST_WAITING = 64 * 1024;

export class LiveOutput {
  readonly #show: (text: string) => undefined | Promise<void>;
  #waiting = '';
  #pouring: Promise<void> | undefined;

  constructor(show: (text: string) => undefined | Promise<void>) {
    this.#show = show;
  }

  add(text: string): void {
    this.#waiting += text;
    if (!this.#pouring) this.#pour();
    // The end is what a person looks at.
    else if (this.#waiting.length > MOST_WAITING) this.#waiting = this.#waiting.slice(-MOST_WAITING);
  }

  /** Everything that was added has been shown. */
  async shown(): Promise<void> {
    while (this.#pouring) await this.#pouring;
  }

  #pour(): void {
    const text = this.#waiting;
    this.#waiting = '';
    this.#pouring = this.#show(text)?.then(() => {
      this.#pouring = undefined;
      if (this.#waiting !== '') this.#pour();
    });
  }
}
