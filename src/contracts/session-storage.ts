// Where the sessions of a process are stored, if that is not the directory of session files.
import type { SessionIndex } from './session-index.ts';
import type { SessionStore } from './session-store.ts';
import type { Submissions } from './submissions.ts';

export interface SessionStorage {
  /** The store of the sessions of a working directory; of all sessions without one. */
  openStore(cwd?: string): SessionStore;
  /** Finds the sessions of all working directories. */
  readonly index: SessionIndex;
  /** Opened with the first call. */
  openSubmissions?(): Promise<Submissions>;
  /** Called after all logs are closed. */
  close(): Promise<void>;
}
