// A clock that advances only on request, so that no test waits for real time.
import type { Clock } from '../contracts/index.ts';

export interface FakeClock extends Clock {
  /** Advances the time and runs the timers that become due, in order. */
  advance(ms: number): Promise<void>;
}

interface Timer {
  dueMs: number;
  callback(): void;
}

/** `start` is in milliseconds since 1970. Default: 2026-01-02T03:04:05Z. */
export function createFakeClock(start = Date.UTC(2026, 0, 2, 3, 4, 5)): FakeClock {
  let now = start;
  const timers = new Set<Timer>();
  const after = (ms: number, callback: () => void) => {
    const timer = { dueMs: now + ms, callback };
    timers.add(timer);
    return () => void timers.delete(timer);
  };
  return {
    now: () => now,
    after,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted) return resolve();
        const cancel = after(ms, resolve);
        signal?.addEventListener('abort', () => {
          cancel();
          resolve();
        });
      }),
    yieldToEventLoop: () => Promise.resolve(),
    async advance(ms) {
      const end = now + ms;
      for (;;) {
        const due = [...timers].filter((timer) => timer.dueMs <= end).sort((a, b) => a.dueMs - b.dueMs)[0];
        if (!due) break;
        timers.delete(due);
        now = Math.max(now, due.dueMs);
        due.callback();
        await Promise.resolve();
      }
      now = end;
    },
  };
}
