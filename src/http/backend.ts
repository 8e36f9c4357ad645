// What the HTTP API needs of the program: running commands, following events, and reading files of sessions.
import type { Fault } from '../base/index.ts';
import type { Disposition, Transport } from '../contracts/index.ts';
import type { ClientAccess, PromptOutcome, UiAnswer, UiRequest } from '../protocol/index.ts';

/** Who sends a request. */
export interface Caller {
  /** The name of the client, as in the `client` field of events. */
  readonly name: string;
  readonly access: ClientAccess;
  /** The name of the token. */
  readonly token: string;
  /** Whose sessions the token can use. Absent: those of the server itself. */
  readonly tenant?: string | undefined;
  readonly remoteAddress: string;
}

export interface BackendCall {
  readonly caller: Caller;
  readonly command: string;
  readonly params: unknown;
  /** Opened if necessary. Absent for commands that need no session. */
  readonly sessionId?: string | undefined;
  /** Wait for the end of the work, not only until it is accepted. */
  readonly shouldWait: boolean;
}

export type BackendReply =
  | { readonly status: 'accepted'; readonly disposition?: Disposition | undefined }
  | { readonly status: 'settled'; readonly result: unknown; readonly outcome?: PromptOutcome | undefined }
  | { readonly status: 'failed'; readonly fault: Fault };

/** Parameters of a connection, as they are in the URL. */
export interface ConnectionParams {
  readonly dialect?: string | undefined;
  readonly session?: string | undefined;
  readonly after?: string | undefined;
  readonly stream?: string | undefined;
  readonly cwd?: string | undefined;
}

/** Why a connection is ended, with the code for WebSockets. */
export interface ConnectionEnd {
  readonly code: number;
  readonly reason: string;
}

export interface ClientConnection {
  readonly transport: Transport;
  readonly caller: Caller;
  readonly params: ConnectionParams;
  close(end: ConnectionEnd): void;
}

export interface SessionDetails {
  readonly sessionId: string;
  readonly isOpen: boolean;
  /** The sequence number of the newest event; null when the session is not open. */
  readonly seq: number | null;
  readonly clients: readonly string[];
  readonly [field: string]: unknown;
}

/** `waiting`: a question of the agent has no answer. `interrupted`: the program was killed during the last run. */
export type SessionActivity = 'running' | 'waiting' | 'interrupted' | 'idle';

export interface PageFile {
  readonly bytes: Uint8Array;
  readonly contentType: string;
  /** The name contains a hash of the content. */
  readonly isImmutable: boolean;
}

/** The sessions that a client can use. */
export interface SessionBackend {
  call(call: BackendCall): Promise<BackendReply>;
  /** Serves a connection until it ends. Rejects with a Fault when it is refused. */
  serveConnection(connection: ClientConnection): Promise<void>;
  describeSession(id: string): Promise<SessionDetails>;
  /** What those of these sessions that are open are doing, by id. */
  listActivities(ids: readonly string[]): Promise<ReadonlyMap<string, SessionActivity>>;
  listDialogs(sessionId: string): Promise<readonly UiRequest[]>;
  /** Returns false when no dialog with this id is open. */
  answerDialog(sessionId: string, requestId: string, answer: UiAnswer, caller: Caller): Promise<boolean>;
  /** The session as one HTML page. */
  exportSession(sessionId: string, options: { readonly branchOnly: boolean }): Promise<string>;
}

export interface HttpBackend {
  /** The names of the parameters of `start_session`. */
  readonly sessionFields: readonly string[];
  /** The sessions of the tenant of the caller. */
  getSessions(caller: Caller): Promise<SessionBackend>;
  readPageFile(path: string): Promise<PageFile | undefined>;
  readOpenApi(): Promise<string>;
  renderMetrics(): Promise<string>;
  getHealth(): Record<string, unknown>;
}
