// A clock for tests of time limits: a limit expires when a condition is true, independent of real time.
import type { Clock } from '../../src/contracts/index.ts';
import { waitUntil } from './wait-until.ts';

/** Ports with a clock on which a delay of `ms` ends as soon as `passed` returns true. */
export function withTriggeredTimeout<P extends { readonly clock: Clock }>(
  ports: P,
  ms: number,
  passed: () => boolean,
): P {
  const after: Clock['after'] = (delay, act) => {
    if (delay !== ms) return ports.clock.after(delay, act);
    let cancelled = false;
    void waitUntil(passed).then(() => cancelled || act());
    return () => {
      cancelled = true;
    };
  };
  return { ...ports, clock: { ...ports.clock, after } };
}
