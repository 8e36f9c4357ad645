// The hall, testing: a clock that moves only when told to. Nothing in a test waits for real time.
import type { Clock } from '../contracts/index.ts';

export interface FakeClock extends Clock {
  /** Moves on, running what falls due on the way, in order. */
  advance(ms: number): Promise<void>;
}

interface Timer {
  at: number;
  act(): void;
}

export function createFakeClock(start = Date.UTC(2026, 0, 2, 3, 4, 5)): FakeClock {
  let now = start;
  const timers = new Set<Timer>();
  const after = (ms: number, act: () => void) => {
    const timer = { at: now + ms, act };
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
    turn: () => Promise.resolve(),
    async advance(ms) {
      const end = now + ms;
      for (;;) {
        const due = [...timers].filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at)[0];
        if (!due) break;
        timers.delete(due);
        now = Math.max(now, due.at);
        due.act();
        await Promise.resolve();
      }
      now = end;
    },
  };
}
