// A worker: takes tasks from queues, stops those that are cancelled, and takes over those of workers that have ended.
import { createDeferred, getErrorMessage } from '../../../base/index.ts';
import type { Cancel, Ports, QueueLimits, RunReference, TaskOutcome, TaskWorker } from '../../../contracts/index.ts';
import type { OpenedStorage, TenantStorage } from '../../session-storage.ts';
import { createProcessIdentity } from '../../system-ports/process-identity.ts';
import { NodeWatch } from '../node-watch.ts';
import { formatWorker } from '../submissions.ts';
import { runTask, type StopReason, type TaskContext } from './run-task.ts';
import { createTaskWorkspaces, removeOldWorkspaces } from './task-workspaces.ts';

export interface WorkerOptions extends Pick<TaskContext, 'openAgent'> {
  readonly storage: OpenedStorage;
  readonly ports: Ports;
  readonly queues: readonly string[];
  readonly limits: QueueLimits;
  /** The time in which another worker takes over. */
  readonly takeoverMs: number;
  /** Copies of repositories are created here. */
  readonly workspacesDirectory: string;
}

export interface RunningWorker {
  readonly id: string;
  /** Takes no more tasks. Others continue those in progress. */
  close(): Promise<void>;
}

interface RunningTask {
  readonly control: AbortController;
  /** Resolves when its session is closed. */
  readonly ended: Promise<void>;
}

/** The part of the time for a takeover after which the other workers are looked at again. */
const WATCH_SHARE = 0.1;
/** How often the worker looks for cancellations. */
const CANCEL_POLL_MS = 300;

export async function startWorker(options: WorkerOptions): Promise<RunningWorker> {
  const { storage, ports, queues, limits, takeoverMs } = options;
  const { holder, database } = storage.postgres;
  // Registered all the time, also without tasks: the tasks of workers that are not registered are taken over.
  await holder.start();
  const tasks = new TaskRunner(options);
  const worker = await storage.startTaskWorker({ queues, limits, runTask: (task) => tasks.run(task) });
  tasks.startPolling(worker);
  const { clock, log } = ports;
  const watch = new NodeWatch({ database, clock, log, workflows: worker, intervalMs: takeoverMs * WATCH_SHARE });
  watch.start();
  return {
    id: holder.id,
    async close() {
      await watch.stop();
      await tasks.stop();
      await worker.close().catch((thrown: unknown) => log('DBOS does not stop', { error: getErrorMessage(thrown) }));
      holder.stop();
    },
  };
}

class TaskRunner {
  readonly #options: WorkerOptions;
  readonly #running = new Map<RunReference, RunningTask>();
  readonly #storages = new Map<string, TenantStorage>();
  readonly #workspaces: Promise<TaskContext['workspaces']>;
  #cancelPoll: Cancel = () => {};
  #isStopping = false;

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.#workspaces = prepareWorkspaces(options);
  }

  async run(task: RunReference): Promise<TaskOutcome> {
    // Another worker gets the task when this one has ended.
    if (this.#isStopping) return createDeferred<TaskOutcome>().promise;
    const { ports, openAgent } = this.#options;
    const control = new AbortController();
    const ended = createDeferred();
    const reference = { ...task };
    this.#running.set(reference, { control, ended: ended.promise });
    try {
      const context = {
        ...{ ports, openAgent, worker: formatWorker(createProcessIdentity().self) },
        ...{ storage: this.#openTenant(task.tenant), workspaces: await this.#workspaces },
      };
      return await runTask(context, task, control.signal);
    } catch (thrown) {
      if (this.#isStopping) return await createDeferred<TaskOutcome>().promise;
      ports.log('a task has failed', { session: task.sessionId, error: getErrorMessage(thrown) });
      throw thrown;
    } finally {
      this.#running.delete(reference);
      ended.resolve();
    }
  }

  startPolling(worker: TaskWorker): void {
    const { clock, log } = this.#options.ports;
    this.#cancelPoll = clock.after(CANCEL_POLL_MS, () => {
      this.#stopEnded(worker)
        .catch((thrown: unknown) => log('cancellations cannot be read', { error: getErrorMessage(thrown) }))
        .finally(() => {
          if (!this.#isStopping) this.startPolling(worker);
        });
    });
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#cancelPoll();
    const running = [...this.#running.values()];
    for (const { control } of running) control.abort('stopping' satisfies StopReason);
    await Promise.all(running.map(({ ended }) => ended));
  }

  async #stopEnded(worker: TaskWorker): Promise<void> {
    const ended = await worker.findEnded([...this.#running.keys()]);
    for (const [task, reason] of ended) this.#running.get(task)?.control.abort(reason satisfies StopReason);
  }

  #openTenant(tenant: string): TenantStorage {
    const known = this.#storages.get(tenant);
    if (known) return known;
    const opened = this.#options.storage.openTenant(tenant);
    opened.postgres.runListener = {
      onTaken: () => {},
      onOpen: async () => {},
      onEnd: () => {},
      onRelease: () => {},
      onLost: ({ sessionId }) => {
        for (const [task, { control }] of this.#running)
          if (task.tenant === tenant && task.sessionId === sessionId) control.abort('taken' satisfies StopReason);
      },
    };
    this.#storages.set(tenant, opened);
    return opened;
  }
}

/** Those of this process are in a directory of its own, so that the next one on this machine removes them. */
async function prepareWorkspaces(options: WorkerOptions): Promise<TaskContext['workspaces']> {
  const { storage, ports, workspacesDirectory } = options;
  const { holder, database } = storage.postgres;
  await ports.files.makeDirectory(workspacesDirectory, { mode: 0o700 });
  await removeOldWorkspaces(ports, workspacesDirectory, async (name) => {
    const found = await database.query('select from parley.holders where id = $1 and expires_at > clock_timestamp()', [
      name,
    ]);
    return found.length > 0;
  });
  return createTaskWorkspaces(ports, `${workspacesDirectory}/${holder.id}`);
}
