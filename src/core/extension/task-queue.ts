// Runs actions that extensions do not await: in order, and finished before the session changes.
import { createDeferred } from '../../base/index.ts';

export class TaskQueue {
  #tail: Promise<unknown> = Promise.resolve();
  readonly #pending = new Set<Promise<unknown>>();

  /** Runs after all earlier tasks. Later tasks wait for it. */
  enqueue<T>(task: () => Promise<T>): Promise<T> {
    const result = this.#tail.then(task);
    this.#tail = result.catch(() => {});
    this.#addPending(result);
    return result;
  }

  /** Starts after all earlier tasks and is pending until it is accepted. Later tasks do not wait for it, because it may wait for them. */
  startInOrder(task: (accepted: () => void) => Promise<unknown>): Promise<unknown> {
    const accepted = createDeferred();
    const result = this.#tail.then(() => task(accepted.resolve));
    this.#addPending(Promise.race([accepted.promise, result]));
    return result;
  }

  /** Counts work as pending without ordering it. */
  track<T>(work: Promise<T>): Promise<T> {
    this.#addPending(work);
    return work;
  }

  /** Resolves when no task is pending. */
  async waitUntilIdle(): Promise<void> {
    while (this.#pending.size > 0) await Promise.allSettled(this.#pending);
  }

  #addPending(work: Promise<unknown>): void {
    this.#pending.add(work);
    const remove = () => this.#pending.delete(work);
    work.then(remove, remove);
  }
}
