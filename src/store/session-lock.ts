// Lock files that allow one writer per session file, across processes.
import { Fault, getSystemErrorCode } from '../base/fault.ts';
import { isRecord } from '../base/json.ts';
import type { Clock, Files } from '../contracts/ports.ts';
import type { ProcessId, ProcessIdentity } from '../contracts/process-identity.ts';
import { LockFiles } from '../support/lock-file.ts';
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

type LockHolder = ProcessId | { readonly sinceMs: number };

export function createSessionLocks(options: LockOptions): SessionLocks {
  const { files, identity } = options;
  const lockFiles = new LockFiles<LockHolder>(files, {
    text: `${JSON.stringify(identity.self)}\n`,
    async inspect(path) {
      const holder = await readHolder(files, path);
      return holder && { holder, isStale: await isStale(options, holder) };
    },
    async isOwn(path) {
      const holder = await readHolder(files, path);
      return holder !== undefined && (!('pid' in holder) || isSameProcess(holder, identity.self));
    },
  });
  return {
    async acquire(sessionFile) {
      const path = getLockPath(sessionFile);
      const outcome = await lockFiles.acquire(path);
      if (outcome === 'contended') {
        throw new Fault('busy', `Cannot lock session ${sessionFile}: other processes keep opening it. Try again.`);
      }
      if (outcome !== 'acquired') throw createInUseFault(sessionFile, outcome.holder);
      return { release: () => lockFiles.removeOwn(path) };
    },
  };
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

function isSameProcess(one: ProcessId, other: ProcessId): boolean {
  return one.pid === other.pid && one.startTime === other.startTime && one.host === other.host;
}

function isProcessId(value: unknown): value is ProcessId {
  return isRecord(value) && typeof value.pid === 'number' && typeof value.host === 'string';
}

function createInUseFault(sessionFile: string, holder: LockHolder): Fault {
  const lock = getLockPath(sessionFile);
  if (!('pid' in holder)) {
    return new Fault('refused', `Session is being opened by another process: ${sessionFile}. Try again in a moment.`, {
      details: { reason: 'in_use' },
    });
  }
  return new Fault(
    'refused',
    `Session is in use by process ${holder.pid} on ${holder.host}: ${sessionFile}. ` +
      `Close it there first; if that process is gone, remove ${lock}.`,
    { details: { reason: 'in_use', pid: holder.pid, host: holder.host, lock } },
  );
}
