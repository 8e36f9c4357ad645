// For tests of time limits: one that has passed when something is so, however slow the machine is.
import type { Clock } from '../../src/contracts/index.ts';
import { until } from './until.ts';

/** The same ports, whose clock takes a delay of `ms` for over once `passed`. */
export function withLimit<P extends { readonly clock: Clock }>(ports: P, ms: number, passed: () => boolean): P {
  const after: Clock['after'] = (delay, act) => {
    if (delay !== ms) return ports.clock.after(delay, act);
    let cancelled = false;
    void until(passed).then(() => cancelled || act());
    return () => {
      cancelled = true;
    };
  };
  return { ...ports, clock: { ...ports.clock, after } };
}
