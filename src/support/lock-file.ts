// Lock files: exclusive creation, and takeover of stale locks by one process only. What makes a lock stale is up to the caller.
import { getSystemErrorCode } from '../base/fault.ts';
import type { Files, OpenFile } from '../contracts/ports.ts';
import { removeIfExists, writeFully } from './file-operations.ts';

export interface LockOwner<Holder> {
  /** The content of lock files of this owner. */
  readonly text: string;
  /** Reads a lock file of any owner. `undefined` when it no longer exists. */
  inspect(path: string): Promise<{ readonly holder: Holder; readonly isStale: boolean } | undefined>;
  /** Whether the file exists and belongs to this owner. */
  isOwn(path: string): Promise<boolean>;
}

/** `contended`: the lock kept changing, although no live holder was found. */
export type LockOutcome<Holder> = 'acquired' | 'contended' | { readonly holder: Holder };

const MAX_ATTEMPTS = 20;
/** A claim is a lock file too, so it has a claim in turn. */
const MAX_CLAIMS = 3;

export class LockFiles<Holder> {
  readonly #files: Files;
  readonly #owner: LockOwner<Holder>;
  /** Lock files of this owner that are released but could not be removed. */
  readonly #unremoved = new Set<string>();

  constructor(files: Files, owner: LockOwner<Holder>) {
    this.#files = files;
    this.#owner = owner;
  }

  /**
   * A stale lock may be replaced only by the process that holds the claim (a lock on the lock file), and only if it is still
   * stale then. The claim file is renamed to the lock file atomically. So only one of several processes gets a stale lock, and
   * no process removes a new lock.
   */
  async acquire(path: string, claims = 0): Promise<LockOutcome<Holder>> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      if (this.#unremoved.has(path)) await this.removeOwn(path);
      if (await this.#tryCreate(path)) return 'acquired';
      const lock = await this.#owner.inspect(path);
      if (!lock) continue;
      if (claims === MAX_CLAIMS || !lock.isStale) return { holder: lock.holder };
      const claim = await this.acquire(getClaimPath(path), claims + 1);
      if (claim !== 'acquired') return claim;
      if (await this.#replaceStale(path)) return 'acquired';
    }
    return 'contended';
  }

  /**
   * Never rejects. A user may have deleted our lock file, and another process may have created its own. That one is not
   * removed.
   */
  async removeOwn(path: string): Promise<void> {
    try {
      if (await this.#owner.isOwn(path)) await removeIfExists(this.#files, path);
      this.#unremoved.delete(path);
    } catch {
      this.#unremoved.add(path);
    }
  }

  /** Creates the file exclusively. Returns false when it exists. */
  async #tryCreate(path: string): Promise<boolean> {
    let file: OpenFile;
    try {
      file = await this.#files.open(path, 'create', { mode: 0o600 });
    } catch (error) {
      if (getSystemErrorCode(error) === 'EEXIST') return false;
      throw error;
    }
    try {
      await writeFully(file, new TextEncoder().encode(this.#owner.text));
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
    const claimPath = getClaimPath(path);
    let replaced = false;
    try {
      const lock = await this.#owner.inspect(path);
      if (!lock?.isStale) return false;
      await this.#files.rename(claimPath, path);
      replaced = true;
    } catch (error) {
      // Another process considered our claim stale and took it over.
      if (getSystemErrorCode(error) !== 'ENOENT') throw error;
    } finally {
      if (!replaced) await this.removeOwn(claimPath);
    }
    return replaced;
  }
}

function getClaimPath(path: string): string {
  return `${path}.claim`;
}
