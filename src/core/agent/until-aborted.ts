// First floor, core: patience with what does not stop when told to. Knows neither models nor tools.
import type { Clock } from '../../contracts/index.ts';

/** How long something that was told to stop may take to say its last word. */
const GRACE_MS = 1000;

/** The values of `source`, until it ends, or until a moment after the signal when it does not. */
export async function* untilAborted<T>(source: AsyncIterable<T>, signal: AbortSignal, clock: Clock): AsyncGenerator<T> {
  const iterator = source[Symbol.asyncIterator]();
  let giveUp: () => void = () => {};
  let abandoned = false;
  const onAbort = () => {
    void clock.sleep(GRACE_MS).then(() => {
      abandoned = true;
      giveUp();
    });
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  try {
    while (!abandoned) {
      const step = await new Promise<IteratorResult<T> | undefined>((resolve, reject) => {
        giveUp = () => resolve(undefined);
        iterator.next().then(resolve, reject);
      });
      if (!step || step.done) return;
      yield step.value;
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    // Not awaited: a source that hangs would hang here too.
    void iterator.return?.(undefined)?.then(undefined, () => {});
  }
}

/** The promise's value, or `fallback` a moment after the signal when it does not come. */
export async function orAfterAbort<T>(
  work: Promise<T>,
  fallback: () => T,
  signal: AbortSignal,
  clock: Clock,
): Promise<T> {
  const stop = new AbortController();
  const given = new Promise<T>((resolve) => {
    const onAbort = () => void clock.sleep(GRACE_MS, stop.signal).then(() => resolve(fallback()));
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true, signal: stop.signal });
  });
  try {
    return await Promise.race([work, given]);
  } finally {
    stop.abort();
  }
}
