// Looks for processes that have ended, and lets their runs be continued.
import { Fault, getErrorMessage } from '../../base/index.ts';
import type { Cancel, Clock, Database, Log, RunWorkflows } from '../../contracts/index.ts';
import { waitAtMost } from '../../support/wait-at-most.ts';

export interface NodeWatchOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly workflows: Pick<RunWorkflows, 'recover'>;
  /** Continues the runs that have no record, for example because the connection was lost at its end. */
  continueAbandoned?(): Promise<void>;
  readonly intervalMs: number;
  /** After this time without an answer, a step counts as failed. Default: 5 seconds. */
  readonly stepTimeoutMs?: number;
}

/**
 * So many times the runs of ended processes are looked for after one has ended, and it takes so many intervals until they are looked for
 * without that: a look reads all runs in progress, and each node would do it in each interval.
 */
const LOOKS = 10;
const LIST_ALIVE = 'select id from parley.holders where expires_at > clock_timestamp()';
const STEP_TIMEOUT_MS = 5000;

export class NodeWatch {
  readonly #options: NodeWatchOptions;
  #cancel: Cancel = () => {};
  #isStopped = false;
  #checking: Promise<void> = Promise.resolve();
  #alive: ReadonlySet<string> = new Set();
  /** Processes may have ended before this one was started. */
  #looksLeft = LOOKS;
  #intervalsWithoutLook = 0;

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

  /** Never rejects: the database may be restarting. A step that does not end does not prevent the next check. */
  async check(): Promise<void> {
    const { database, log } = this.#options;
    try {
      const rows = await this.#limit('list', database.query<{ id: string }>(LIST_ALIVE));
      const alive = new Set(rows.map(({ id }) => id));
      if ([...this.#alive].some((id) => !alive.has(id))) this.#looksLeft = LOOKS;
      this.#alive = alive;
      this.#intervalsWithoutLook += 1;
      if (this.#looksLeft > 0 || this.#intervalsWithoutLook >= LOOKS) await this.#continueRuns(alive);
    } catch (thrown) {
      log('the other nodes cannot be checked', { error: getErrorMessage(thrown) });
    }
  }

  async #continueRuns(alive: ReadonlySet<string>): Promise<void> {
    const { workflows, log, continueAbandoned } = this.#options;
    const isAlive = (id: string) => alive.has(id);
    const count = await this.#limit('recover', workflows.recover(isAlive));
    if (count > 0) log('runs of ended processes are continued', { count });
    if (continueAbandoned) await this.#limit('continue', continueAbandoned());
    this.#looksLeft = Math.max(0, this.#looksLeft - 1);
    this.#intervalsWithoutLook = 0;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    await this.#checking;
  }

  async #limit<T>(step: string, work: Promise<T>): Promise<T> {
    const { clock, stepTimeoutMs = STEP_TIMEOUT_MS } = this.#options;
    let result: { readonly value: T } | undefined;
    const finished = work.then((value) => {
      result = { value };
    });
    finished.catch(() => {});
    await waitAtMost(clock, stepTimeoutMs, finished);
    if (!result) throw new Fault('timeout', `${step}: no answer after ${stepTimeoutMs / 1000} s`);
    return result.value;
  }
}
