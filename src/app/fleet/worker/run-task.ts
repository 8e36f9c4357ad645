// Runs one task: opens its session in a workspace, runs or continues the prompt, verifies the work, and stores the result.
import { dirname } from 'node:path';
import { Fault, getErrorMessage, getFaultReason, isRecord, tryParseJson } from '../../../base/index.ts';
import type {
  AgentSession,
  Hooks,
  Ports,
  RunReference,
  RunShell,
  TaskEnd,
  TaskOutcome,
} from '../../../contracts/index.ts';
import {
  PATCH_FILE,
  RESULT_FILE,
  SUBMISSION_FILE,
  type SubmissionRequest,
  type SubmissionResult,
  WORKSPACE_FILE,
} from '../../../protocol/submission.ts';
import { formatReference } from '../../../store/postgres/session-reference.ts';
import { readStoredBytes, readStoredFile } from '../../../store/postgres/stored-directory.ts';
import type { TenantStorage } from '../../session-storage.ts';
import type { TaskWorkspace, TaskWorkspaces } from './task-workspaces.ts';
import { verifyTask } from './verify-task.ts';

/** An agent that works on a task. */
export interface TaskAgent {
  readonly session: AgentSession;
  readonly runShell: RunShell;
  /** Other agents of the process continue. */
  end(): Promise<void>;
}

export interface OpenTaskAgent {
  readonly cwd: string;
  /** The reference to the session. */
  readonly session: string;
  readonly storage: TenantStorage;
  readonly hooks: readonly Hooks[];
}

export interface TaskContext {
  readonly storage: TenantStorage;
  readonly workspaces: TaskWorkspaces;
  readonly ports: Ports;
  /** Names this process. */
  readonly worker: string;
  openAgent(request: OpenTaskAgent): Promise<TaskAgent>;
}

/** Why the signal of a task is aborted. */
export type StopReason = TaskEnd | 'stopping';

/** Written when the work begins. It shows where the files of the session are. */
const WORKER_FILE = 'worker.json';
const RETRY_MS = 1000;
/** How often the result is stored again when the database cannot be reached. */
const MAX_STORE_ATTEMPTS = 30;

/** Rejects when the process must not store anything more: the signal was aborted for another reason than a cancellation. */
export async function runTask(context: TaskContext, task: RunReference, signal: AbortSignal): Promise<TaskOutcome> {
  const { postgres } = context.storage;
  const { sessionId } = task;
  const request = parseRequest(await readStoredFile(postgres, sessionId, SUBMISSION_FILE));
  if (!request) return { status: 'failed', error: 'The session of the submission was deleted.' };
  // The worker ended after it had stored the result.
  const stored = tryParseJson((await readStoredFile(postgres, sessionId, RESULT_FILE)) ?? '');
  if (isRecord(stored)) return { status: stored.status as TaskOutcome['status'] };
  let workspace: TaskWorkspace;
  try {
    const patch = await readStoredBytes(postgres, sessionId, WORKSPACE_FILE);
    const { repository, commit } = request;
    workspace = await context.workspaces.open({ repository, commit, patch, signal });
  } catch (thrown) {
    if (signal.aborted) return endEarly(signal);
    return { status: 'failed', error: getErrorMessage(thrown) };
  }
  try {
    return await runInWorkspace(context, { task, request, workspace, signal });
  } finally {
    await workspace.remove();
  }
}

function parseRequest(text: string | undefined): SubmissionRequest | undefined {
  const request = tryParseJson(text ?? '');
  return isRecord(request) ? (request as unknown as SubmissionRequest) : undefined;
}

function endEarly(signal: AbortSignal): TaskOutcome {
  if (signal.reason === 'cancelled') return { status: 'cancelled' };
  throw new Fault('aborted', `The task is not continued here: ${signal.reason}`);
}

interface TaskScope {
  readonly task: RunReference;
  readonly request: SubmissionRequest;
  readonly workspace: TaskWorkspace;
  readonly signal: AbortSignal;
}

async function runInWorkspace(context: TaskContext, scope: TaskScope): Promise<TaskOutcome> {
  const { task, workspace, signal } = scope;
  const snapshots = createSnapshots(workspace, context.ports);
  const agent = await openWhenFree(context, scope, snapshots.hooks);
  if (!agent) return endEarly(signal);
  const { session } = agent;
  const stop = () => void stopSession(session, signal).catch(() => {});
  signal.addEventListener('abort', stop, { once: true });
  try {
    if (signal.aborted) stop();
    const sidecarFile = await session.sidecarFiles.write(
      WORKER_FILE,
      `${JSON.stringify({ worker: context.worker })}\n`,
    );
    if (sidecarFile === undefined) throw new Fault('internal', `The session ${task.sessionId} is not stored`);
    snapshots.start(dirname(sidecarFile));
    const result = await work(context, scope, agent, sidecarFile);
    await storeResult(context, scope, session, result, dirname(sidecarFile));
    return { status: result.status };
  } catch (thrown) {
    if (signal.aborted) return endEarly(signal);
    throw thrown;
  } finally {
    signal.removeEventListener('abort', stop);
    await agent.end().catch(() => {});
  }
}

/** After a cancellation the result is stored. Otherwise the run stays open in the log, so that another worker continues it. */
async function stopSession(session: AgentSession, signal: AbortSignal): Promise<void> {
  if (signal.reason === 'cancelled') await session.runs.abort();
  else await session.interrupt();
}

/** A client may look at the session on a node. `undefined`: the task was stopped. */
async function openWhenFree(
  { storage, ports, openAgent }: TaskContext,
  { task, workspace, signal }: TaskScope,
  hooks: readonly Hooks[],
): Promise<TaskAgent | undefined> {
  const request = { cwd: workspace.cwd, session: formatReference(task.sessionId), storage, hooks };
  while (!signal.aborted) {
    try {
      return await openAgent(request);
    } catch (thrown) {
      if (getFaultReason(thrown) !== 'in_use') throw thrown;
      ports.log('the session of a task is in use', { session: task.sessionId });
      await ports.clock.sleep(RETRY_MS);
    }
  }
  return undefined;
}

/** Finished steps of an earlier worker are in the log, and are not repeated. */
async function work(
  { ports, worker }: TaskContext,
  { request, workspace, signal }: TaskScope,
  { session, runShell }: TaskAgent,
  sidecarFile: string,
): Promise<SubmissionResult> {
  const { runs, history } = session;
  const prompt = async (message: string): Promise<string | undefined> => {
    await runs.prompt({ message, onAccepted: () => {} });
    await runs.waitUntilSettled();
    return findRunError(session);
  };
  if (runs.isInterrupted) {
    await runs.continueInterrupted({ onAccepted: () => {} });
    await runs.waitUntilSettled();
  } else if (history.messages().length === 0) await prompt(request.prompt);
  const error = findRunError(session);
  const verified =
    error === undefined && !signal.aborted
      ? await verifyTask({ ...{ session, request, ports, runShell, signal, sidecarFile, prompt } })
      : undefined;
  if (signal.aborted && signal.reason !== 'cancelled') endEarly(signal);
  const problem = error ?? verified?.error;
  return {
    status: signal.aborted ? 'cancelled' : problem === undefined ? 'succeeded' : 'failed',
    text: history.lastAssistantText() ?? '',
    ...(signal.aborted || problem === undefined ? {} : { error: problem }),
    ...(workspace.commit === undefined ? {} : { commit: workspace.commit }),
    // Known when the patch was created.
    hasPatch: false,
    ...(verified ? { verification: verified.result } : {}),
    ...{ cost: history.stats().cost, worker },
  };
}

function findRunError(session: AgentSession): string | undefined {
  const last = session.history.messages().findLast((message) => message.role === 'assistant');
  if (last?.role !== 'assistant') return 'The run has ended without an answer.';
  if (last.stopReason !== 'error' && last.stopReason !== 'aborted') return undefined;
  return last.errorMessage ?? 'The run has ended without an answer.';
}

/** The patch and the result become files of the session. The result is last: with it the task is done. */
async function storeResult(
  { ports }: TaskContext,
  { request, workspace, signal }: TaskScope,
  { sidecarFiles }: AgentSession,
  result: SubmissionResult,
  directory: string,
): Promise<void> {
  const isDiscarded = result.verification?.status === 'failed' && request.onFailure === 'discard_patch';
  const patch = isDiscarded ? undefined : await workspace.createPatch();
  if (patch) await ports.files.write(`${directory}/${PATCH_FILE}`, patch, { mode: 0o600 });
  await ports.files.remove(`${directory}/${WORKSPACE_FILE}`).catch(() => {});
  const text = `${JSON.stringify({ ...result, hasPatch: patch !== undefined }, null, 2)}\n`;
  for (let attempt = 1; ; attempt++) {
    try {
      await sidecarFiles.write(RESULT_FILE, text);
      return;
    } catch (thrown) {
      const isLost = getFaultReason(thrown) === 'lease_lost';
      if (isLost || attempt >= MAX_STORE_ATTEMPTS || signal.reason === 'taken') throw thrown;
      await ports.clock.sleep(RETRY_MS);
    }
  }
}

/**
 * Stores the change of the workspace with the result of each tool call that may have changed it: what the log calls done is then
 * in the workspace of the next worker, too.
 */
function createSnapshots(
  workspace: TaskWorkspace,
  { files, log }: Pick<Ports, 'files' | 'log'>,
): { readonly hooks: readonly Hooks[]; start(directory: string): void } {
  let directory: string | undefined;
  let saving: Promise<void> = Promise.resolve();
  const save = async () => {
    if (directory === undefined) return;
    const patch = await workspace.createPatch();
    const file = `${directory}/${WORKSPACE_FILE}`;
    if (patch) await files.replace(file, patch, { mode: 0o600 });
    else await files.remove(file).catch(() => {});
  };
  return {
    hooks: [
      {
        async toolResult() {
          saving = saving
            .then(save)
            .catch((thrown: unknown) => log('the workspace was not saved', { error: getErrorMessage(thrown) }));
          await saving;
          return undefined;
        },
      },
    ],
    start(path) {
      directory = path;
    },
  };
}
