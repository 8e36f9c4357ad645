// The app's real clock. Knows nothing about what waits on it.
import type { Clock } from '../../contracts/ports.ts';

/** Node turns a longer delay into one millisecond. */
const LONGEST_DELAY = 2 ** 31 - 1;

export function createClock(): Clock {
  return {
    now: () => Date.now(),
    after(ms, act) {
      const timer = setTimeout(act, delay(ms));
      timer.unref();
      return () => clearTimeout(timer);
    },
    // This timer does keep the process alive: somebody awaits it, and an early exit would lose what comes after.
    sleep(ms, signal) {
      if (signal?.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        const wake = () => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', wake);
          resolve();
        };
        const timer = setTimeout(wake, delay(ms));
        signal?.addEventListener('abort', wake, { once: true });
      });
    },
    turn: () => new Promise((resolve) => setImmediate(resolve)),
  };
}

function delay(ms: number): number {
  return Math.min(Math.max(ms, 0), LONGEST_DELAY);
}
