// First floor, core: how long a handler may take. The time a person needs for an answer does not count.
import type { Cancel, Clock } from '../../contracts/index.ts';

export interface Patience {
  /** Rejects when the time is used up; never resolves. */
  readonly lost: Promise<never>;
  /** Somebody else is waited for. Returns the end of the pause. */
  pause(): () => void;
  end(): void;
}

/** Where nothing waits for the handler, it may take what it takes. */
export const endless: Patience = { lost: new Promise(() => {}), pause: () => () => {}, end: () => {} };

export function createPatience(clock: Pick<Clock, 'now' | 'after'>, limitMs: number, tooLate: () => Error): Patience {
  let fail: (reason: Error) => void = () => {};
  const lost = new Promise<never>((_, reject) => {
    fail = reject;
  });
  // Whoever has given up waiting for it must not be told of it as of something forgotten.
  lost.catch(() => {});
  let left = limitMs;
  let since = 0;
  let pauses = 0;
  let cancel: Cancel = () => {};
  const run = () => {
    since = clock.now();
    cancel = clock.after(left, () => fail(tooLate()));
  };
  const hold = () => {
    cancel();
    left -= clock.now() - since;
  };
  run();
  return {
    lost,
    pause() {
      if (pauses++ === 0) hold();
      let over = false;
      return () => {
        if (over) return;
        over = true;
        if (--pauses === 0) run();
      };
    },
    end() {
      // A pause that ends later must not start the clock again.
      pauses = Number.POSITIVE_INFINITY;
      cancel();
    },
  };
}

/** Waits for `work`, but not longer than `limitMs`. */
export async function patiently(clock: Pick<Clock, 'sleep'>, limitMs: number, work: Promise<unknown>): Promise<void> {
  const enough = new AbortController();
  try {
    await Promise.race([work, clock.sleep(limitMs, enough.signal)]);
  } finally {
    enough.abort();
  }
}
