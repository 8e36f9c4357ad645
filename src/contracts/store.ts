// Ground floor: where conversations are kept. Nothing here knows what a file is.
import type { SessionEntry, SessionHeader } from '../protocol/index.ts';

/** One conversation's log. Entries are only ever added. */
export interface SessionLog {
  /** Where it is kept; absent for logs that live in memory only. */
  readonly file: string | undefined;
  /** Resolves when the entries are safe: written and synced. Calls are written in the order they were made. */
  append(entries: readonly SessionEntry[]): Promise<void>;
  close(): Promise<void>;
}

export interface SessionStore {
  /** A new log. Nothing touches the disk before the first append. */
  create(header: SessionHeader): SessionLog;
}
