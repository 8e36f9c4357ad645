// Looks for processes that have ended, and lets their runs be continued.
import { getErrorMessage } from '../../base/index.ts';
import type { Cancel, Clock, Database, Log, RunWorkflows } from '../../contracts/index.ts';

export interface NodeWatchOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly workflows: Pick<RunWorkflows, 'recover'>;
  /** Continues the runs that have no record, for example because the connection was lost at its end. */
  continueAbandoned?(): Promise<void>;
  readonly intervalMs: number;
}

const LIST_ALIVE = 'select id from parley.holders where expires_at > clock_timestamp()';

export class NodeWatch {
  readonly #options: NodeWatchOptions;
  #cancel: Cancel = () => {};
  #isStopped = false;
  #checking: Promise<void> = Promise.resolve();

  constructor(options: NodeWatchOptions) {
    this.#options = options;
  }

  start(): void {
    const { clock, intervalMs } = this.#options;
    this.#cancel = clock.after(intervalMs, () => {
      this.#checking = this.check().finally(() => {
        if (!this.#isStopped) this.start();
      });
    });
  }

  /** Never rejects: the database may be restarting. */
  async check(): Promise<void> {
    const { database, workflows, log, continueAbandoned } = this.#options;
    try {
      const rows = await database.query<{ id: string }>(LIST_ALIVE);
      const alive = new Set(rows.map(({ id }) => id));
      const count = await workflows.recover((id) => alive.has(id));
      if (count > 0) log('runs of ended processes are continued', { count });
      await continueAbandoned?.();
    } catch (thrown) {
      log('the other nodes cannot be checked', { error: getErrorMessage(thrown) });
    }
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    await this.#checking;
  }
}
