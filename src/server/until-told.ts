// First floor, server: what the host says, until it has no more to say or we are told to leave.

/** By hand: a race between every line and one promise that lives as long as the process would keep something of each. */
export function untilTold<T>(source: AsyncIterable<T>, told: Promise<void>): AsyncIterable<T> {
  const iterator = source[Symbol.asyncIterator]();
  const over: IteratorResult<T> = { done: true, value: undefined };
  let isOver = false;
  let giveUp = () => {};
  void told.then(() => {
    isOver = true;
    giveUp();
  });
  const next = () =>
    new Promise<IteratorResult<T>>((resolve, reject) => {
      giveUp = () => resolve(over);
      if (isOver) giveUp();
      else iterator.next().then(resolve, reject);
    });
  return { [Symbol.asyncIterator]: () => ({ next }) };
}
