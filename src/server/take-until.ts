// Iterates over a source until it ends or a stop promise resolves.

/** Not Promise.race: each race with the long-lived `stop` promise would keep memory until `stop` resolves. */
export function takeUntil<T>(source: AsyncIterable<T>, stop: Promise<void>): AsyncIterable<T> {
  const iterator = source[Symbol.asyncIterator]();
  const endResult: IteratorResult<T> = { done: true, value: undefined };
  let isStopped = false;
  let finish = () => {};
  void stop.then(() => {
    isStopped = true;
    finish();
  });
  const next = () =>
    new Promise<IteratorResult<T>>((resolve, reject) => {
      finish = () => resolve(endResult);
      if (isStopped) finish();
      else iterator.next().then(resolve, reject);
    });
  return { [Symbol.asyncIterator]: () => ({ next }) };
}
