// The store's door: one writer for one session file, across processes. Must not know what is in the file.
import { Fault, systemCode } from '../base/fault.ts';
import { isRecord } from '../base/json.ts';
import type { Clock, Files, OpenFile } from '../contracts/ports.ts';
import { removeIfThere, writeWhole } from './disk.ts';
import { lockFile } from './places.ts';

/** A process, told apart from later ones that get the same number. */
export interface ProcessId {
  readonly pid: number;
  /** In whatever unit the system counts; absent where it does not say. */
  readonly startTime?: number | undefined;
  readonly host: string;
}

export interface ProcessIdentity {
  readonly self: ProcessId;
  /** Whether a process of this host still runs. Without a start time, any process with that number counts. */
  isAlive(pid: number, startTime: number | undefined): Promise<boolean>;
}

export interface Lock {
  /** Never rejects; a lock that cannot be removed is taken over when this process has ended. */
  release(): Promise<void>;
}

export interface Locks {
  /** Throws a Fault that names the holder. */
  take(sessionFile: string): Promise<Lock>;
}

interface LockOptions {
  readonly files: Files;
  readonly clock: Clock;
  readonly identity: ProcessIdentity;
}

/** Nobody takes longer from making a lock to writing a name into it. */
const NAMELESS_MS = 5000;
const MOST_ATTEMPTS = 20;
const MOST_CLAIMS = 3;

type Holder = ProcessId | { readonly sinceMs: number };

export function createLocks({ files, clock, identity }: LockOptions): Locks {
  const text = () => `${JSON.stringify(identity.self)}\n`;
  /** Locks that are ours by name but hold nothing, because removing them failed. */
  const leftovers = new Set<string>();

  /** Made with nobody else's help: `false` when it is there already. */
  async function make(path: string): Promise<boolean> {
    let file: OpenFile;
    try {
      file = await files.open(path, 'create', { mode: 0o600 });
    } catch (error) {
      if (systemCode(error) === 'EEXIST') return false;
      throw error;
    }
    const name = Buffer.from(text());
    try {
      await writeWhole(file, name);
    } catch (error) {
      await discard(path);
      throw error;
    } finally {
      await file.close().catch(() => {});
    }
    return true;
  }

  /** `undefined` when there is no lock any more. */
  async function holderOf(path: string): Promise<Holder | undefined> {
    const info = await files.info(path, { follow: false });
    if (!info) return undefined;
    try {
      const holder: unknown = JSON.parse(String(Buffer.from(await files.read(path, { start: 0, length: 4096 }))));
      if (isProcessId(holder)) return holder;
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return undefined;
      if (!(error instanceof SyntaxError)) throw error;
    }
    return { sinceMs: info.modifiedMs };
  }

  async function isStale(holder: Holder): Promise<boolean> {
    if (!('pid' in holder)) return clock.now() - holder.sinceMs > NAMELESS_MS;
    // What runs on another machine cannot be seen from here.
    return holder.host === identity.self.host && !(await identity.isAlive(holder.pid, holder.startTime));
  }

  /**
   * A stale lock may be replaced only by whoever holds the lock's own lock, and only if it is still stale then; the claim
   * itself becomes the lock, in one step. So of many who find a stale lock, one gets it.
   */
  async function take(path: string, sessionFile: string, claims: number): Promise<void> {
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
      if (leftovers.has(path)) await discard(path);
      if (await make(path)) return;
      const holder = await holderOf(path);
      if (!holder) continue;
      if (claims === MOST_CLAIMS || !(await isStale(holder))) throw inUse(sessionFile, holder);
      await take(claimOn(path), sessionFile, claims + 1);
      if (await replaceStale(path)) return;
    }
    throw new Fault('busy', `Session is being opened by others all the time: ${sessionFile}. Try again.`);
  }

  /** To be called by the holder of the claim, which is given up in any case. */
  async function replaceStale(path: string): Promise<boolean> {
    let replaced = false;
    try {
      const holder = await holderOf(path);
      if (!holder || !(await isStale(holder))) return false;
      await files.rename(claimOn(path), path);
      replaced = true;
    } finally {
      if (!replaced) await discard(claimOn(path));
    }
    return true;
  }

  /** Somebody may have removed our lock by hand and another process made its own: that one stays. */
  async function discard(path: string): Promise<void> {
    try {
      const holder = await holderOf(path);
      if (holder && (!('pid' in holder) || isSame(holder, identity.self))) await removeIfThere(files, path);
      leftovers.delete(path);
    } catch {
      leftovers.add(path);
    }
  }

  return {
    async take(sessionFile) {
      const path = lockFile(sessionFile);
      await take(path, sessionFile, 0);
      return { release: () => discard(path) };
    },
  };
}

function claimOn(path: string): string {
  return `${path}.claim`;
}

function isSame(one: ProcessId, other: ProcessId): boolean {
  return one.pid === other.pid && one.startTime === other.startTime && one.host === other.host;
}

function isProcessId(value: unknown): value is ProcessId {
  return isRecord(value) && typeof value.pid === 'number' && typeof value.host === 'string';
}

function inUse(sessionFile: string, holder: Holder): Fault {
  const lock = lockFile(sessionFile);
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
