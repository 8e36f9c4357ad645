// The sessions of one tenant, as a node of a fleet uses them.
import type { AgentSession, RunReference } from '../../contracts/index.ts';
import type { PostgresStorage } from '../../store/postgres/postgres-store.ts';

export interface NodeTenant {
  readonly postgres: PostgresStorage;
  /** Opens the session if necessary. */
  findSession(run: RunReference): Promise<AgentSession>;
  /** Asks the process that has the session open to continue its run. Resolves when it has accepted that. */
  continueElsewhere(run: RunReference): Promise<void>;
  /** Closes the session: another process writes to it now. */
  closeLost(run: RunReference): void;
}
