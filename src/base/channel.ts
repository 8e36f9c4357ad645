// Ground floor: a queue that one side fills and the other awaits. Knows nothing about what travels through it.

export interface Channel<T> extends AsyncIterable<T> {
  push(value: T): void;
  /** No more values; readers finish after what is queued. */
  close(): void;
  readonly size: number;
}

/** An unbounded single-reader channel. Bounds belong to whoever fills it. */
export function channel<T>(): Channel<T> {
  // Read by position: `shift` moves every waiting value, which costs seconds when a fast writer is far ahead.
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
