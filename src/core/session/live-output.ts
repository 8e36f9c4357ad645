// Buffers live output for a slow listener. The buffer is bounded; older output is dropped.

const MAX_BUFFERED_CHARACTERS = 64 * 1024;

export class LiveOutput {
  readonly #show: (text: string) => undefined | Promise<void>;
  #buffer = '';
  #showing: Promise<void> | undefined;

  constructor(show: (text: string) => undefined | Promise<void>) {
    this.#show = show;
  }

  add(text: string): void {
    this.#buffer += text;
    if (!this.#showing) this.#flush();
    // Keep the end: it is the most useful part for the user.
    else if (this.#buffer.length > MAX_BUFFERED_CHARACTERS) this.#buffer = this.#buffer.slice(-MAX_BUFFERED_CHARACTERS);
  }

  /** Resolves when all output has been delivered. */
  async waitUntilShown(): Promise<void> {
    while (this.#showing) await this.#showing;
  }

  #flush(): void {
    const text = this.#buffer;
    this.#buffer = '';
    this.#showing = this.#show(text)?.then(() => {
      this.#showing = undefined;
      if (this.#buffer !== '') this.#flush();
    });
  }
}
