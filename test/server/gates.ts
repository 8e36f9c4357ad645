// Things that wait until the test lets them go on: the disk, the model, the tools. Which one goes next is the test's choice.

export class Gates {
  readonly #pending: (() => void)[] = [];
  #isOpen = false;

  get waiting(): number {
    return this.#pending.length;
  }

  /** Resolves when it is let through, or when the signal aborts. */
  pass(signal?: AbortSignal): Promise<void> {
    if (this.#isOpen || signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const go = () => {
        const at = this.#pending.indexOf(go);
        if (at >= 0) this.#pending.splice(at, 1);
        resolve();
      };
      this.#pending.push(go);
      signal?.addEventListener('abort', go, { once: true });
    });
  }

  release(index: number): void {
    this.#pending[index % this.#pending.length]?.();
  }

  /** From here on nothing waits. */
  open(): void {
    this.#isOpen = true;
    for (const go of [...this.#pending]) go();
  }
}
