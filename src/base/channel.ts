// Ground floor: a queue that one side fills and the other awaits. Knows nothing about what travels through it.

export interface Channel<T> extends AsyncIterable<T> {
  push(value: T): void;
  /** No more values; readers finish after what is queued. */
  close(): void;
  readonly size: number;
}

/** An unbounded single-reader channel. Bounds belong to whoever fills it. */
export function channel<T>(): Channel<T> {
  const queue: T[] = [];
  let wake: (() => void) | undefined;
  let closed = false;
  const signal = () => {
    wake?.();
    wake = undefined;
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
      return queue.length;
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        while (queue.length > 0) yield queue.shift() as T;
        if (closed) return;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}
