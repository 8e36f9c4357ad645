// Ground floor: the sessions of one process, as the server sees them.
import type { AgentSession, EventListener } from './session.ts';

export interface SessionHub {
  /** The session that a dialect without session ids speaks to. */
  readonly main: AgentSession;
  subscribe(listener: EventListener): () => void;
  /** Every session is idle with nothing automatic left. */
  settled(): Promise<void>;
  close(): Promise<void>;
}
