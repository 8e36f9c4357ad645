// Lock file that lets one process at a time write a small shared file.
import { Fault, getSystemErrorCode } from '../base/index.ts';
import type { Clock, Files, IdGenerator } from '../contracts/index.ts';

export interface FileLockPorts {
  files: Files;
  clock: Clock;
  ids: Pick<IdGenerator, 'uuid'>;
}

/** Whether this process still holds the lock. Another process may have taken it over, for example while the machine was asleep. */
export type IsLockHeld = () => Promise<boolean>;

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
  action: (isLockHeld: IsLockHeld) => Promise<T>,
): Promise<T> {
  const lock = new LockFile(ports, `${path}.lock`);
  const deadline = ports.clock.now() + TIMEOUT_MS;
  let retryMs = INITIAL_RETRY_MS;
  while (!(await lock.acquire())) {
    if (ports.clock.now() > deadline) {
      throw new Fault('busy', `${path} is being written by another process. If there is none, remove ${path}.lock.`);
    }
    await ports.clock.sleep(retryMs);
    retryMs = Math.min(retryMs * 1.5, MAX_RETRY_MS);
  }
  const stopRenewing = lock.startRenewing();
  try {
    return await action(() => lock.isHeld());
  } finally {
    stopRenewing();
    await lock.release();
  }
}

class LockFile {
  readonly #files: Files;
  readonly #clock: Clock;
  readonly #path: string;
  readonly #claimPath: string;
  readonly #ownerId: Uint8Array;

  constructor({ files, clock, ids }: FileLockPorts, path: string) {
    this.#files = files;
    this.#clock = clock;
    this.#path = path;
    this.#claimPath = `${path}.claim`;
    this.#ownerId = new TextEncoder().encode(ids.uuid());
  }

  /** Returns false when another process holds the lock. */
  async acquire(): Promise<boolean> {
    return (await this.#create(this.#path)) || ((await this.#isStale(this.#path)) && (await this.#takeOver()));
  }

  async isHeld(): Promise<boolean> {
    const contents = await this.#files.read(this.#path).catch(() => undefined);
    return contents !== undefined && Buffer.from(contents).equals(this.#ownerId);
  }

  /** Returns a function that stops the renewal. */
  startRenewing(): () => void {
    let cancelTimer = () => {};
    const scheduleRenewal = () => {
      cancelTimer = this.#clock.after(RENEW_MS, () => {
        // If renewal fails the lock becomes stale, and `isHeld` returns false after a takeover.
        void this.isHeld()
          .then((held) => (held ? this.#files.write(this.#path, this.#ownerId) : undefined))
          .then(scheduleRenewal, () => {});
      });
    };
    scheduleRenewal();
    return () => cancelTimer();
  }

  async release(): Promise<void> {
    if (await this.isHeld()) await this.#remove(this.#path);
  }

  /**
   * Only the process that created the claim file, and that still finds the lock stale, renames the claim to the lock (one
   * atomic step). So only one of several processes takes over the lock of a dead process, and no process removes a new lock.
   */
  async #takeOver(): Promise<boolean> {
    if (!(await this.#create(this.#claimPath))) {
      if (await this.#isStale(this.#claimPath)) await this.#remove(this.#claimPath);
      return false;
    }
    if (!(await this.#isStale(this.#path))) {
      await this.#remove(this.#claimPath);
      return false;
    }
    return this.#files.rename(this.#claimPath, this.#path).then(
      () => true,
      // Another process considered our claim stale and removed it.
      (error: unknown) => {
        if (getSystemErrorCode(error) === 'ENOENT') return false;
        throw error;
      },
    );
  }

  /** Returns false when the file already exists. */
  async #create(path: string): Promise<boolean> {
    try {
      const file = await this.#files.open(path, 'create', { mode: 0o600 });
      await file.append(this.#ownerId).finally(() => file.close());
      return true;
    } catch (error) {
      if (getSystemErrorCode(error) === 'EEXIST') return false;
      throw error;
    }
  }

  async #isStale(path: string): Promise<boolean> {
    // Read the clock before the stat call: a delay of this process in between must not make the lock look stale.
    const now = this.#clock.now();
    const info = await this.#files.info(path);
    return info !== undefined && now - info.modifiedMs > STALE_MS;
  }

  async #remove(path: string): Promise<void> {
    await this.#files.remove(path).catch((error: unknown) => {
      if (getSystemErrorCode(error) !== 'ENOENT') throw error;
    });
  }
}
