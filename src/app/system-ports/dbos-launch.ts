// Loads DBOS, which users install only if they need it, and starts it. One instance for each process.
import { Fault, getErrorMessage, getSystemErrorCode } from '../../base/index.ts';
import type { Clock, Database, Log } from '../../contracts/index.ts';
import { withNamedLease } from '../../store/postgres/named-lease.ts';
import { createDbosPool } from './dbos-pool.ts';

export interface DbosContext {
  readonly url: string;
  readonly database: Database;
  /** Unique for each start of a process. */
  readonly executorId: string;
  readonly clock: Clock;
  readonly log: Log;
}

export type Dbos = typeof import('@dbos-inc/dbos-sdk');

export const DBOS_SCHEMA = 'dbos';
/** Of the processes that migrate the tables of DBOS or recover workflows at the same time, one works. */
const LAUNCH_LEASE = { name: 'dbos-launch', expiresMs: 60_000 };
/** Recovering takes milliseconds. When a process ends meanwhile, the others wait so long. */
const RECOVERY_LEASE = { name: 'dbos-recovery', expiresMs: 3000 };
const LEASE_POLL_MS = 100;
/** One connection waits for notifications. */
const POOL_SIZE = 4;
/** After so many attempts, work that ends its process each time is not tried again. */
export const MAX_ATTEMPTS = 10;

/** Between two attempts of a call while the database cannot be reached. */
const MAX_BACKOFF_S = 1;

/** `user` is what needs it. */
export async function loadDbos(user: string): Promise<Dbos> {
  try {
    const sdk = await import('@dbos-inc/dbos-sdk');
    const { dbRetryConfig } = await import('@dbos-inc/dbos-sdk/internal/utils');
    // By default, a call that has met a restart of the database may wait for more than a minute, and a takeover with it.
    dbRetryConfig.maxBackoffSec = MAX_BACKOFF_S;
    return sdk;
  } catch (cause) {
    const code = getSystemErrorCode(cause);
    if (code !== 'ERR_MODULE_NOT_FOUND' && code !== 'MODULE_NOT_FOUND') throw cause;
    const message = `${user} needs the package @dbos-inc/dbos-sdk. Install it beside parley-agent: npm install @dbos-inc/dbos-sdk`;
    throw new Fault('config', message, { cause });
  }
}

/** Given in the address, because the driver of DBOS prints a warning when it is set with a statement. */
export function addDbosOptions(url: string): string {
  const changed = new URL(url);
  if (!changed.searchParams.has('options'))
    changed.searchParams.set('options', '-c idle_in_transaction_session_timeout=60000');
  return changed.href.replaceAll('+', '%20');
}

/** Nothing is written to stdout and stderr. */
export function createDbosLogger(log: Log) {
  const report = (level: string) => (entry: unknown) => log(`DBOS ${level}`, { message: getErrorMessage(entry) });
  const ignore = () => {};
  return { info: ignore, debug: ignore, warn: report('warning'), error: report('error') };
}

export interface DbosLaunch {
  /** Processes of one application take each other's workflows. */
  readonly application: string;
  readonly version: string;
  readonly queues: readonly string[];
  /** Called after the launch, while no other process launches. */
  registerQueues(): Promise<void>;
}

/** The workflows must be registered before. Returns a function that ends DBOS. */
export async function launchDbos(
  DBOS: Dbos['DBOS'],
  context: DbosContext,
  { application, version, queues, registerQueues }: DbosLaunch,
): Promise<() => Promise<void>> {
  const { url, executorId, log } = context;
  const systemUrl = addDbosOptions(url);
  const connections = createDbosPool({ url: systemUrl, applicationName: 'parley runs', size: POOL_SIZE, log });
  DBOS.setConfig({
    name: application,
    applicationVersion: version,
    executorID: executorId,
    systemDatabaseUrl: systemUrl,
    systemDatabasePool: connections.pool,
    systemDatabaseSchemaName: DBOS_SCHEMA,
    useListenNotify: true,
    listenQueues: [...queues],
    logger: createDbosLogger(log),
  });
  try {
    await withLaunchLease(context, async () => {
      await connections.withoutTimeout(() => DBOS.launch());
      await registerQueues();
    });
  } catch (problem) {
    await connections.close().catch(() => {});
    throw problem;
  }
  return async () => {
    await DBOS.shutdown();
    await connections.close();
  };
}

/** Two processes that migrate the tables at the same time deadlock. */
export async function withLaunchLease(
  { database, clock, executorId }: Omit<DbosContext, 'url' | 'log'>,
  act: () => Promise<void>,
): Promise<void> {
  while (!(await withNamedLease(database, { ...LAUNCH_LEASE, owner: executorId }, act)))
    await clock.sleep(LEASE_POLL_MS);
}

/** Recovery does not check who executes a workflow, so only one process may do it at a time. Returns 0 if another one does. */
export async function withRecoveryLease(
  { database, executorId }: Pick<DbosContext, 'database' | 'executorId'>,
  act: () => Promise<number>,
): Promise<number> {
  return (await withNamedLease(database, { ...RECOVERY_LEASE, owner: executorId }, act))?.result ?? 0;
}
