// Finds stored sessions of all working directories.
import type { SessionPage, SessionQuery, SessionSummary } from './session-store.ts';

export interface SessionIndex {
  /** Newest first. */
  list(): Promise<readonly SessionSummary[]>;
  search(query: SessionQuery): Promise<SessionPage>;
  /** Finds one session by its path or the beginning of its id. Throws a Fault when there is none or more than one. */
  locate(reference: string): Promise<SessionSummary>;
  /** The path of the session with exactly this id. */
  find(id: string): Promise<string | undefined>;
  /** The working directory of the stored session. */
  readDirectory(path: string): Promise<string | undefined>;
  /** The text of a file that belongs to the session. */
  readSidecar(path: string, name: string): Promise<string | undefined>;
  /** Moves a session to another working directory. Returns its new path. */
  move(path: string, cwd: string): Promise<string>;
  remove(path: string): Promise<void>;
}
