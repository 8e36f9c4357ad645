// Clock port based on Node timers.
import type { Clock } from '../../contracts/ports.ts';

/** Node replaces a longer delay by 1 ms. */
const MAX_DELAY_MS = 2 ** 31 - 1;

export function createClock(): Clock {
  return {
    now: () => Date.now(),
    after(ms, act) {
      const timer = setTimeout(act, clampDelay(ms));
      timer.unref();
      return () => clearTimeout(timer);
    },
    // Not unref'ed, unlike after(): a caller awaits it, and an early exit would skip the code after the await.
    sleep(ms, signal) {
      if (signal?.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        const wake = () => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', wake);
          resolve();
        };
        const timer = setTimeout(wake, clampDelay(ms));
        signal?.addEventListener('abort', wake, { once: true });
      });
    },
    yieldToEventLoop: () => new Promise((resolve) => setImmediate(resolve)),
  };
}

function clampDelay(ms: number): number {
  return Math.min(Math.max(ms, 0), MAX_DELAY_MS);
}
