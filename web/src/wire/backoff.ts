// Delays between attempts to connect: exponential, with a random part, so that many pages do not connect at the same time.

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 30_000;

/** `attempt` counts from 0. `random` returns a number from 0 to 1. Between half of the delay and the whole. */
export function computeDelay(attempt: number, random: () => number): number {
  const whole = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(attempt, 16));
  return Math.round(whole / 2 + (random() * whole) / 2);
}
