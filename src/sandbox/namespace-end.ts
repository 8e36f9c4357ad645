// Waits until all processes of a sandboxed command have ended. bubblewrap exits with the command, before the system has ended its
// background processes.
import type { Clock, Files, SpawnRequest } from '../contracts/index.ts';

/** The descriptor of `SpawnRequest.onInfo`. */
export const INFO_DESCRIPTOR = 3;
const TIMEOUT_MS = 5000;
const POLL_MS = 1;
/** Mostly it takes less than a millisecond, and reading the state takes time, too. */
const READS_WITHOUT_PAUSE = 10;

export interface NamespaceEnd {
  /** For what bubblewrap writes to `--info-fd`. */
  readonly onInfo: NonNullable<SpawnRequest['onInfo']>;
  /** Call this when bubblewrap has exited. Resolves at once when it has started nothing. */
  wait(): Promise<void>;
}

export function watchNamespaceEnd(files: Pick<Files, 'read'>, clock: Pick<Clock, 'now' | 'sleep'>): NamespaceEnd {
  let info = '';
  return {
    onInfo(chunk) {
      info += Buffer.from(chunk).toString('utf8');
    },
    async wait() {
      const pid = /"child-pid": (\d+)/.exec(info)?.[1];
      if (pid === undefined) return;
      const deadline = clock.now() + TIMEOUT_MS;
      // The first process of the namespace ends when the system has ended all others.
      for (let reads = 1; (await isRunning(files, pid)) && clock.now() < deadline; reads++) {
        if (reads > READS_WITHOUT_PAUSE) await clock.sleep(POLL_MS);
      }
    },
  };
}

async function isRunning(files: Pick<Files, 'read'>, pid: string): Promise<boolean> {
  const bytes = await files.read(`/proc/${pid}/stat`).catch(() => undefined);
  if (!bytes) return false;
  const text = Buffer.from(bytes).toString('utf8');
  // The state follows the name of the program, which may contain parentheses. Z: ended, X: being removed.
  return !/^\) [ZX]/.test(text.slice(text.lastIndexOf(')')));
}
