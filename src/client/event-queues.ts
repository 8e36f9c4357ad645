// Event queues with one reader each. Reports when a queue is full, so that reading can pause.
import { createChannel } from '../base/index.ts';

/** A queue with this many characters of waiting events is full. */
const HIGH_WATER_MARK = 1024 * 1024;

export interface EventQueues<T> {
  /** True when at least one queue is full and no more events should be read. */
  readonly isFull: boolean;
  push(event: T, size: number): void;
  /** Creates a queue that starts with the next event. */
  open(): AsyncIterableIterator<T>;
  /** Ends all queues. Readers get the queued events first, then the failure, if any. */
  close(failure?: Error): void;
}

/** `onDrain` is called when a queue may no longer be full. */
export function createEventQueues<T>(onDrain: () => void): EventQueues<T> {
  const queues = new Set<EventQueue<T>>();
  let ended: { failure: Error | undefined } | undefined;
  return {
    get isFull() {
      return [...queues].some((queue) => queue.queuedLength >= HIGH_WATER_MARK);
    },
    push(event, size) {
      for (const queue of queues) queue.push(event, size);
    },
    open() {
      const queue = new EventQueue<T>(onDrain, () => queues.delete(queue));
      queues.add(queue);
      if (ended) queue.end(ended.failure);
      return queue;
    },
    close(failure) {
      ended ??= { failure };
      for (const queue of queues) queue.end(failure);
    },
  };
}

/** Not a generator: `return()` on a generator waits for a pending `next()`, but a reader must be able to stop anytime. */
class EventQueue<T> implements AsyncIterableIterator<T> {
  /** In characters. */
  queuedLength = 0;
  readonly #events = createChannel<{ event: T; size: number }>();
  readonly #iterator = this.#events[Symbol.asyncIterator]();
  readonly #onDrain: () => void;
  readonly #onReturn: () => void;
  #failure: Error | undefined;
  #hasReturned = false;

  constructor(onDrain: () => void, onReturn: () => void) {
    this.#onDrain = onDrain;
    this.#onReturn = onReturn;
  }

  push(event: T, size: number): void {
    this.queuedLength += size;
    this.#events.push({ event, size });
  }

  end(failure: Error | undefined): void {
    this.#failure = failure;
    this.#events.close();
  }

  async next(): Promise<IteratorResult<T>> {
    const { done, value } = await this.#iterator.next();
    if (this.#hasReturned) return { done: true, value: undefined };
    if (!done) {
      this.queuedLength -= value.size;
      this.#onDrain();
      return { done: false, value: value.event };
    }
    const failure = this.#failure;
    await this.return();
    if (failure) throw failure;
    return { done: true, value: undefined };
  }

  async return(): Promise<IteratorResult<T>> {
    this.#hasReturned = true;
    this.#events.close();
    this.#onReturn();
    this.#onDrain();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
