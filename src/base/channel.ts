// An asynchronous queue: one side pushes values, the other iterates over them.

export interface Channel<T> extends AsyncIterable<T> {
  push(value: T): void;
  /** Accepts no more values. The reader still receives the queued values and then ends. */
  close(): void;
  readonly size: number;
}

/** An unbounded channel for one reader. The writer must limit its size. */
export function createChannel<T>(): Channel<T> {
  // Read by index: `shift` moves every queued value, which takes seconds when a fast writer is far ahead.
  let queue: T[] = [];
  let next = 0;
  let wake: (() => void) | undefined;
  let closed = false;
  const signal = () => {
    wake?.();
    wake = undefined;
  };
  const take = () => {
    const value = queue[next] as T;
    next++;
    if (next * 2 > queue.length) {
      queue = queue.slice(next);
      next = 0;
    }
    return value;
  };
  return {
    push(value) {
      if (closed) return;
      queue.push(value);
      signal();
    },
    close() {
      closed = true;
      signal();
    },
    get size() {
      return queue.length - next;
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        while (next < queue.length) yield take();
        if (closed) return;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}
