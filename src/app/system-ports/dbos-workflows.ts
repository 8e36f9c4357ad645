// Records runs as workflows of DBOS.
import { AsyncResource } from 'node:async_hooks';
import { Fault, getErrorMessage } from '../../base/index.ts';
import type { IdGenerator, RunReference, RunWorkflows } from '../../contracts/index.ts';
import { waitAtMost } from '../../support/wait-at-most.ts';
import { type Dbos, type DbosContext, launchDbos, loadDbos, MAX_ATTEMPTS, withRecoveryLease } from './dbos-launch.ts';

export interface DbosOptions extends DbosContext {
  readonly ids: Pick<IdGenerator, 'uuid'>;
  /** How often each process looks for recovered runs. */
  readonly queuePollMs: number;
  /** Executes a run of a process that has ended. Resolves when the run has ended, or is executed by another process. */
  continueRun(run: RunReference): Promise<void>;
}

const APPLICATION = 'parley';
/** The same for all versions of the program, so that nodes of a new version continue the runs of an old one. */
const WORKFLOW_VERSION = 'parley-1';
const WORKFLOW = 'parley.run';
/** All nodes take recovered runs from it. */
const QUEUE = 'parley.runs';
const START_TIMEOUT_MS = 15_000;
const REMOVED_AT_ONCE = 1000;

export async function startDbos(options: DbosOptions): Promise<RunWorkflows> {
  const { database, clock, ids, log, queuePollMs, continueRun } = options;
  const { DBOS } = await loadDbos('parley serve with a database');
  /** What this process executes, by the id of its workflow. Others are recovered ones. */
  const executed = new Map<string, () => Promise<void>>();
  // DBOS would record everything that happens inside of its context as steps.
  const outside = new AsyncResource('parley-run');
  const workflow = DBOS.registerWorkflow(
    async (run: RunReference) => {
      const id = DBOS.workflowID ?? '';
      await outside.runInAsyncScope(() => (executed.get(id) ?? (() => continueRun(run)))());
    },
    { name: WORKFLOW, maxRecoveryAttempts: MAX_ATTEMPTS },
  );
  const close = await launchDbos(DBOS, options, {
    ...{ application: APPLICATION, version: WORKFLOW_VERSION, queues: [QUEUE] },
    registerQueues: async () => void (await DBOS.registerQueue(QUEUE, { minPollingIntervalMs: queuePollMs })),
  });
  return {
    async start(run, act) {
      const id = `${run.tenant}/${run.sessionId}/${ids.uuid()}`;
      executed.set(id, act);
      const starting = DBOS.startWorkflow(workflow, { workflowID: id })(run);
      void starting
        .then((handle) => handle.getResult())
        .catch((thrown: unknown) => log('a run is not recorded as ended', { error: getErrorMessage(thrown) }))
        .finally(() => executed.delete(id));
      let isStarted = false;
      const started = starting.then(() => {
        isStarted = true;
      });
      // Without a connection, DBOS tries again for a long time.
      await waitAtMost(clock, START_TIMEOUT_MS, started);
      if (!isStarted) throw createTimeoutFault(database.label);
    },
    recover: (isAlive) => recoverRuns(DBOS, options, isAlive),
    removeEnded: (beforeMs) => removeEnded(DBOS, beforeMs),
    close,
  };
}

function createTimeoutFault(label: string): Fault {
  const message = `The run cannot be recorded, because the database ${label} does not answer. Try again later.`;
  return new Fault('storage', message, { details: { reason: 'database' } });
}

async function recoverRuns(
  DBOS: Dbos['DBOS'],
  options: DbosOptions,
  isAlive: (executorId: string) => boolean,
): Promise<number> {
  const { executorId } = options;
  if ((await listOrphans(DBOS, isAlive, executorId)).length === 0) return 0;
  return withRecoveryLease(options, async () => {
    // Another process may have resumed them meanwhile.
    const orphans = await listOrphans(DBOS, isAlive, executorId);
    if (orphans.length > 0) await DBOS.resumeWorkflows(orphans, { queueName: QUEUE });
    return orphans.length;
  });
}

/** DBOS keeps the records of ended workflows. */
async function removeEnded(DBOS: Dbos['DBOS'], beforeMs: number): Promise<number> {
  for (let count = 0; ; ) {
    const ended = await DBOS.listWorkflows({
      ...{ workflowName: WORKFLOW, status: ['SUCCESS', 'ERROR', 'CANCELLED'], limit: REMOVED_AT_ONCE },
      ...{ endTime: new Date(beforeMs).toISOString(), loadInput: false, loadOutput: false },
    });
    if (ended.length === 0) return count;
    await DBOS.deleteWorkflows(ended.map(({ workflowID }) => workflowID));
    count += ended.length;
  }
}

async function listOrphans(
  DBOS: Dbos['DBOS'],
  isAlive: (executorId: string) => boolean,
  ownId: string,
): Promise<string[]> {
  const pending = await DBOS.listWorkflows({
    ...{ workflowName: WORKFLOW, status: 'PENDING', loadInput: false, loadOutput: false },
  });
  return pending
    .filter(({ executorId }) => executorId !== undefined && executorId !== ownId && !isAlive(executorId))
    .map(({ workflowID }) => workflowID);
}
