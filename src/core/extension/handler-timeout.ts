// Limits the run time of a handler. The time in which a dialog waits for the user does not count.
import type { Cancel, Clock } from '../../contracts/index.ts';

export interface HandlerTimeout {
  /** Rejects when the time is over; never resolves. */
  readonly expired: Promise<never>;
  /** Stops the timer while the handler waits for the user. Returns a function that resumes it. */
  pause(): () => void;
  stop(): void;
}

/** For tools and commands, whose run time is not limited. */
export const noTimeout: HandlerTimeout = { expired: new Promise(() => {}), pause: () => () => {}, stop: () => {} };

export function createHandlerTimeout(
  clock: Pick<Clock, 'now' | 'after'>,
  timeoutMs: number,
  createError: () => Error,
): HandlerTimeout {
  let fail: (reason: Error) => void = () => {};
  const expired = new Promise<never>((_, reject) => {
    fail = reject;
  });
  // Prevents an unhandled rejection when the timer expires after the race has been decided.
  expired.catch(() => {});
  let remainingMs = timeoutMs;
  let startedAt = 0;
  let pauses = 0;
  let cancel: Cancel = () => {};
  const startTimer = () => {
    startedAt = clock.now();
    cancel = clock.after(remainingMs, () => fail(createError()));
  };
  const pauseTimer = () => {
    cancel();
    remainingMs -= clock.now() - startedAt;
  };
  startTimer();
  return {
    expired,
    pause() {
      if (pauses++ === 0) pauseTimer();
      let isResumed = false;
      return () => {
        if (isResumed) return;
        isResumed = true;
        if (--pauses === 0) startTimer();
      };
    },
    stop() {
      // A later resume must not start the timer again.
      pauses = Number.POSITIVE_INFINITY;
      cancel();
    },
  };
}
