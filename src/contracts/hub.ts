// Ground floor: the sessions of one process, as the server sees them.
import type { HostUi } from './host-ui.ts';
import type { AgentSession, EventListener } from './session.ts';

export interface SessionHub {
  /** The session that a dialect without session ids speaks to. */
  readonly main: AgentSession;
  /** A host has connected: it hears every event, and questions can be put to it. Returns the farewell. */
  connect(listener: EventListener, ui: HostUi): () => void;
  /** The host that is connected, if one can be asked. */
  readonly ui: HostUi | undefined;
  /** Somebody inside wants the process to end when nothing is under way any more. */
  leave(): void;
  readonly leaving: Promise<void>;
  /** Every session is idle with nothing automatic left. */
  settled(): Promise<void>;
  /** Aborts every run and waits for its last event. */
  abort(): Promise<void>;
  close(): Promise<void>;
}
