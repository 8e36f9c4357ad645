// First floor, core: how long the work of an extension's command is waited for: as long as there is somebody to wait.
import type { Surroundings } from './surroundings.ts';

/** Once the host is gone and nothing runs, a command that still does not end must not keep the process. */
export async function abandonable(
  work: unknown,
  { host, session, ports }: Pick<Surroundings, 'host' | 'session' | 'ports'>,
  { hookTimeoutMs }: { hookTimeoutMs: number },
): Promise<void> {
  const over = new AbortController();
  const abandoned = async () => {
    await host()?.gone;
    do {
      await session.runs.settled();
      await ports.clock.sleep(hookTimeoutMs, over.signal);
      // What the command set going may have begun only after the host had left.
    } while (session.runs.isRunning && !over.signal.aborted);
    const limit = `${hookTimeoutMs / 1000} s (extensions.hookTimeout)`;
    throw new Error(`The command did not end within ${limit} after the host had left; it is not waited for`);
  };
  try {
    await (host() ? Promise.race([work, abandoned()]) : work);
  } finally {
    over.abort();
  }
}
