// First floor, core: patience with what does not stop when told to. Knows neither models nor tools.
import type { Clock } from '../../contracts/index.ts';

/** How long something that was told to stop may take to say its last word. */
const GRACE_MS = 1000;

/**
 * The values of `source`, until it ends, or until a moment after the signal when it does not. An iterator by hand: every
 * delta of every answer passes through here, and a generator would cost three more promises for each.
 */
export function untilAborted<T>(source: Stream<T>, signal: AbortSignal, clock: Clock): Required<Stream<T>> {
  return {
    atHand: () => source.atHand?.(),
    [Symbol.asyncIterator]: () => follow(source[Symbol.asyncIterator](), signal, clock),
  };
}

interface Stream<T> extends AsyncIterable<T> {
  atHand?(): T | undefined;
}

function follow<T>(iterator: AsyncIterator<T>, signal: AbortSignal, clock: Clock): AsyncIterator<T> {
  const done: IteratorResult<T> = { done: true, value: undefined };
  let giveUp: (() => void) | undefined;
  let over = false;
  const onAbort = () => {
    void clock.sleep(GRACE_MS).then(() => {
      over = true;
      giveUp?.();
    });
  };
  const end = () => {
    over = true;
    signal.removeEventListener('abort', onAbort);
    // Not awaited: a source that hangs would hang here too.
    void iterator.return?.(undefined)?.then(undefined, () => {});
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  return {
    next() {
      if (over) {
        end();
        return Promise.resolve(done);
      }
      const step = iterator.next();
      return new Promise((resolve, reject) => {
        giveUp = () => {
          end();
          resolve(done);
        };
        step.then((result) => {
          if (result.done) end();
          resolve(result);
        }, reject);
      });
    },
    async return() {
      end();
      return done;
    },
  };
}

/** The promise's value, or `fallback` a moment after the signal when it does not come. */
export async function orAfterAbort<T>(
  work: Promise<T>,
  fallback: () => T,
  signal: AbortSignal,
  clock: Clock,
  graceMs = GRACE_MS,
): Promise<T> {
  const stop = new AbortController();
  const given = new Promise<T>((resolve) => {
    const onAbort = () => void clock.sleep(graceMs, stop.signal).then(() => resolve(fallback()));
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true, signal: stop.signal });
  });
  try {
    return await Promise.race([work, given]);
  } finally {
    stop.abort();
  }
}
