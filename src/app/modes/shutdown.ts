// The hall: leaving. However we are told to go, runs end, children die, what was said is flushed, and it takes two seconds at most.
import type { Clock, Log } from '../../contracts/index.ts';

const SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;
const STEP_MS = 100;
/** Counted in steps, so that a program that gets no time on a busy machine does not hold that against its farewell. */
const LONGEST_FAREWELL = 18;

export interface Shutdown {
  /** Runs the farewell and leaves with this code. Only the first call counts. */
  leave(code: number): Promise<never>;
  readonly isLeaving: boolean;
}

/** From now on signals lead to an orderly end, but for one that means something else. `farewell` stops work, ends children and flushes. */
export function createShutdown(
  ports: { clock: Clock; log: Log },
  farewell: () => Promise<void>,
  except?: keyof typeof SIGNALS,
): Shutdown {
  let leaving: Promise<never> | undefined;
  const leave = (code: number): Promise<never> => {
    leaving ??= (async () => {
      ports.log('leaving', { code });
      // Also when nothing is left that would keep the process.
      process.exitCode = code;
      afterSteps(LONGEST_FAREWELL, ports.clock, () => process.exit(code));
      // Whatever goes wrong on the way out must not keep us here.
      await farewell().catch(() => {});
      return process.exit(code);
    })();
    return leaving;
  };
  for (const [signal, number] of Object.entries(SIGNALS)) {
    if (signal !== except) process.on(signal, () => void leave(128 + number));
  }
  return {
    leave,
    get isLeaving() {
      return leaving !== undefined;
    },
  };
}

function afterSteps(steps: number, clock: Clock, act: () => void): void {
  clock.after(STEP_MS, () => (steps > 1 ? afterSteps(steps - 1, clock, act) : act()));
}
