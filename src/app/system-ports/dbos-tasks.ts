// The queues of submissions: workflows of DBOS that wait for workers. For processes that are not workers.
import type { DBOSClient, WorkflowStatus } from '@dbos-inc/dbos-sdk';
import { getErrorMessage, isRecord } from '../../base/index.ts';
import type { QueuedTask, RunReference, SqlConnection, TaskQueue } from '../../contracts/index.ts';
import type { SubmissionState } from '../../protocol/submission.ts';
import {
  addDbosOptions,
  createDbosLogger,
  DBOS_SCHEMA,
  type DbosContext,
  loadDbos,
  withLaunchLease,
} from './dbos-launch.ts';
import { createDbosPool, type DbosPool } from './dbos-pool.ts';

/** Workers and nodes are different applications of DBOS, so that neither takes the workflows of the other. */
export const TASK_APPLICATION = 'parley-worker';
/** The same for all versions of the program, so that a worker of another version can take a task. */
export const TASK_VERSION = 'parley-worker-1';
export const TASK_WORKFLOW = 'parley.task';
const POOL_SIZE = 2;
/** Reads the catalogue as a table, because functions such as `to_regclass` use a cache. */
const FIND_TABLES = `select from pg_catalog.pg_class join pg_catalog.pg_namespace on pg_namespace.oid = relnamespace
  where nspname = '${DBOS_SCHEMA}' and relname in ('workflow_status', 'queues')`;

export async function openTaskQueue(context: DbosContext): Promise<TaskQueue> {
  const { DBOSClient } = await loadDbos('Submitting prompts to workers');
  const url = addDbosOptions(context.url);
  const connections = createDbosPool({ url, applicationName: 'parley submissions', size: POOL_SIZE, log: context.log });
  try {
    await createTables(context, connections);
  } catch (problem) {
    await connections.close().catch(() => {});
    throw problem;
  }
  const client = await DBOSClient.create({
    systemDatabaseUrl: url,
    systemDatabasePool: connections.pool,
    systemDatabaseSchemaName: DBOS_SCHEMA,
    applicationName: TASK_APPLICATION,
    logger: createDbosLogger(context.log),
  });
  return {
    async enqueue(connection, task, { queue, priority }) {
      const options = {
        ...{ queueName: queue, workflowName: TASK_WORKFLOW, workflowID: toTaskId(task), priority },
        ...{ appVersion: TASK_VERSION, queuePartitionKey: task.tenant },
      };
      await client.enqueueInTransaction(toClient(connection), options, toReference(task));
    },
    find: async (task) => (await listTasks(client, { workflowIDs: [toTaskId(task)] }))[0],
    list: (tenant, { queue, limit }) =>
      listTasks(client, { workflow_id_prefix: toPrefix(tenant), queueName: queue, limit, sortDesc: true }),
    cancel: (task) => client.cancelWorkflow(toTaskId(task)),
    async close() {
      await client.destroy();
      await connections.close();
    },
  };
}

/** Before the first worker or node of a database has started, there are none. */
async function createTables(context: DbosContext, { pool, withoutTimeout }: DbosPool): Promise<void> {
  const { url, database, log } = context;
  const exist = async () => (await database.query(FIND_TABLES)).length === 2;
  if (await exist()) return;
  await withLaunchLease(context, async () => {
    if (await exist()) return;
    const { ensureSystemDatabase } = await import('@dbos-inc/dbos-sdk/internal/system_database');
    const logger = createDbosLogger(log) as unknown as Parameters<typeof ensureSystemDatabase>[1];
    await withoutTimeout(() => ensureSystemDatabase(addDbosOptions(url), logger, pool, DBOS_SCHEMA));
  });
}

type ListOptions = Parameters<DBOSClient['listWorkflows']>[0];

async function listTasks(client: DBOSClient, options: ListOptions): Promise<QueuedTask[]> {
  const found = await client.listWorkflows({ ...options, workflowName: TASK_WORKFLOW, loadInput: false });
  return found.map(toTask);
}

function toTask(workflow: WorkflowStatus): QueuedTask {
  const { workflowID, queueName = '', executorId, createdAt, dequeuedAt, completedAt, error, output } = workflow;
  const { error: reason } = isRecord(output) ? output : {};
  return {
    ...parseTaskId(workflowID),
    ...{ queue: queueName, state: toState(workflow), executorId, createdMs: createdAt },
    ...{ startedMs: dequeuedAt, endedMs: completedAt },
    ...(error === undefined && reason === undefined ? {} : { error: String(reason ?? getErrorMessage(error)) }),
  };
}

function toState({ status, output }: WorkflowStatus): SubmissionState {
  if (status === 'ENQUEUED' || status === 'DELAYED') return 'queued';
  if (status === 'PENDING') return 'running';
  if (status === 'CANCELLED') return 'cancelled';
  return status === 'SUCCESS' && isRecord(output) ? (output.status as SubmissionState) : 'failed';
}

/** What DBOS uses of the connection of another driver. */
function toClient({ query }: SqlConnection): Parameters<DBOSClient['enqueueInTransaction']>[0] {
  const adapter = {
    async query(text: string, values: readonly unknown[] = []) {
      const rows = await query(text, values.map((value) => value ?? null) as never);
      return { rows: [...rows], rowCount: rows.length };
    },
  };
  return adapter as never;
}

function toReference({ tenant, sessionId }: RunReference): RunReference {
  return { tenant, sessionId };
}

/** No character of a session id needs to be encoded. */
export function toTaskId({ tenant, sessionId }: RunReference): string {
  return `${toPrefix(tenant)}${sessionId}`;
}

function toPrefix(tenant: string): string {
  return `task/${encodeURIComponent(tenant)}/`;
}

function parseTaskId(id: string): RunReference {
  const [, tenant = '', ...rest] = id.split('/');
  return { tenant: decodeURIComponent(tenant), sessionId: rest.join('/') };
}
