// Regular work for the database of a fleet that one node does for all.
import { getErrorMessage } from '../../base/index.ts';
import type { Cancel, Clock, Database, Log } from '../../contracts/index.ts';
import { withNamedLease } from '../../store/postgres/named-lease.ts';

export interface HousekeepingOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly holderId: string;
  /** Each returns how many things it has removed. */
  listTasks(): Promise<Readonly<Record<string, () => Promise<number>>>>;
}

const INTERVAL_MS = 3_600_000;
const FIRST_MS = 60_000;
/** The lease is kept nearly until the next time, so that the other nodes do not repeat the work. */
const LEASE_MS = 3_000_000;

/** Returns a function that ends it. */
export function startHousekeeping(options: HousekeepingOptions): () => Promise<void> {
  const { clock } = options;
  let isStopped = false;
  let working: Promise<void> = Promise.resolve();
  let cancel: Cancel = () => {};
  const plan = (ms: number) => {
    cancel = clock.after(ms, () => {
      working = runTasks(options).finally(() => {
        if (!isStopped) plan(INTERVAL_MS);
      });
    });
  };
  plan(FIRST_MS);
  return async () => {
    isStopped = true;
    cancel();
    await working;
  };
}

/** Never rejects: the next time is in an hour. */
export async function runTasks({ database, holderId, listTasks, log }: HousekeepingOptions): Promise<void> {
  const tasks = await listTasks().catch((thrown: unknown) => {
    log('old records were not removed', { error: getErrorMessage(thrown) });
    return {};
  });
  for (const [name, run] of Object.entries(tasks)) {
    try {
      const lease = { name: `housekeeping/${name}`, owner: holderId, expiresMs: LEASE_MS, isKept: true };
      const done = await withNamedLease(database, lease, run);
      if (done && done.result > 0) log('old records were removed', { name, count: done.result });
    } catch (thrown) {
      log('old records were not removed', { name, error: getErrorMessage(thrown) });
    }
  }
}
