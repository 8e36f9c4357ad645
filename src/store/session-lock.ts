// Lock files that allow one writer per session file, across processes.
import { Fault, getSystemErrorCode } from '../base/fault.ts';
import { isRecord } from '../base/json.ts';
import type { Clock, Files, OpenFile } from '../contracts/ports.ts';
import type { ProcessId, ProcessIdentity } from '../contracts/process-identity.ts';
import { removeIfExists, writeFully } from './file-operations.ts';
import { getLockPath } from './session-paths.ts';

export interface Lock {
  /** Never rejects. A lock that could not be removed is stale after this process has ended. */
  release(): Promise<void>;
}

export interface SessionLocks {
  /** Throws a Fault that names the holder. */
  acquire(sessionFile: string): Promise<Lock>;
}

interface LockOptions {
  readonly files: Files;
  readonly clock: Clock;
  readonly identity: ProcessIdentity;
}

/** A lock file without an owner is stale after this time. Writing the owner never takes longer. */
const UNNAMED_LOCK_TIMEOUT_MS = 5000;
const MAX_LOCK_ATTEMPTS = 20;
const MAX_CLAIMS = 3;

type LockHolder = ProcessId | { readonly sinceMs: number };

export function createSessionLocks(options: LockOptions): SessionLocks {
  const lockFiles = new LockFiles(options);
  return {
    async acquire(sessionFile) {
      const path = getLockPath(sessionFile);
      await lockFiles.acquire(path, sessionFile, 0);
      return { release: () => lockFiles.removeOwn(path) };
    },
  };
}

class LockFiles {
  readonly #options: LockOptions;
  /** Lock files of this process that are released but could not be removed. */
  readonly #unremoved = new Set<string>();

  constructor(options: LockOptions) {
    this.#options = options;
  }

  /**
   * A stale lock may be replaced only by the process that holds the claim (a lock on the lock file), and only if it is still
   * stale then. The claim file is renamed to the lock file atomically. So only one of several processes gets a stale lock.
   */
  async acquire(path: string, sessionFile: string, claims: number): Promise<void> {
    for (let attempt = 0; attempt < MAX_LOCK_ATTEMPTS; attempt += 1) {
      if (this.#unremoved.has(path)) await this.removeOwn(path);
      if (await this.#tryCreate(path)) return;
      const holder = await readHolder(this.#options.files, path);
      if (!holder) continue;
      if (claims === MAX_CLAIMS || !(await isStale(this.#options, holder))) throw createInUseFault(sessionFile, holder);
      await this.acquire(getClaimPath(path), sessionFile, claims + 1);
      if (await this.#replaceStale(path)) return;
    }
    throw new Fault('busy', `Cannot lock session ${sessionFile}: other processes keep opening it. Try again.`);
  }

  /** A user may have deleted our lock file, and another process may have created its own. That one is not removed. */
  async removeOwn(path: string): Promise<void> {
    const { files, identity } = this.#options;
    try {
      const holder = await readHolder(files, path);
      if (holder && (!('pid' in holder) || isSameProcess(holder, identity.self))) await removeIfExists(files, path);
      this.#unremoved.delete(path);
    } catch {
      this.#unremoved.add(path);
    }
  }

  /** Creates the file exclusively. Returns false when it exists. */
  async #tryCreate(path: string): Promise<boolean> {
    const { files, identity } = this.#options;
    let file: OpenFile;
    try {
      file = await files.open(path, 'create', { mode: 0o600 });
    } catch (error) {
      if (getSystemErrorCode(error) === 'EEXIST') return false;
      throw error;
    }
    const owner = Buffer.from(`${JSON.stringify(identity.self)}\n`);
    try {
      await writeFully(file, owner);
    } catch (error) {
      await this.removeOwn(path);
      throw error;
    } finally {
      await file.close().catch(() => {});
    }
    return true;
  }

  /** Call only while holding the claim. The claim is released in any case. */
  async #replaceStale(path: string): Promise<boolean> {
    const { files } = this.#options;
    let replaced = false;
    try {
      const holder = await readHolder(files, path);
      if (!holder || !(await isStale(this.#options, holder))) return false;
      await files.rename(getClaimPath(path), path);
      replaced = true;
    } finally {
      if (!replaced) await this.removeOwn(getClaimPath(path));
    }
    return true;
  }
}

/** Returns `undefined` when the lock file no longer exists. */
async function readHolder(files: Files, path: string): Promise<LockHolder | undefined> {
  const info = await files.info(path, { follow: false });
  if (!info) return undefined;
  try {
    const holder: unknown = JSON.parse(String(Buffer.from(await files.read(path, { start: 0, length: 4096 }))));
    if (isProcessId(holder)) return holder;
  } catch (error) {
    if (getSystemErrorCode(error) === 'ENOENT') return undefined;
    if (!(error instanceof SyntaxError)) throw error;
  }
  return { sinceMs: info.modifiedMs };
}

async function isStale({ clock, identity }: LockOptions, holder: LockHolder): Promise<boolean> {
  if (!('pid' in holder)) return clock.now() - holder.sinceMs > UNNAMED_LOCK_TIMEOUT_MS;
  // Processes of another host cannot be checked.
  return holder.host === identity.self.host && !(await identity.isAlive(holder.pid, holder.startTime));
}

function getClaimPath(path: string): string {
  return `${path}.claim`;
}

function isSameProcess(one: ProcessId, other: ProcessId): boolean {
  return one.pid === other.pid && one.startTime === other.startTime && one.host === other.host;
}

function isProcessId(value: unknown): value is ProcessId {
  return isRecord(value) && typeof value.pid === 'number' && typeof value.host === 'string';
}

function createInUseFault(sessionFile: string, holder: LockHolder): Fault {
  const lock = getLockPath(sessionFile);
  if (!('pid' in holder)) {
    return new Fault('refused', `Session is being opened by another process: ${sessionFile}. Try again in a moment.`);
  }
  return new Fault(
    'refused',
    `Session is in use by process ${holder.pid} on ${holder.host}: ${sessionFile}. ` +
      `Close it there first; if that process is gone, remove ${lock}.`,
    { details: { pid: holder.pid, host: holder.host, lock } },
  );
}
