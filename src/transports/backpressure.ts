// Counts the bytes that are accepted and not yet written, and resolves the callers that wait for them.

/** From this many pending bytes on, writers should pause. Four pipe buffers: enough to keep the reader busy. */
const HIGH_WATER_MARK = 256 * 1024;

export class Backpressure {
  readonly #highWaterMark: number;
  #accepted = 0;
  #completed = 0;
  #open = true;
  #waiters: { until: number; resolve: () => void }[] = [];

  constructor(highWaterMark: number = HIGH_WATER_MARK) {
    this.#highWaterMark = highWaterMark;
  }

  /** Adds pending bytes. Returns `false` when the high-water mark is reached. */
  add(size: number): boolean {
    this.#accepted += size;
    return this.#accepted - this.#completed < this.#highWaterMark;
  }

  complete(size: number): void {
    this.#completed += size;
    if (this.#waiters.length === 0) return;
    const ready = this.#waiters.filter(({ until }) => until <= this.#completed);
    if (ready.length === 0) return;
    this.#waiters = this.#waiters.filter(({ until }) => until > this.#completed);
    for (const { resolve } of ready) resolve();
  }

  /** Resolves when less than the high-water mark is pending. */
  waitForDrain(): Promise<void> {
    return this.#waitForCount(this.#accepted - this.#highWaterMark + 1);
  }

  /** Resolves when everything that was added before the call is written. */
  waitForFlush(): Promise<void> {
    return this.#waitForCount(this.#accepted);
  }

  /** Nothing more will be written: all waiting callers are resolved. */
  close(): void {
    this.#open = false;
    for (const { resolve } of this.#waiters.splice(0)) resolve();
  }

  #waitForCount(until: number): Promise<void> {
    if (!this.#open || until <= this.#completed) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiters.push({ until, resolve });
    });
  }
}
