// Turns an iterator of batches into an iterator of single values.

/** `nextBuffered` returns the next value if it is already available, and undefined otherwise. */
export interface BufferedIterator<T> extends AsyncIterableIterator<T> {
  nextBuffered(): T | undefined;
}

/**
 * Values of a batch are read one at a time, on demand. One promise is created for each batch, not for each value:
 * one network chunk often contains dozens of values.
 */
export function flattenBatches<T>(batches: AsyncIterator<Iterable<T>>): BufferedIterator<T> {
  const finished: IteratorResult<T> = { done: true, value: undefined };
  let batch: Iterator<T> | undefined;
  const nextBuffered = (): T | undefined => {
    const step = batch?.next();
    if (step && !step.done) return step.value;
    batch = undefined;
    return undefined;
  };
  const nextFromBatches = async (): Promise<IteratorResult<T>> => {
    for (;;) {
      const next = await batches.next();
      if (next.done) return finished;
      batch = next.value[Symbol.iterator]();
      const value = nextBuffered();
      if (value !== undefined) return { done: false, value };
    }
  };
  return {
    nextBuffered,
    next() {
      const value = nextBuffered();
      return value === undefined ? nextFromBatches() : Promise.resolve({ done: false, value });
    },
    async return() {
      batch = undefined;
      await batches.return?.();
      return finished;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
