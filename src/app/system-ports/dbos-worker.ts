// Takes tasks from the queues of DBOS. One worker for each process.
import { AsyncResource } from 'node:async_hooks';
import { Fault, getErrorMessage } from '../../base/index.ts';
import type { QueueLimits, RunReference, TaskEnd, TaskOutcome, TaskWorker } from '../../contracts/index.ts';
import {
  DBOS_SCHEMA,
  type Dbos,
  type DbosContext,
  launchDbos,
  loadDbos,
  MAX_ATTEMPTS,
  withRecoveryLease,
} from './dbos-launch.ts';
import { TASK_APPLICATION, TASK_VERSION, TASK_WORKFLOW, toTaskId } from './dbos-tasks.ts';

export interface DbosWorkerOptions extends DbosContext {
  readonly queues: readonly string[];
  readonly limits: QueueLimits;
  /** Called again for a task whose worker has ended. */
  runTask(task: RunReference): Promise<TaskOutcome>;
}

/**
 * As DBOS recovers the workflows of a process: only those that still belong to it, and they keep their queues and tenants. DBOS
 * offers this only for the processes of the current one.
 */
const RECOVER = `update ${DBOS_SCHEMA}.workflow_status set status = 'ENQUEUED', owner_xid = null, started_at_epoch_ms = null,
    updated_at = (extract(epoch from clock_timestamp()) * 1000)::bigint
  where status = 'PENDING' and executor_id = any($1) and application_name = $2 and name = $3 returning workflow_uuid`;
const DEFAULT_PER_WORKER = 1;
/** How often a worker looks into its queues. */
const QUEUE_POLL_MS = 200;

export async function startTaskWorker(options: DbosWorkerOptions): Promise<TaskWorker> {
  const { executorId, queues, runTask } = options;
  const { DBOS } = await loadDbos('parley worker');
  // DBOS would record everything that happens inside of its context as steps.
  const outside = new AsyncResource('parley-task');
  DBOS.registerWorkflow((task: RunReference) => outside.runInAsyncScope(() => runTask(task)), {
    name: TASK_WORKFLOW,
    maxRecoveryAttempts: MAX_ATTEMPTS,
  });
  const close = await launchDbos(DBOS, options, {
    ...{ application: TASK_APPLICATION, version: TASK_VERSION, queues },
    async registerQueues() {
      for (const queue of queues) await registerQueue(DBOS, queue, options.limits);
    },
  });
  return {
    findEnded: (tasks) => findEnded(DBOS, executorId, tasks),
    recover: (isAlive) => recoverTasks(DBOS, options, isAlive),
    close,
  };
}

/** The limits belong to the queue, not to the worker: those that were given last count for all workers. */
async function registerQueue(DBOS: Dbos['DBOS'], name: string, given: QueueLimits): Promise<void> {
  const known = await DBOS.retrieveQueue(name);
  const globalConcurrency = given.total ?? known?.concurrency;
  const bound = (count: number) => Math.min(count, globalConcurrency ?? count);
  const workerConcurrency = bound(given.perWorker ?? known?.workerConcurrency ?? DEFAULT_PER_WORKER);
  const perTenant = given.perTenant ?? known?.partitionConcurrency;
  const rateLimit = given.rate ? { limitPerPeriod: given.rate.count, periodSec: given.rate.seconds } : known?.rateLimit;
  try {
    await DBOS.registerQueue(name, {
      minPollingIntervalMs: QUEUE_POLL_MS,
      workerConcurrency,
      // Present in any case: it divides the queue by tenants, of which a worker chooses one at random for each free place.
      partitionWorkerConcurrency: Math.min(workerConcurrency, perTenant ?? workerConcurrency),
      ...(globalConcurrency === undefined ? {} : { globalConcurrency }),
      ...(perTenant === undefined ? {} : { partitionConcurrency: bound(perTenant) }),
      ...(rateLimit === undefined ? {} : { rateLimit }),
      onConflict: 'always_update',
    });
  } catch (cause) {
    throw new Fault('config', `Queue ${name} cannot be used: ${getErrorMessage(cause)}`, { cause });
  }
}

/** A cancelled task is not running any more, and a task that was taken over names another process. */
async function findEnded(
  DBOS: Dbos['DBOS'],
  executorId: string,
  tasks: readonly RunReference[],
): Promise<Map<RunReference, TaskEnd>> {
  const ended = new Map<RunReference, TaskEnd>();
  if (tasks.length === 0) return ended;
  const found = await DBOS.listWorkflows({
    ...{ workflowIDs: tasks.map(toTaskId), loadInput: false, loadOutput: false },
  });
  const byId = new Map(found.map((workflow) => [workflow.workflowID, workflow]));
  for (const task of tasks) {
    const workflow = byId.get(toTaskId(task));
    if (workflow?.status === 'CANCELLED') ended.set(task, 'cancelled');
    else if (workflow?.status !== 'PENDING' || workflow.executorId !== executorId) ended.set(task, 'taken');
  }
  return ended;
}

async function recoverTasks(
  DBOS: Dbos['DBOS'],
  options: DbosWorkerOptions,
  isAlive: (executorId: string) => boolean,
): Promise<number> {
  const ended = await listEndedExecutors(DBOS, isAlive);
  if (ended.length === 0) return 0;
  return withRecoveryLease(
    options,
    async () => (await options.database.query(RECOVER, [ended, TASK_APPLICATION, TASK_WORKFLOW])).length,
  );
}

async function listEndedExecutors(DBOS: Dbos['DBOS'], isAlive: (executorId: string) => boolean): Promise<string[]> {
  const running = await DBOS.listWorkflows({
    ...{ workflowName: TASK_WORKFLOW, status: 'PENDING', loadInput: false, loadOutput: false },
  });
  const executors = running.flatMap(({ executorId }) => (executorId === undefined ? [] : [executorId]));
  return [...new Set(executors)].filter((id) => !isAlive(id));
}
