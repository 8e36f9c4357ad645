// Waits for a number of timer ticks. Unlike wall time, they do not pass while the process gets no processor time.
import type { Clock } from '../contracts/index.ts';

const STEP_MS = 100;

/** Calls `act` after `steps` ticks of 100 ms. Returns a function that cancels it. */
export function afterSteps(clock: Pick<Clock, 'after'>, steps: number, act: () => void): () => void {
  let cancel = () => {};
  const wait = (left: number) => {
    cancel = clock.after(STEP_MS, () => (left > 1 ? wait(left - 1) : act()));
  };
  wait(steps);
  return () => cancel();
}

/** Resolves when `work` has settled, or after `steps` ticks of 100 ms. Rejects only if `work` rejects before that. */
export async function waitAtMostSteps(
  clock: Pick<Clock, 'after'>,
  steps: number,
  work: Promise<unknown>,
): Promise<void> {
  let cancel = () => {};
  const isOver = new Promise<void>((resolve) => {
    cancel = afterSteps(clock, steps, resolve);
  });
  try {
    await Promise.race([work, isOver]);
  } finally {
    cancel();
  }
}
