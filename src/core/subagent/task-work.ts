// The work of one task that has started: run it, capture its change, verify it. Whatever breaks, what was reached before stays.
import { messageOf } from '../../base/index.ts';
import {
  type AgentEvent,
  addUsage,
  type Model,
  noUsage,
  type SubagentResult,
  totalTokens,
  type Usage,
  type VerificationResult,
} from '../../protocol/index.ts';
import type { Purse, SubagentHost } from '../session/family.ts';
import type { PlannedTask } from './admission.ts';
import type { AnswerForm } from './answer.ts';
import { wordedByModel } from './commit-message.ts';
import type { AgentDefinition } from './definition.ts';
import { kept } from './output.ts';
import { type Ending, runSubagent } from './session.ts';
import type { Spawner } from './spawner.ts';
import { verify } from './verification.ts';
import { unverified, type VerificationPlan } from './verify-plan.ts';
import type { Captured, CaptureHow, Isolation, Workspace } from './workspace.ts';

export interface TaskScope {
  readonly spawner: Spawner;
  readonly host: SubagentHost;
  readonly agent: AgentDefinition;
  readonly model: Model | null;
  readonly form: AnswerForm | undefined;
  readonly plan: VerificationPlan | undefined;
  readonly isolation: Isolation | undefined;
  readonly folder: string;
  readonly purse: Purse | undefined;
  readonly signal: AbortSignal;
  /** A spawn was refused because nothing may be spent any more. Told once for all of them. */
  refused(): Promise<void>;
  watch(index: number, event: AgentEvent | 'begin'): undefined | Promise<void>;
}

export type Outcome = Partial<SubagentResult> & Pick<SubagentResult, 'exitCode'>;

interface Progress {
  readonly task: PlannedTask;
  readonly cwd: string;
  readonly workspace: Workspace | undefined;
  readonly usage: Usage;
  ending: Ending | undefined;
  captured: Captured;
  verification: VerificationResult | undefined;
  /** An abort or the budget ended it. */
  isStopped: boolean;
}

const AS_PATCH: CaptureHow = { asBranch: false, message: () => '' };

/** Never rejects. */
export async function work(scope: TaskScope, task: PlannedTask, workspace: Workspace | undefined): Promise<Outcome> {
  const progress: Progress = {
    ...{ task, workspace, cwd: workspace?.cwd ?? scope.host.cwd, usage: noUsage() },
    ...{ ending: undefined, captured: {}, isStopped: false },
    verification: scope.plan && unverified(scope.plan, 'skipped'),
  };
  const error = await carryOut(scope, progress).catch(messageOf);
  return outcomeOf(scope, progress, error);
}

/** Why the work is not good; `undefined` when it is. */
async function carryOut(scope: TaskScope, progress: Progress): Promise<string | undefined> {
  const { plan } = scope;
  const { task, cwd } = progress;
  const ending = await session(scope, progress, { name: task.id, cwd, prompt: task.prompt });
  progress.ending = ending;
  progress.isStopped = ending.isStopped;
  const failure = failureOf(ending);
  if (ending.error !== undefined) return failure;
  if (plan && failure === undefined) return verifyWork(scope, progress, plan);
  // An answer in the wrong form: the work is done, and its change is kept unless failed work is not wanted.
  if (failure === undefined || plan?.onFailure !== 'discard_patch') await capture(scope, progress, failure);
  return failure;
}

/**
 * Captures before the first command runs, and again after a repair. A verification that is interrupted or breaks leaves that
 * capture; one that ends by itself is followed by another, because its commands may change files too.
 */
async function verifyWork(scope: TaskScope, progress: Progress, plan: VerificationPlan): Promise<string | undefined> {
  const { workspace } = progress;
  const recapture = async () => {
    progress.captured = (await workspace?.capture(AS_PATCH)) ?? {};
  };
  await recapture();
  const verified = await runVerification(scope, progress, plan, recapture);
  if (typeof verified === 'string') return verified;
  progress.verification = verified.result;
  progress.isStopped = verified.isInterrupted;
  const error = verified.error ?? (progress.ending && failureOf(progress.ending));
  if (verified.isInterrupted) return error;
  if (error !== undefined && plan.onFailure === 'discard_patch') {
    await workspace?.discard();
    progress.captured = {};
  } else {
    await capture(scope, progress, error);
  }
  return error;
}

/** A sentence when the verification itself broke. */
async function runVerification(
  scope: TaskScope,
  progress: Progress,
  plan: VerificationPlan,
  recapture: () => Promise<void>,
): Promise<Awaited<ReturnType<typeof verify>> | string> {
  const { spawner, host, folder, signal, purse } = scope;
  const { task, cwd } = progress;
  const { runShell, ports } = spawner.base;
  try {
    return await verify({
      ...{ plan, id: task.id, cwd, folder, signal, purse, emit: host.emit, ports, runShell },
      contextLines: spawner.settings.verification.failureContextLineLimit,
      refused: () => scope.refused(),
      async repair(remark) {
        const prompt = `${task.prompt}\n\n${remark}`;
        const second = await session(scope, progress, { name: `${task.id}-repair`, cwd, prompt });
        if (second.error !== undefined) return { error: second.error };
        progress.ending = second;
        await recapture();
        return undefined;
      },
    });
  } catch (thrown) {
    progress.verification = unverified(plan, 'failed');
    return `Verification could not be completed: ${messageOf(thrown)}`;
  }
}

/** Good work becomes a branch where branches are merged; other work is kept as a patch. */
async function capture(scope: TaskScope, progress: Progress, error: string | undefined): Promise<void> {
  const { spawner, host, purse, signal } = scope;
  const { isolation } = spawner.settings;
  const description = progress.task.description ?? progress.task.id;
  const branch: CaptureHow = {
    asBranch: true,
    message: (patch) =>
      isolation.commits === 'ai' ? wordedByModel(spawner, host, { patch, description, purse, signal }) : description,
  };
  const how = error === undefined && isolation.merge === 'branch' ? branch : AS_PATCH;
  progress.captured = (await progress.workspace?.capture(how)) ?? {};
}

async function session(
  scope: TaskScope,
  { task, usage }: Progress,
  place: { name: string; cwd: string; prompt: string },
): Promise<Ending> {
  const { spawner, host, agent, model, form, folder, purse, signal } = scope;
  const watch = (event: AgentEvent) => scope.watch(task.index, event);
  const job = { ...place, id: task.id, agent, model, form, folder, purse, signal, watch };
  const ending = await runSubagent(spawner, host, job);
  addUsage(usage, ending.usage);
  return ending;
}

async function outcomeOf(scope: TaskScope, progress: Progress, error: string | undefined): Promise<Outcome> {
  const { ending, usage, captured, verification, isStopped, task } = progress;
  const { signal, purse } = scope;
  const output = await kept(scope.spawner.base.ports, scope.folder, task.id, ending?.output ?? '');
  return {
    ...output,
    ...captured,
    ...(ending?.answer && 'data' in ending.answer ? { extractedToolData: { answer: ending.answer.data } } : {}),
    exitCode: error === undefined ? 0 : 1,
    stderr: error ?? '',
    usage,
    tokens: totalTokens(usage),
    ...modelOverride(scope, ending),
    ...(error === undefined ? {} : { error }),
    ...(isStopped && signal.aborted ? { aborted: true } : {}),
    ...(isStopped && purse?.exhausted ? { abortReason: 'budget_exceeded' } : {}),
    ...(verification ? { verification } : {}),
  };
}

function modelOverride({ host }: TaskScope, ending: Ending | undefined): { modelOverride?: string } {
  const own = host.model ? `${host.model.provider}/${host.model.id}` : undefined;
  const model = ending?.model;
  return model === undefined || model === own ? {} : { modelOverride: model };
}

/** An answer in the wrong form is a failure of its task, though its work is done. */
function failureOf({ error, answer }: Ending): string | undefined {
  return error ?? (answer && 'misfit' in answer ? answer.misfit : undefined);
}
