// Limits how often progress is sent, and repeats the last message while nothing new happens, so that clients do not time out.
import type { Cancel, Clock } from '../../../../contracts/index.ts';

/** At most four messages per second. */
const MIN_INTERVAL_MS = 250;
const REPEAT_MS = 10_000;

export interface ProgressReporter {
  report(message: string): void;
  /** Nothing is sent afterwards. */
  stop(): void;
}

/** `send` gets a number that increases with each call. */
export function createProgressReporter(
  clock: Pick<Clock, 'now' | 'after'>,
  send: (progress: number, message: string) => void,
): ProgressReporter {
  let count = 0;
  let sentMs = Number.NEGATIVE_INFINITY;
  let current = '';
  let currentSinceMs = 0;
  let cancelTimer: Cancel = () => {};
  let isStopped = false;
  const sendNow = (message: string) => {
    count += 1;
    sentMs = clock.now();
    send(count, message);
    cancelTimer = clock.after(REPEAT_MS, () => sendNow(`${current} (${formatSeconds(clock.now() - currentSinceMs)})`));
  };
  return {
    report(message) {
      if (isStopped || message === current) return;
      current = message;
      currentSinceMs = clock.now();
      cancelTimer();
      const waitMs = sentMs + MIN_INTERVAL_MS - currentSinceMs;
      if (waitMs <= 0) sendNow(message);
      else cancelTimer = clock.after(waitMs, () => sendNow(current));
    },
    stop() {
      isStopped = true;
      cancelTimer();
    },
  };
}

function formatSeconds(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
