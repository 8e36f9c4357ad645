// Makes a server a node of a fleet: its runs are recorded, and it continues those of nodes that have ended.
import { getErrorMessage } from '../../base/index.ts';
import type { AgentSession, Ports, RunReference } from '../../contracts/index.ts';
import { version } from '../../support/version.ts';
import type { OpenedStorage } from '../session-storage.ts';
import { createProcessIdentity } from '../system-ports/process-identity.ts';
import { AbandonedRuns } from './abandoned-runs.ts';
import { continueRun, continueTaken } from './continue-run.ts';
import { startHousekeeping } from './housekeeping.ts';
import type { NodeTenant } from './node-tenant.ts';
import { NodeWatch } from './node-watch.ts';
import { RunTracker } from './run-tracker.ts';

export interface NodeOptions {
  readonly storage: OpenedStorage;
  readonly ports: Pick<Ports, 'clock' | 'log'>;
  warn(line: string): void;
  /** The time in which another node takes over. */
  readonly takeoverMs: number;
  /** Sessions that were not used for so many days are deleted; none if absent. */
  readonly retentionDays?: number | undefined;
  /** Opened if necessary. */
  getTenant(name: string): Promise<NodeTenant>;
  /** Those that are open. */
  listTenants(): Promise<readonly NodeTenant[]>;
}

export interface FleetNode {
  readonly id: string;
  /** The runs of the sessions of this tenant are recorded from now on. */
  addTenant(tenant: NodeTenant): void;
  /**
   * Continues the run of another node that has ended, if the session has one. Called when a session of the tenant was opened, before
   * clients use it.
   */
  onOpened(session: AgentSession, tenant: string): Promise<void>;
  /** Takes no more runs. Those whose sessions are closed from now on are continued by other nodes. Called before the sessions are closed. */
  stop(): Promise<void>;
  /** Called after the sessions are closed. */
  close(): Promise<void>;
}

/** The part of the time for a takeover after which the other nodes are looked at again. */
const WATCH_SHARE = 0.1;
/** Usually the workflow of a run is recovered within this part. */
const GRACE_SHARE = 0.3;
/** How long it can be looked up how a run has ended. */
const KEEP_RUNS_MS = 24 * 3_600_000;

export async function startNode(options: NodeOptions): Promise<FleetNode> {
  const { storage, ports, takeoverMs, getTenant, listTenants } = options;
  const { clock, log } = ports;
  const { holder, database } = storage.postgres;
  await warnOfSuperuser(options);
  // Registered all the time, also without sessions: the runs of nodes that are not registered are taken over. Other nodes relay to it from
  // here on.
  const { host, pid } = createProcessIdentity().self;
  await holder.announce({ kind: 'node', name: `${host}:${pid}`, version: version() });
  const tracker: RunTracker = new RunTracker({
    start: (run, act) => workflows.start(run, act),
    onLost: (run) => void getTenant(run.tenant).then((tenant) => tenant.closeLost(run)),
  });
  const continueHere = async (run: RunReference) => {
    const { findSession, continueElsewhere } = await getTenant(run.tenant);
    return continueRun({ tracker, clock, log, findSession, continueElsewhere }, run);
  };
  const workflows = await storage.startWorkflows(continueHere);
  const abandoned = new AbandonedRuns({ workflows, graceMs: takeoverMs * GRACE_SHARE, continueRun: continueHere });
  const continueAbandoned = async () => {
    for (const { postgres } of await listTenants()) await abandoned.continueAll(postgres);
  };
  const intervalMs = takeoverMs * WATCH_SHARE;
  const watch = new NodeWatch({ database, clock, log, workflows, continueAbandoned, intervalMs });
  watch.start();
  const stopHousekeeping = startHousekeeping({
    ...{ database, clock, log, holderId: holder.id },
    listTasks: async () => ({
      runs: () => workflows.removeEnded(clock.now() - KEEP_RUNS_MS),
      ...Object.fromEntries(
        (await listAllTenants(options)).map((tenant) => [
          `sessions of ${tenant}`,
          () => removeOldSessions(options, tenant),
        ]),
      ),
    }),
  });
  return {
    id: holder.id,
    addTenant({ postgres }) {
      postgres.runListener = tracker;
    },
    onOpened: (session, tenant) =>
      continueTaken(
        { tracker, log, continueLater: (run) => workflows.start(run, () => continueHere(run)) },
        { tenant, sessionId: session.id },
        session,
      ),
    async stop() {
      tracker.stop();
      await Promise.all([watch.stop(), stopHousekeeping()]);
    },
    async close() {
      await workflows.close().catch((thrown: unknown) => log('DBOS does not stop', { error: getErrorMessage(thrown) }));
      holder.stop();
    },
  };
}

/** Row-level security, which separates the tenants, does not hold for superusers. */
async function warnOfSuperuser({ storage, warn }: NodeOptions): Promise<void> {
  const [role] = await storage.postgres.database.query<{ name: string }>(
    'select rolname as name from pg_catalog.pg_roles where rolname = current_user and (rolsuper or rolbypassrls)',
  );
  if (role) warn(`Warning: the database role ${role.name} is exempt from row-level security. Use an ordinary role.`);
}

/** Also those that are not open here. */
async function listAllTenants({ storage }: NodeOptions): Promise<readonly string[]> {
  const { listTenants } = await import('../../store/postgres/access-token-rows.ts');
  const { database, tenant } = storage.postgres;
  return [...new Set([tenant, ...(await listTenants(database))])];
}

async function removeOldSessions({ storage, retentionDays }: NodeOptions, name: string): Promise<number> {
  if (retentionDays === undefined) return 0;
  const { deleteOldSessions } = await import('../../store/postgres/delete-sessions.ts');
  const { postgres } = name === storage.postgres.tenant ? storage : storage.openTenant(name);
  return (await deleteOldSessions(postgres, retentionDays)).deleted.length;
}
