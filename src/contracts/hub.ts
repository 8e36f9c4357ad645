// Ground floor: the sessions of one process, as the server sees them.
import type { AgentEvent } from '../protocol/index.ts';
import type { Desk } from './desk.ts';
import type { HostUi } from './host-ui.ts';
import type { Logins } from './logins.ts';
import type { AgentSession } from './session.ts';

/** Like a session's own listener, for many sessions. */
export type HubListener = (event: AgentEvent, session: AgentSession) => void | Promise<void>;

export interface SessionHub {
  /** The one with this id; without an id the only one. Throws a Fault when there is none. */
  session(id?: string): AgentSession;
  /** A host has connected: it hears every event, and questions can be put to it. Returns the farewell. */
  connect(listener: HubListener, uiFor: (session: AgentSession) => HostUi): () => void;
  /** The host that is connected, if one can be asked. */
  readonly ui: HostUi | undefined;
  /** What may be asked of the process itself, where it can have more than one session. */
  readonly desk?: Desk | undefined;
  /** Absent where there is a desk. */
  readonly logins?: Logins | undefined;
  /** The host has no more to say, so that nobody can answer it either. */
  hostGone?(): void;
  /** Somebody inside wants the process to end when nothing is under way any more. */
  leave(): void;
  readonly leaving: Promise<void>;
  /** Every session is idle with nothing automatic left. */
  settled(): Promise<void>;
  /** Reports every accepted message that was not run; see Queues.reportNotRun. */
  reportNotRun(cause: string): void;
  /** Aborts every run and waits for its last event. */
  abort(): Promise<void>;
  close(): Promise<void>;
}
