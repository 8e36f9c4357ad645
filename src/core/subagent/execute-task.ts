// Executes a started task: runs the subagent, captures its change, verifies it. A failing step does not discard the results of earlier steps.
import { getErrorMessage } from '../../base/index.ts';
import {
  type AgentEvent,
  addUsage,
  createEmptyUsage,
  type Model,
  type SubagentResult,
  sumTokens,
  type Usage,
  type VerificationResult,
} from '../../protocol/index.ts';
import type { BudgetAccount, SubagentHost } from '../session/parent-link.ts';
import type { AgentDefinition } from './agent-definition.ts';
import type { AnswerParser } from './answer-parser.ts';
import { generateCommitMessage } from './commit-message.ts';
import { saveOutput } from './output.ts';
import { runSubagent, type SubagentRunResult } from './run-subagent.ts';
import { describeStopRequest, type RunningSubagent } from './running-subagent.ts';
import type { Spawner } from './spawner.ts';
import type { PlannedTask } from './validate-tasks.ts';
import { createUnverifiedResult, type VerificationPlan } from './verification-plan.ts';
import { verifyWithRepair } from './verify-with-repair.ts';
import type { CapturedChange, CaptureOptions, Isolation, Workspace } from './workspace.ts';

/** What a continued subagent starts with. */
export interface Resumption {
  readonly log: string;
  /** Its change, if it is not in the main tree. */
  readonly patch?: string | undefined;
}

export interface TaskScope {
  readonly spawner: Spawner;
  readonly host: SubagentHost;
  readonly agent: AgentDefinition;
  readonly model: Model | null;
  readonly answerParser: AnswerParser | undefined;
  readonly verificationPlan: VerificationPlan | undefined;
  readonly isolation: Isolation | undefined;
  readonly folder: string;
  readonly budgetAccount: BudgetAccount | undefined;
  readonly running: RunningSubagent;
  /** Set when a subagent that has ended is continued. */
  readonly resumption?: Resumption | undefined;
  /** Called with the id of a task that starts. It begins its work when the promise is resolved. */
  onTaskStart?(id: string): void | Promise<void>;
  /** Called when the budget prevents a task or a repair from starting. Emits one event per task call. */
  reportBudgetExceeded(): Promise<void>;
  onEvent(index: number, event: AgentEvent | 'begin'): undefined | Promise<void>;
}

export type TaskOutcome = Partial<SubagentResult> & Pick<SubagentResult, 'exitCode'>;

interface TaskState {
  readonly task: PlannedTask;
  readonly cwd: string;
  readonly workspace: Workspace | undefined;
  readonly usage: Usage;
  runResult: SubagentRunResult | undefined;
  captured: CapturedChange;
  verification: VerificationResult | undefined;
  /** Whether an abort or the budget ended the task. */
  isStopped: boolean;
}

const CAPTURE_AS_PATCH: CaptureOptions = { asBranch: false, createMessage: () => '' };

/** Never rejects. */
export async function executeTask(
  scope: TaskScope,
  task: PlannedTask,
  workspace: Workspace | undefined,
): Promise<TaskOutcome> {
  const state: TaskState = {
    ...{ task, workspace, cwd: workspace?.cwd ?? scope.host.cwd, usage: createEmptyUsage() },
    ...{ runResult: undefined, captured: {}, isStopped: false },
    verification: scope.verificationPlan && createUnverifiedResult(scope.verificationPlan, 'skipped'),
  };
  const error = await runAndVerify(scope, state).catch(getErrorMessage);
  return createOutcome(scope, state, error);
}

/** The failure message; `undefined` on success. */
async function runAndVerify(scope: TaskScope, state: TaskState): Promise<string | undefined> {
  const { verificationPlan } = scope;
  const { task, cwd } = state;
  const runResult = await runTaskSession(scope, state, { name: task.id, cwd, prompt: task.prompt });
  state.runResult = runResult;
  state.isStopped = runResult.isStopped;
  const failure = getFailure(runResult);
  if (runResult.error !== undefined) return failure;
  if (verificationPlan && failure === undefined) return verifyTask(scope, state, verificationPlan);
  // The answer may not match the schema, but the work is done: capture its change unless the plan discards failed work.
  if (failure === undefined || verificationPlan?.onFailure !== 'discard_patch')
    await captureTaskChange(scope, state, failure);
  return failure;
}

/**
 * Captures the change before the first command runs, and again after a repair. When the verification is interrupted or throws,
 * that capture remains. When it completes, the change is captured once more, because the commands may modify files too.
 */
async function verifyTask(scope: TaskScope, state: TaskState, plan: VerificationPlan): Promise<string | undefined> {
  const { workspace } = state;
  const recapture = async () => {
    state.captured = (await workspace?.capture(CAPTURE_AS_PATCH)) ?? {};
  };
  await recapture();
  const verified = await tryVerification(scope, state, plan, recapture);
  if (typeof verified === 'string') return verified;
  state.verification = verified.result;
  state.isStopped = verified.isInterrupted;
  const error = verified.error ?? (state.runResult && getFailure(state.runResult));
  if (verified.isInterrupted) return error;
  if (error !== undefined && plan.onFailure === 'discard_patch') {
    await workspace?.discardCapture();
    state.captured = {};
  } else {
    await captureTaskChange(scope, state, error);
  }
  return error;
}

/** A string is the error message of a verification that threw. */
async function tryVerification(
  scope: TaskScope,
  state: TaskState,
  plan: VerificationPlan,
  recapture: () => Promise<void>,
): Promise<Awaited<ReturnType<typeof verifyWithRepair>> | string> {
  const { spawner, host, folder, budgetAccount } = scope;
  const { signal } = scope.running;
  const { task, cwd } = state;
  const { runShell, ports } = spawner.base;
  try {
    return await verifyWithRepair({
      ...{ plan, id: task.id, cwd, folder, signal, budgetAccount, emit: host.emit, ports, runShell },
      contextLines: spawner.settings.verification.failureContextLineLimit,
      reportBudgetExceeded: () => scope.reportBudgetExceeded(),
      async repair(repairPrompt) {
        const prompt = `${task.prompt}\n\n${repairPrompt}`;
        const repairResult = await runTaskSession(scope, state, { name: `${task.id}-repair`, cwd, prompt });
        if (repairResult.error !== undefined) return { error: repairResult.error };
        state.runResult = repairResult;
        await recapture();
        return undefined;
      },
    });
  } catch (thrown) {
    state.verification = createUnverifiedResult(plan, 'failed');
    return `Verification could not be completed: ${getErrorMessage(thrown)}`;
  }
}

/** A successful task gets a branch if the settings merge branches. Every other change is saved as a patch. */
async function captureTaskChange(scope: TaskScope, state: TaskState, error: string | undefined): Promise<void> {
  const { spawner, host, budgetAccount } = scope;
  const { signal } = scope.running;
  const { isolation } = spawner.settings;
  const description = state.task.description ?? state.task.id;
  const branch: CaptureOptions = {
    asBranch: true,
    createMessage: (patch) =>
      isolation.commits === 'ai'
        ? generateCommitMessage(spawner, host, { patch, description, budgetAccount, signal })
        : description,
  };
  const captureOptions = error === undefined && isolation.merge === 'branch' ? branch : CAPTURE_AS_PATCH;
  state.captured = (await state.workspace?.capture(captureOptions)) ?? {};
}

async function runTaskSession(
  scope: TaskScope,
  { task, usage }: TaskState,
  sessionOptions: { name: string; cwd: string; prompt: string },
): Promise<SubagentRunResult> {
  const { spawner, host, agent, model, answerParser, folder, budgetAccount, running } = scope;
  const onEvent = (event: AgentEvent) => scope.onEvent(task.index, event);
  const runOptions = {
    ...{ ...sessionOptions, id: task.id, agent, model, answerParser, folder, budgetAccount },
    ...{ running, signal: running.signal, onEvent },
    // A repair has its own log.
    resumedLog: sessionOptions.name === task.id ? scope.resumption?.log : undefined,
  };
  const runResult = await runSubagent(spawner, host, runOptions);
  addUsage(usage, runResult.usage);
  return runResult;
}

async function createOutcome(scope: TaskScope, state: TaskState, error: string | undefined): Promise<TaskOutcome> {
  const { runResult, usage, captured, verification, isStopped, task } = state;
  const { budgetAccount } = scope;
  const { signal } = scope.running;
  const output = await saveOutput(scope.spawner.base.ports, scope.folder, task.id, runResult?.output ?? '');
  return {
    ...output,
    ...captured,
    ...(runResult?.answer && 'data' in runResult.answer
      ? { extractedToolData: { answer: runResult.answer.data } }
      : {}),
    exitCode: error === undefined ? 0 : 1,
    stderr: error ?? '',
    usage,
    tokens: sumTokens(usage),
    ...getModelOverride(scope, runResult),
    ...(error === undefined ? {} : { error }),
    ...(isStopped && signal.aborted ? { aborted: true } : {}),
    ...(isStopped ? getAbortReason(signal, budgetAccount) : {}),
    ...(verification ? { verification } : {}),
  };
}

function getAbortReason(signal: AbortSignal, budgetAccount: BudgetAccount | undefined): { abortReason?: string } {
  if (describeStopRequest(signal) !== undefined) return { abortReason: 'stopped' };
  return budgetAccount?.stoppingLimit ? { abortReason: 'budget_exceeded' } : {};
}

function getModelOverride({ host }: TaskScope, runResult: SubagentRunResult | undefined): { modelOverride?: string } {
  const parentModel = host.model ? `${host.model.provider}/${host.model.id}` : undefined;
  const model = runResult?.model;
  return model === undefined || model === parentModel ? {} : { modelOverride: model };
}

/** An answer that does not match the schema is a failure of the task, although its work is done. */
function getFailure({ error, answer }: SubagentRunResult): string | undefined {
  return error ?? (answer && 'mismatch' in answer ? answer.mismatch : undefined);
}
