// Exits the process after a signal or at the end: ends runs and child processes and flushes output, within two seconds.
import type { Clock, Log } from '../../contracts/index.ts';
import { afterSteps } from '../../support/after-steps.ts';

const SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;
/** Counts timer ticks instead of wall time, so that CPU starvation does not shorten the shutdown. */
const MAX_SHUTDOWN_STEPS = 18;

export interface Shutdown {
  /** Runs the cleanup and exits with this code. Later calls wait for the first one and do not change its code. */
  exit(code: number): Promise<never>;
  readonly isExiting: boolean;
}

/** Installs signal handlers, except for `except`. `cleanUp` stops runs, ends child processes and flushes output. */
export function createShutdown(
  ports: { clock: Clock; log: Log },
  cleanUp: () => Promise<void>,
  except?: keyof typeof SIGNALS,
): Shutdown {
  let exiting: Promise<never> | undefined;
  const exit = (code: number): Promise<never> => {
    exiting ??= (async () => {
      ports.log('leaving', { code });
      // Used if the event loop becomes empty before process.exit() is called.
      process.exitCode = code;
      afterSteps(ports.clock, MAX_SHUTDOWN_STEPS, () => process.exit(code));
      // An error during cleanup must not prevent the exit.
      await cleanUp().catch(() => {});
      return process.exit(code);
    })();
    return exiting;
  };
  for (const [signal, number] of Object.entries(SIGNALS)) {
    if (signal !== except) process.on(signal, () => void exit(128 + number));
  }
  return {
    exit,
    get isExiting() {
      return exiting !== undefined;
    },
  };
}
