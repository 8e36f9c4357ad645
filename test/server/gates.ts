// Pauses the disk, the model and the tools until the test releases them, in the order that the test chooses.

export class Gates {
  readonly #pending: (() => void)[] = [];
  #isOpen = false;

  get waiting(): number {
    return this.#pending.length;
  }

  /** Resolves when the test releases it, or when the signal aborts. */
  pass(signal?: AbortSignal): Promise<void> {
    if (this.#isOpen || signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const release = () => {
        const index = this.#pending.indexOf(release);
        if (index >= 0) this.#pending.splice(index, 1);
        resolve();
      };
      this.#pending.push(release);
      signal?.addEventListener('abort', release, { once: true });
    });
  }

  release(index: number): void {
    this.#pending[index % this.#pending.length]?.();
  }

  /** Releases everything, now and later. */
  open(): void {
    this.#isOpen = true;
    for (const release of [...this.#pending]) release();
  }
}
