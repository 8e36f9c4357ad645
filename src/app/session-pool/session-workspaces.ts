// What a session pool needs from code that gives sessions their own working copies of repositories.
import type { AgentSession, Hooks } from '../../contracts/index.ts';

export interface WorkspaceRequest {
  /** Absent: a new session, whose id is chosen. */
  readonly sessionId: string | undefined;
  /** The stored session with this id, if there is one. */
  readonly path: string | undefined;
  /** A session that the new one continues or copies. */
  readonly source: string | undefined;
  /** The working directory that was asked for. */
  readonly cwd: string | undefined;
  /** That of the program. */
  readonly defaultCwd: string;
  readonly repository: string | undefined;
  readonly commit: string | undefined;
}

/** The workspace of one session, while it is open. */
export interface SessionWorkspace {
  readonly sessionId: string;
  /** The working directory of the session. */
  readonly cwd: string;
  readonly hooks: Hooks;
  /** Stores where the files are, and saves them from now on. Called when the session is open. */
  attach(session: AgentSession): Promise<void>;
  /** Saves the work in progress. Called before the session is closed. Never rejects. */
  close(): Promise<void>;
  /** The session could not be opened. */
  discard(): Promise<void>;
}

export interface SessionWorkspaces {
  /** `undefined` if the session works in an ordinary directory. */
  prepare(request: WorkspaceRequest): Promise<SessionWorkspace | undefined>;
  /** Throws a Fault if the session has a workspace, because that cannot be moved to another directory. */
  checkMove(path: string): Promise<void>;
  /** Removes what is left of the session. The result is called when the session itself was deleted. */
  prepareRemoval(path: string): Promise<() => Promise<void>>;
}
