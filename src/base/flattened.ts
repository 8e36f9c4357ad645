// Ground floor: values that come many at a time, handed on one by one. Knows nothing about them.

/** One by one like any other stream; `atHand` gives the next one when it takes no waiting, and nothing otherwise. */
export interface Flattened<T> extends AsyncIterableIterator<T> {
  atHand(): T | undefined;
}

/**
 * Each batch is asked for its values one at a time, as they are wanted. A promise is made for a batch, not for a value:
 * what comes from a network in one piece often holds dozens.
 */
export function flattened<T>(batches: AsyncIterator<Iterable<T>>): Flattened<T> {
  const over: IteratorResult<T> = { done: true, value: undefined };
  let batch: Iterator<T> | undefined;
  const atHand = (): T | undefined => {
    const step = batch?.next();
    if (step && !step.done) return step.value;
    batch = undefined;
    return undefined;
  };
  const fetch = async (): Promise<IteratorResult<T>> => {
    for (;;) {
      const next = await batches.next();
      if (next.done) return over;
      batch = next.value[Symbol.iterator]();
      const value = atHand();
      if (value !== undefined) return { done: false, value };
    }
  };
  return {
    atHand,
    next() {
      const value = atHand();
      return value === undefined ? fetch() : Promise.resolve({ done: false, value });
    },
    async return() {
      batch = undefined;
      await batches.return?.();
      return over;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
