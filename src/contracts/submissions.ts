// Prompts that workers run: where they wait, and what became of them.
import type { SubmissionRequest, SubmissionResult, SubmissionState } from '../protocol/submission.ts';
import type { SqlConnection } from './database.ts';
import type { RunReference } from './run-workflows.ts';

export interface SubmitRequest extends Omit<SubmissionRequest, 'version'> {
  /** Of the session and of the submission. With an id that was used before, the earlier submission is returned. */
  readonly id?: string | undefined;
  /** The directory that the session belongs to. */
  readonly cwd: string;
  /** The smallest number is first. Default: 0. */
  readonly priority?: number | undefined;
}

export interface Submission {
  /** Also the id of its session. */
  readonly id: string;
  readonly queue: string;
  readonly state: SubmissionState;
  /** The process that works on it, or has finished it. */
  readonly worker?: string | undefined;
  readonly createdMs: number;
  readonly startedMs?: number | undefined;
  readonly endedMs?: number | undefined;
  /** Why it has failed without a result. */
  readonly error?: string | undefined;
}

export interface SubmissionDetails extends Submission {
  /** Absent until it has ended, and when it was cancelled before it was started. */
  readonly result?: SubmissionResult | undefined;
}

export interface SubmissionQuery {
  readonly queue?: string | undefined;
  readonly limit: number;
}

export interface Submissions {
  /** When it resolves, a worker will find the submission. */
  submit(request: SubmitRequest): Promise<{ readonly submission: Submission; readonly isNew: boolean }>;
  get(id: string): Promise<SubmissionDetails>;
  /** Newest first. */
  list(query: SubmissionQuery): Promise<readonly Submission[]>;
  /** Stops it at once if it runs. Does nothing when it has ended. */
  cancel(id: string): Promise<Submission>;
  /** `undefined` when there is none. */
  readPatch(id: string): Promise<Uint8Array | undefined>;
  close(): Promise<void>;
}

/** What the queue knows of a submission. */
export interface QueuedTask extends RunReference {
  readonly queue: string;
  readonly state: SubmissionState;
  readonly executorId?: string | undefined;
  readonly createdMs: number;
  readonly startedMs?: number | undefined;
  readonly endedMs?: number | undefined;
  readonly error?: string | undefined;
}

/** Submissions that wait for workers. */
export interface TaskQueue {
  /** It takes effect with the transaction of the connection. */
  enqueue(connection: SqlConnection, task: RunReference, options: { queue: string; priority: number }): Promise<void>;
  find(task: RunReference): Promise<QueuedTask | undefined>;
  list(tenant: string, query: SubmissionQuery): Promise<readonly QueuedTask[]>;
  cancel(task: RunReference): Promise<void>;
  close(): Promise<void>;
}

/** What a queue allows. Absent: what was given before. */
export interface QueueLimits {
  /** Tasks that one worker runs at a time. */
  readonly perWorker?: number | undefined;
  /** Tasks that all workers run at a time. */
  readonly total?: number | undefined;
  /** Tasks of one tenant that all workers run at a time. */
  readonly perTenant?: number | undefined;
  /** Tasks that may start in a period. */
  readonly rate?: { readonly count: number; readonly seconds: number } | undefined;
}

/** Why a worker must not go on with a task. */
export type TaskEnd = 'cancelled' | 'taken';

export interface TaskOutcome {
  readonly status: 'succeeded' | 'failed' | 'cancelled';
  /** If there is no file with the result. */
  readonly error?: string | undefined;
}

/** A process that takes tasks from queues. */
export interface TaskWorker {
  /** The tasks of this process that it must not go on with. */
  findEnded(tasks: readonly RunReference[]): Promise<ReadonlyMap<RunReference, TaskEnd>>;
  /** Lets the tasks of processes that have ended be taken again. Returns their number. */
  recover(isAlive: (executorId: string) => boolean): Promise<number>;
  close(): Promise<void>;
}
