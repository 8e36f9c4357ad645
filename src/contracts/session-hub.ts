// The sessions of one process, for the server.
import type { AgentEvent, Model } from '../protocol/index.ts';
import type { AgentSession } from './agent-session.ts';
import type { HostUi } from './host-ui.ts';
import type { ProviderAuth } from './provider-auth.ts';
import type { SessionPool, UserSettings } from './session-pool.ts';

/** Like `EventListener`, for many sessions. */
export type HubListener = (event: AgentEvent, session: AgentSession) => void | Promise<void>;

export interface SessionHub {
  /** The session with this id; without an id the only session. Throws a Fault when there is none. */
  getSession(id?: string): AgentSession;
  /**
   * Connects a host: it receives all events and UI requests. `onLost` is called with a session that was closed to be opened again, and
   * could not be opened. Returns a function that disconnects the host.
   */
  connect(
    listener: HubListener,
    createUi: (session: AgentSession) => HostUi,
    onLost?: (session: AgentSession) => void,
  ): () => void;
  /** UI of the connected host, if there is one. */
  readonly ui: HostUi | undefined;
  /** Present in dialects with many sessions. */
  readonly pool?: SessionPool | undefined;
  /** Present in dialects with many sessions. */
  readonly userSettings?: UserSettings | undefined;
  /** Absent when the process has no credentials of its own, for example in tests. */
  readonly auth?: ProviderAuth | undefined;
  /** The models that can be used now. */
  listModels(): Promise<readonly Model[]>;
  /** The host has closed its input: it cannot answer any more. */
  handleHostClosed?(): void;
  /** Requests that the process ends when all sessions have settled, for example by an extension. */
  requestExit(): void;
  readonly exitRequested: Promise<void>;
  /** Resolves when all sessions are idle and nothing automatic follows. */
  waitUntilSettled(): Promise<void>;
  /** Reports every accepted message that was not run; see Queues.reportNotRun. */
  reportNotRun(cause: string): void;
  /** Aborts all runs and waits for their last events. */
  abort(): Promise<void>;
  close(): Promise<void>;
}
