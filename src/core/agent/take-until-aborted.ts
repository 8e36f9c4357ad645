// Bounds how long a stream or a promise may take to end after an abort.
import type { Clock } from '../../contracts/index.ts';

/** How long a stream or a promise may continue after the abort. */
const GRACE_MS = 1000;

/**
 * Yields the values of `source` until it ends, or until 1 s after the abort. The iterator is written by hand: every
 * delta of every answer passes through it, and a generator would cost three more promises for each.
 */
export function takeUntilAborted<T>(
  source: PollableStream<T>,
  signal: AbortSignal,
  clock: Clock,
): Required<PollableStream<T>> {
  return {
    nextBuffered: () => source.nextBuffered?.(),
    [Symbol.asyncIterator]: () => iterateUntilAborted(source[Symbol.asyncIterator](), signal, clock),
  };
}

interface PollableStream<T> extends AsyncIterable<T> {
  nextBuffered?(): T | undefined;
}

function iterateUntilAborted<T>(iterator: AsyncIterator<T>, signal: AbortSignal, clock: Clock): AsyncIterator<T> {
  const done: IteratorResult<T> = { done: true, value: undefined };
  let endPendingStep: (() => void) | undefined;
  let isOver = false;
  const onAbort = () => {
    void clock.sleep(GRACE_MS).then(() => {
      isOver = true;
      endPendingStep?.();
    });
  };
  const end = () => {
    isOver = true;
    signal.removeEventListener('abort', onAbort);
    // Not awaited: a source that hangs would hang here too.
    void iterator.return?.(undefined)?.then(undefined, () => {});
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  return {
    next() {
      if (isOver) {
        end();
        return Promise.resolve(done);
      }
      const step = iterator.next();
      return new Promise((resolve, reject) => {
        endPendingStep = () => {
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

/** Returns the value of `work`, or of `fallback` if `work` is still pending `graceMs` after the abort. */
export async function withAbortFallback<T>(
  work: Promise<T>,
  fallback: () => T,
  signal: AbortSignal,
  clock: Clock,
  graceMs = GRACE_MS,
): Promise<T> {
  const stop = new AbortController();
  const fallbackAfterGrace = new Promise<T>((resolve) => {
    const onAbort = () => void clock.sleep(graceMs, stop.signal).then(() => resolve(fallback()));
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true, signal: stop.signal });
  });
  try {
    return await Promise.race([work, fallbackAfterGrace]);
  } finally {
    stop.abort();
  }
}
