// Submits prompts to workers, and finds out what became of them.
import { isAbsolute, resolve } from 'node:path';
import { Fault, isRecord, toJson, tryParseJson } from '../../base/index.ts';
import type { Ports, QueuedTask, Submission, Submissions, SubmitRequest, TaskQueue } from '../../contracts/index.ts';
import { createGit } from '../../core/git/git.ts';
import { SESSION_VERSION } from '../../protocol/session-entry.ts';
import {
  PATCH_FILE,
  RESULT_FILE,
  SUBMISSION_FILE,
  type SubmissionRequest,
  type SubmissionResult,
} from '../../protocol/submission.ts';
import { createStoredSession } from '../../store/postgres/create-stored-session.ts';
import type { PostgresStorage } from '../../store/postgres/postgres-store.ts';
import { readStoredBytes, readStoredFile } from '../../store/postgres/stored-directory.ts';

export interface SubmissionsContext {
  readonly storage: PostgresStorage;
  readonly queue: TaskQueue;
  readonly ports: Ports;
}

const ID = /^[a-z0-9]([\w.-]{0,126}[a-z0-9])?$/i;
const QUEUE = /^[a-z0-9][\w.-]{0,63}$/i;
const MAX_PRIORITY = 2 ** 31 - 1;
const OPENING_LENGTH = 200;

export function createSubmissions(context: SubmissionsContext): Submissions {
  const { storage, queue } = context;
  const toReference = (sessionId: string) => ({ tenant: storage.tenant, sessionId });
  const find = async (id: string): Promise<Submission> => {
    const task = await queue.find(toReference(id));
    if (!task) throw new Fault('not_found', `There is no submission ${id}. "parley submissions" lists them.`);
    return describe(storage, task);
  };
  return {
    async submit(requested) {
      const id = requested.id ?? context.ports.ids.uuid();
      const isNew = await create(context, id, requested);
      return { submission: await find(id), isNew };
    },
    async get(id) {
      const submission = await find(id);
      const result = await readResult(storage, id);
      return { ...submission, ...(result ? { result } : {}) };
    },
    async list(query) {
      if (query.queue !== undefined) checkQueueName(query.queue);
      return Promise.all((await queue.list(storage.tenant, query)).map((task) => describe(storage, task)));
    },
    async cancel(id) {
      const { state } = await find(id);
      if (state === 'queued' || state === 'running') await queue.cancel(toReference(id));
      return find(id);
    },
    readPatch: (id) => readStoredBytes(storage, id, PATCH_FILE),
    close: () => queue.close(),
  };
}

/** Session and queue entry are created in one transaction. Returns false when the same was submitted before. */
async function create(context: SubmissionsContext, id: string, requested: SubmitRequest): Promise<boolean> {
  const { storage, queue, ports } = context;
  if (!ID.test(id)) {
    const rule = 'letters, digits, ".", "_" and "-", at most 128, a letter or digit first and last';
    throw new Fault('invalid_params', `The id of a submission has ${rule} (got ${JSON.stringify(id)})`);
  }
  checkQueueName(requested.queue);
  const { priority = 0, cwd } = requested;
  if (!Number.isInteger(priority) || priority < 0 || priority > MAX_PRIORITY)
    throw new Fault(
      'invalid_params',
      `The priority must be a whole number from 0 to ${MAX_PRIORITY} (got ${priority})`,
    );
  if (requested.prompt.trim() === '') throw new Fault('invalid_params', 'The prompt is empty.');
  const text = toJson(await completeRequest(requested, ports));
  const nowMs = ports.clock.now();
  const header = {
    type: 'session' as const,
    version: SESSION_VERSION,
    id,
    timestamp: new Date(nowMs).toISOString(),
    cwd,
  };
  const request = {
    header,
    createdMs: nowMs,
    details: { opening: requested.prompt.slice(0, OPENING_LENGTH) },
    file: { name: SUBMISSION_FILE, text },
  };
  const isNew = await createStoredSession(storage, request, (connection) =>
    queue.enqueue(connection, { tenant: storage.tenant, sessionId: id }, { queue: requested.queue, priority }),
  );
  if (!isNew) await checkSame(storage, id, text);
  return isNew;
}

export function checkQueueName(name: string): void {
  if (QUEUE.test(name)) return;
  const rule = 'letters, digits, ".", "_" and "-", at most 64, a letter or digit first';
  throw new Fault('invalid_params', `The name of a queue has ${rule} (got ${JSON.stringify(name)})`);
}

/** The commit of a local repository is fixed now. That of another one is fixed by the worker. */
async function completeRequest(requested: SubmitRequest, ports: Ports): Promise<SubmissionRequest> {
  const { prompt, queue, verify, onFailure, repository, commit, cwd } = requested;
  const common = { version: 1 as const, prompt, queue, verify: [...verify], onFailure };
  if (repository === undefined) {
    if (commit !== undefined) throw new Fault('invalid_params', `The commit ${commit} needs a repository.`);
    return common;
  }
  if (isRemote(repository)) return { ...common, repository, ...(commit === undefined ? {} : { commit }) };
  const path = isAbsolute(repository) ? repository : resolve(cwd, repository);
  if (!(await ports.files.info(path))) throw new Fault('not_found', `There is no repository ${path}`);
  const git = createGit(ports, path);
  const root = await git.text(['rev-parse', '--show-toplevel']).catch(() => {
    throw new Fault('invalid_params', `${path} is not inside a git working tree.`);
  });
  const revision = commit ?? 'HEAD';
  const hash = await git.text(['rev-parse', '--verify', '-q', '--end-of-options', `${revision}^{commit}`]).catch(() => {
    throw new Fault('invalid_params', `${root} has no commit ${revision}`);
  });
  return { ...common, repository: root, commit: hash };
}

/** An address such as `https://host/path` or `git@host:path`. */
export function isRemote(repository: string): boolean {
  return /^[a-z][a-z+.-]*:\/\//i.test(repository) || /^[\w.-]+@[\w.-]+:/.test(repository);
}

/** The same id stands for the same work. */
async function checkSame(storage: PostgresStorage, id: string, text: string): Promise<void> {
  const earlier = await readStoredFile(storage, id, SUBMISSION_FILE);
  if (earlier === text) return;
  const problem =
    earlier === undefined ? 'There is a session with this id' : 'Something else was submitted with this id';
  throw new Fault('refused', `${problem}: ${id}. Choose another id.`);
}

async function readResult(storage: PostgresStorage, id: string): Promise<SubmissionResult | undefined> {
  const result: unknown = tryParseJson((await readStoredFile(storage, id, RESULT_FILE)) ?? '');
  return isRecord(result) ? (result as SubmissionResult) : undefined;
}

async function describe({ database }: PostgresStorage, task: QueuedTask): Promise<Submission> {
  const { sessionId, queue, state, executorId, createdMs, startedMs, endedMs, error } = task;
  const worker = executorId && startedMs !== undefined ? await describeWorker(database, executorId) : undefined;
  return {
    ...{ id: sessionId, queue, state, createdMs },
    ...(worker === undefined ? {} : { worker }),
    ...(startedMs === undefined ? {} : { startedMs }),
    ...(endedMs === undefined ? {} : { endedMs }),
    ...(error === undefined ? {} : { error }),
  };
}

/** Its id when it is not registered any more. */
async function describeWorker(database: PostgresStorage['database'], holder: string): Promise<string> {
  const [row] = await database.query<{ process: string }>('select process from parley.holders where id = $1', [holder]);
  const found = tryParseJson(row?.process ?? '');
  return isRecord(found) ? formatWorker(found) : holder;
}

export function formatWorker({ pid, host }: { readonly pid?: unknown; readonly host?: unknown }): string {
  return `process ${pid} on ${host}`;
}
