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
  const queues = new Set<Queue<T>>();
  let ended: { failure: Error | undefined } | undefined;
  return {
    get isFull() {
      return [...queues].some((queue) => queue.waiting >= HIGH_WATER);
    },
    push(event, size) {
      for (const queue of queues) queue.push(event, size);
    },
    open() {
      const queue = createQueue<T>(onRoom, () => queues.delete(queue));
      if (ended) queue.close(ended.failure);
      else queues.add(queue);
      return queue.reader;
    },
    close(failure) {
      ended ??= { failure };
      for (const queue of queues) queue.close(failure);
    },
  };
}

interface Queue<T> {
  readonly waiting: number;
  readonly reader: AsyncIterableIterator<T>;
  push(event: T, size: number): void;
  close(failure: Error | undefined): void;
}

function createQueue<T>(onRoom: () => void, onLeave: () => void): Queue<T> {
  const events = channel<{ event: T; size: number }>();
  const taking = events[Symbol.asyncIterator]();
  let waiting = 0;
  let problem: Error | undefined;
  let left = false;
  const leave = () => {
    left = true;
    events.close();
    onLeave();
    onRoom();
  };
  return {
    get waiting() {
      return waiting;
    },
    push(event, size) {
      waiting += size;
      events.push({ event, size });
    },
    close(failure) {
      problem = failure;
      events.close();
    },
    // Not a generator: one that waits for its next value cannot be left, and its reader may want to.
    reader: {
      async next() {
        const { done, value } = await taking.next();
        if (left) return { done: true, value: undefined };
        if (!done) {
          waiting -= value.size;
          onRoom();
          return { done: false, value: value.event };
        }
        leave();
        if (problem) throw problem;
        return { done: true, value: undefined };
      },
      async return() {
        leave();
        return { done: true, value: undefined };
      },
      [Symbol.asyncIterator]() {
        return this;
      },
    },
  };
}
