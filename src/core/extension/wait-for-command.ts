// Waits for an extension's command. The wait is limited only after the host has disconnected.
import type { ExtensionScope } from './extension-context.ts';

/** After the host has disconnected and no run is active, a command that does not end must not keep the process alive. */
export async function waitForCommand(
  work: unknown,
  { getHost, session, ports }: Pick<ExtensionScope, 'getHost' | 'session' | 'ports'>,
  { hookTimeoutMs }: { hookTimeoutMs: number },
): Promise<void> {
  const finished = new AbortController();
  const rejectAfterHostLeft = async () => {
    await getHost()?.closed;
    do {
      await session.runs.waitUntilSettled();
      await ports.clock.sleep(hookTimeoutMs, finished.signal);
      // The command may have started a run after the host disconnected.
    } while (session.runs.isRunning && !finished.signal.aborted);
    const limit = `${hookTimeoutMs / 1000} s (extensions.hookTimeout)`;
    throw new Error(`The command did not finish within ${limit} after the host disconnected; it was abandoned`);
  };
  try {
    await (getHost() ? Promise.race([work, rejectAfterHostLeft()]) : work);
  } finally {
    finished.abort();
  }
}
