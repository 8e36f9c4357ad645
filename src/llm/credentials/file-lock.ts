// First floor, llm: one writer at a time for a small file that many processes share. Knows nothing of what is in it.
import { Fault, systemCode } from '../../base/index.ts';
import type { Clock, Files, Ids } from '../../contracts/index.ts';

export interface LockPorts {
  files: Files;
  clock: Clock;
  ids: Pick<Ids, 'uuid'>;
}

/** Whether the lock is still ours. A machine that slept for long may have lost it to another process. */
export type StillHeld = () => Promise<boolean>;

/** A holder that lives says so more often than this. */
const STALE_MS = 10_000;
const RENEW_MS = STALE_MS / 4;
const PATIENCE_MS = 30_000;
const FIRST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 100;

/** Runs `act` while nobody else holds the lock beside `path`. Throws a Fault when it stays taken. */
export async function withFileLock<T>(
  ports: LockPorts,
  path: string,
  act: (stillHeld: StillHeld) => Promise<T>,
): Promise<T> {
  const lock = createLock(ports, `${path}.lock`);
  const deadline = ports.clock.now() + PATIENCE_MS;
  let pause = FIRST_PAUSE_MS;
  while (!(await lock.take())) {
    if (ports.clock.now() > deadline) {
      throw new Fault('busy', `${path} is being written by another process. If there is none, remove ${path}.lock.`);
    }
    await ports.clock.sleep(pause);
    pause = Math.min(pause * 1.5, LONGEST_PAUSE_MS);
  }
  const stopRenewing = lock.keepRenewing();
  try {
    return await act(lock.isMine);
  } finally {
    stopRenewing();
    await lock.release();
  }
}

function createLock({ files, clock, ids }: LockPorts, lock: string) {
  const mark = new TextEncoder().encode(ids.uuid());
  const claim = `${lock}.claim`;

  /** `false` when it is there already. */
  async function make(path: string): Promise<boolean> {
    try {
      const file = await files.open(path, 'create', { mode: 0o600 });
      await file.append(mark).finally(() => file.close());
      return true;
    } catch (error) {
      if (systemCode(error) === 'EEXIST') return false;
      throw error;
    }
  }

  async function isStale(path: string): Promise<boolean> {
    // The time before the look: who is held up after it must not take that for the holder's silence.
    const now = clock.now();
    const info = await files.info(path);
    return info !== undefined && now - info.modifiedMs > STALE_MS;
  }

  /**
   * Whoever holds the claim, and finds the lock stale even then, turns the claim into the lock in one step. So of many
   * who come upon the lock of a dead process one gets it, and nobody removes a lock that has just been made.
   */
  async function takeOver(): Promise<boolean> {
    if (!(await make(claim))) {
      if (await isStale(claim)) await remove(claim);
      return false;
    }
    if (!(await isStale(lock))) {
      await remove(claim);
      return false;
    }
    return files.rename(claim, lock).then(
      () => true,
      // Somebody took our claim for that of a dead process.
      (error: unknown) => {
        if (systemCode(error) === 'ENOENT') return false;
        throw error;
      },
    );
  }

  async function isMine(): Promise<boolean> {
    const held = await files.read(lock).catch(() => undefined);
    return held !== undefined && Buffer.from(held).equals(mark);
  }

  async function remove(path: string): Promise<void> {
    await files.remove(path).catch((error: unknown) => {
      if (systemCode(error) !== 'ENOENT') throw error;
    });
  }

  return {
    isMine,
    take: async () => (await make(lock)) || ((await isStale(lock)) && (await takeOver())),
    keepRenewing() {
      let cancel = () => {};
      const again = () => {
        cancel = clock.after(RENEW_MS, () => {
          // What cannot be renewed goes stale, which `isMine` tells in time.
          void isMine()
            .then((mine) => (mine ? files.write(lock, mark) : undefined))
            .then(again, () => {});
        });
      };
      again();
      return () => cancel();
    },
    async release() {
      if (await isMine()) await remove(lock);
    },
  };
}
