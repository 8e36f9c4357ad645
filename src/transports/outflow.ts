// Transports: how much is on its way out, and who waits for it to leave. Counts; never sees what is counted.

/** Beyond this many waiting units a writer is asked to hold back. Four pipe buffers: enough to keep the reader busy. */
const HIGH_WATER_MARK = 256 * 1024;

export class Outflow {
  readonly #mark: number;
  #accepted = 0;
  #left = 0;
  #open = true;
  #waiters: { until: number; done: () => void }[] = [];

  constructor(mark: number = HIGH_WATER_MARK) {
    this.#mark = mark;
  }

  /** Counts something in. `false` when enough is waiting. */
  accept(size: number): boolean {
    this.#accepted += size;
    return this.#accepted - this.#left < this.#mark;
  }

  leave(size: number): void {
    this.#left += size;
    if (this.#waiters.length === 0) return;
    const ready = this.#waiters.filter(({ until }) => until <= this.#left);
    if (ready.length === 0) return;
    this.#waiters = this.#waiters.filter(({ until }) => until > this.#left);
    for (const { done } of ready) done();
  }

  /** Less than the mark is waiting. */
  drained(): Promise<void> {
    return this.#reaches(this.#accepted - this.#mark + 1);
  }

  /** Everything counted in so far has left. */
  flushed(): Promise<void> {
    return this.#reaches(this.#accepted);
  }

  /** Nothing will leave any more: whoever waits need not. */
  release(): void {
    this.#open = false;
    for (const { done } of this.#waiters.splice(0)) done();
  }

  #reaches(until: number): Promise<void> {
    if (!this.#open || until <= this.#left) return Promise.resolve();
    return new Promise((done) => {
      this.#waiters.push({ until, done });
    });
  }
}
