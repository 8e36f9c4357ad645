// Lock file that lets one process at a time write a small shared file.
import { Fault } from '../base/index.ts';
import type { Clock, Files, IdGenerator } from '../contracts/index.ts';
import { LockFiles, type LockOwner } from './lock-file.ts';

export interface FileLockPorts {
  files: Files;
  clock: Clock;
  ids: Pick<IdGenerator, 'uuid'>;
}

/** Throws a Fault when another process has taken over the lock, for example while the machine was asleep. */
export type AssertLockHeld = () => Promise<void>;

/** A lock file older than this is stale. A live holder renews it every RENEW_MS. */
const STALE_MS = 10_000;
const RENEW_MS = STALE_MS / 4;
const TIMEOUT_MS = 30_000;
const INITIAL_RETRY_MS = 5;
const MAX_RETRY_MS = 100;

/** Runs `action` while holding the lock file next to `path`. Throws a Fault when the lock cannot be acquired in time. */
export async function withFileLock<T>(
  ports: FileLockPorts,
  path: string,
  action: (assertLockHeld: AssertLockHeld) => Promise<T>,
): Promise<T> {
  const lockPath = `${path}.lock`;
  const owner = createOwner(ports);
  const lockFiles = new LockFiles(ports.files, owner);
  const deadline = ports.clock.now() + TIMEOUT_MS;
  let retryMs = INITIAL_RETRY_MS;
  while ((await lockFiles.acquire(lockPath)) !== 'acquired') {
    if (ports.clock.now() > deadline) {
      throw new Fault('busy', `${path} is being written by another process. If there is none, remove ${lockPath}.`);
    }
    await ports.clock.sleep(retryMs);
    retryMs = Math.min(retryMs * 1.5, MAX_RETRY_MS);
  }
  const stopRenewing = startRenewing(ports, lockPath, owner);
  try {
    return await action(async () => {
      if (await owner.isOwn(lockPath)) return;
      throw new Fault('busy', `${path} was taken over by another process. Try again.`);
    });
  } finally {
    await stopRenewing();
    await lockFiles.removeOwn(lockPath);
  }
}

/** One owner for each call: one process may call `withFileLock` several times at once. */
function createOwner({ files, clock, ids }: FileLockPorts): LockOwner<undefined> {
  const text = ids.uuid();
  return {
    text,
    async inspect(path) {
      // Read the clock before the stat call: a delay of this process in between must not make the lock look stale.
      const now = clock.now();
      const info = await files.info(path);
      return info && { holder: undefined, isStale: now - info.modifiedMs > STALE_MS };
    },
    async isOwn(path) {
      const contents = await files.read(path).catch(() => undefined);
      return contents !== undefined && Buffer.from(contents).equals(Buffer.from(text));
    },
  };
}

/** Returns a function that stops the renewal. It waits for a renewal in progress, which would create the removed file again. */
function startRenewing(
  { files, clock }: FileLockPorts,
  path: string,
  owner: LockOwner<undefined>,
): () => Promise<void> {
  let cancelTimer = () => {};
  let renewal = Promise.resolve();
  let isStopped = false;
  const renew = async () => {
    const isOwn = await owner.isOwn(path);
    if (isStopped) return;
    if (isOwn) await files.write(path, new TextEncoder().encode(owner.text));
    if (!isStopped) scheduleRenewal();
  };
  const scheduleRenewal = () => {
    cancelTimer = clock.after(RENEW_MS, () => {
      // If renewal fails the lock becomes stale, and `isOwn` returns false after a takeover.
      renewal = renew().catch(() => {});
    });
  };
  scheduleRenewal();
  return () => {
    isStopped = true;
    cancelTimer();
    return renewal;
  };
}
