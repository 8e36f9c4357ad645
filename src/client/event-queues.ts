// The hall, client: events for those who take them one at a time, and the news that too many wait. Knows no event.
import { channel } from '../base/index.ts';

/** With this many characters of events waiting in one queue, it is full. */
const HIGH_WATER = 1024 * 1024;

export interface EventQueues<T> {
  /** Some reader is so far behind that no more should be fetched for it. */
  readonly isFull: boolean;
  push(event: T, size: number): void;
  /** A new reader, from the next event on. */
  open(): AsyncIterableIterator<T>;
  /** No more will come. With a failure, readers hear of it after what is queued. */
  close(failure?: Error): void;
}

/** `onRoom` is called when a queue may have ceased to be full. */
export function createEventQueues<T>(onRoom: () => void): EventQueues<T> {
  const queues = new Set<EventQueue<T>>();
  let ended: { failure: Error | undefined } | undefined;
  return {
    get isFull() {
      return [...queues].some((queue) => queue.waiting >= HIGH_WATER);
    },
    push(event, size) {
      for (const queue of queues) queue.push(event, size);
    },
    open() {
      const queue = new EventQueue<T>(onRoom, () => queues.delete(queue));
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

/** Not a generator: one that waits for its next value cannot be left, and its reader may want to. */
class EventQueue<T> implements AsyncIterableIterator<T> {
  /** In characters. */
  waiting = 0;
  readonly #events = channel<{ event: T; size: number }>();
  readonly #taking = this.#events[Symbol.asyncIterator]();
  readonly #onRoom: () => void;
  readonly #onLeave: () => void;
  #failure: Error | undefined;
  #left = false;

  constructor(onRoom: () => void, onLeave: () => void) {
    this.#onRoom = onRoom;
    this.#onLeave = onLeave;
  }

  push(event: T, size: number): void {
    this.waiting += size;
    this.#events.push({ event, size });
  }

  end(failure: Error | undefined): void {
    this.#failure = failure;
    this.#events.close();
  }

  async next(): Promise<IteratorResult<T>> {
    const { done, value } = await this.#taking.next();
    if (this.#left) return { done: true, value: undefined };
    if (!done) {
      this.waiting -= value.size;
      this.#onRoom();
      return { done: false, value: value.event };
    }
    const failure = this.#failure;
    await this.return();
    if (failure) throw failure;
    return { done: true, value: undefined };
  }

  async return(): Promise<IteratorResult<T>> {
    this.#left = true;
    this.#events.close();
    this.#onLeave();
    this.#onRoom();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
