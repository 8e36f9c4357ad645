// Finds the runs of nodes that have ended for which there is no workflow, and continues them.
import type { RunReference, RunWorkflows } from '../../contracts/index.ts';
import type { PostgresStorage } from '../../store/postgres/postgres-store.ts';

export interface AbandonedRunsOptions {
  readonly workflows: Pick<RunWorkflows, 'start'>;
  /** Time for the workflow of a run to be recovered. */
  readonly graceMs: number;
  continueRun(run: RunReference): Promise<void>;
}

/** Only runs of nodes: those of other processes are continued when a user asks for it. */
const LIST = `select session.id from parley.sessions as session join parley.holders as holder on holder.id = session.holder
  where session.tenant = $1 and session.is_run_of_node
    and holder.expires_at < clock_timestamp() - $2 * interval '1 millisecond'`;

export class AbandonedRuns {
  readonly #options: AbandonedRunsOptions;
  readonly #continuing = new Set<string>();

  constructor(options: AbandonedRunsOptions) {
    this.#options = options;
  }

  /** If there is a workflow after all, one of both finds the session in use by the other. */
  async continueAll({ database, tenant }: Pick<PostgresStorage, 'database' | 'tenant'>): Promise<void> {
    const { workflows, graceMs, continueRun } = this.#options;
    const rows = await database.tenantTransaction(tenant, (connection) =>
      connection.query<{ id: string }>(LIST, [tenant, graceMs]),
    );
    for (const { id: sessionId } of rows) {
      const run = { tenant, sessionId };
      const key = JSON.stringify([tenant, sessionId]);
      if (this.#continuing.has(key)) continue;
      this.#continuing.add(key);
      await workflows.start(run, () => continueRun(run).finally(() => this.#continuing.delete(key)));
    }
  }
}
