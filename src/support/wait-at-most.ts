// Waits for work, but not longer than a time limit.
import type { Clock } from '../contracts/index.ts';

/** Resolves when `work` has settled, or after `timeoutMs`. Rejects only if `work` rejects before that. */
export async function waitAtMost(
  clock: Pick<Clock, 'sleep'>,
  timeoutMs: number,
  work: Promise<unknown>,
): Promise<void> {
  const finished = new AbortController();
  try {
    await Promise.race([work, clock.sleep(timeoutMs, finished.signal)]);
  } finally {
    finished.abort();
  }
}
