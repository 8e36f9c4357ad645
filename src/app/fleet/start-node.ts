// Makes a server a node of a fleet: its runs are recorded, and it continues those of nodes that have ended.
import { getErrorMessage } from '../../base/index.ts';
import type { AgentSession, Ports, RunReference } from '../../contracts/index.ts';
import type { OpenedStorage } from '../session-storage.ts';
import { AbandonedRuns } from './abandoned-runs.ts';
import { continueRun, continueTaken } from './continue-run.ts';
import { startHousekeeping } from './housekeeping.ts';
import { NodeWatch } from './node-watch.ts';
import { RunTracker } from './run-tracker.ts';

export interface NodeOptions {
  readonly storage: OpenedStorage;
  readonly ports: Pick<Ports, 'clock' | 'log'>;
  warn(line: string): void;
  /** Sessions that were not used for so many days are deleted; none if absent. */
  readonly retentionDays?: number | undefined;
  /** The time in which another node takes over. */
  readonly takeoverMs: number;
  /** Opens the session if necessary. */
  findSession(run: RunReference): Promise<AgentSession>;
  /** Asks the process that has the session open to continue its run. */
  continueElsewhere?(run: RunReference): Promise<void>;
  /** Closes the session: another process writes to it now. */
  closeLost(run: RunReference): void;
}

export interface FleetNode {
  readonly id: string;
  /** Continues the run of another node that has ended, if the session has one. Called when a session was opened, before clients use it. */
  onOpened(session: AgentSession): Promise<void>;
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
  const { storage, ports, takeoverMs, findSession, continueElsewhere, closeLost } = options;
  const { clock, log } = ports;
  const { holder, database } = storage.postgres;
  await warnOfSuperuser(options);
  // Registered all the time, also without sessions: the runs of nodes that are not registered are taken over.
  await holder.start();
  const tracker: RunTracker = new RunTracker({
    start: (run, act) => workflows.start(run, act),
    onLost: closeLost,
  });
  const continueHere = (run: RunReference) =>
    continueRun({ tracker, clock, log, findSession, ...(continueElsewhere ? { continueElsewhere } : {}) }, run);
  const workflows = await storage.startWorkflows(continueHere);
  storage.postgres.runListener = tracker;
  const abandoned = new AbandonedRuns({
    ...{ storage: storage.postgres, workflows, graceMs: takeoverMs * GRACE_SHARE, continueRun: continueHere },
  });
  const continueAbandoned = () => abandoned.continueAll();
  const intervalMs = takeoverMs * WATCH_SHARE;
  const watch = new NodeWatch({ database, clock, log, workflows, continueAbandoned, intervalMs });
  watch.start();
  const stopHousekeeping = startHousekeeping({
    ...{ database, clock, log, holderId: holder.id },
    tasks: {
      runs: () => workflows.removeEnded(clock.now() - KEEP_RUNS_MS),
      [`sessions of ${storage.postgres.tenant}`]: () => removeOldSessions(options),
    },
  });
  return {
    id: holder.id,
    onOpened: (session) =>
      continueTaken(
        { tracker, log, continueLater: (run) => workflows.start(run, () => continueHere(run)) },
        { tenant: storage.postgres.tenant, sessionId: session.id },
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

async function removeOldSessions({ storage, retentionDays }: NodeOptions): Promise<number> {
  if (retentionDays === undefined) return 0;
  const { deleteOldSessions } = await import('../../store/postgres/delete-sessions.ts');
  return (await deleteOldSessions(storage.postgres, retentionDays)).deleted.length;
}
