// First floor, core: one task from its start to its end: run, verify, capture, tell. What goes wrong is part of its result.
import { messageOf } from '../../base/index.ts';
import {
  type AgentEvent,
  addUsage,
  type Model,
  type SubagentResult,
  totalTokens,
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
import type { Isolation, Workspace } from './workspace.ts';

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

type Outcome = Partial<SubagentResult> & Pick<SubagentResult, 'exitCode'>;

export async function runOne(scope: TaskScope, task: PlannedTask): Promise<SubagentResult> {
  const { host, agent, signal, purse } = scope;
  const began = clockOf(scope).now();
  const result = (outcome: Outcome): SubagentResult => resultOf(scope, task, clockOf(scope).now() - began, outcome);
  let workspace: Workspace | undefined;
  try {
    if (signal.aborted || purse?.violation) return result(await notStarted(scope));
    workspace = await scope.isolation?.enter(task.id);
  } catch (thrown) {
    if (signal.aborted) return result(await notStarted(scope));
    return result(failedWith(`Cannot isolate the task: ${messageOf(thrown)}`));
  }
  // Looked at and spent in one breath: of many that begin together, no more than allowed do.
  if (signal.aborted || purse?.violation) {
    await workspace?.leave();
    return result(await notStarted(scope));
  }
  const { id } = task;
  const told = host.emit({ type: 'subagent_start', id, agent: agent.name, isolated: workspace !== undefined });
  const spent = purse?.spend({ subagents: 1 });
  await Promise.all([told, spent, scope.watch(task.index, 'begin')]);
  const outcome = await work(scope, task, workspace).catch((thrown): Outcome => failedWith(messageOf(thrown)));
  await workspace?.leave();
  const { exitCode, verification } = outcome;
  await host.emit({
    type: 'subagent_end',
    id,
    agent: agent.name,
    exitCode,
    ...(verification === undefined ? {} : { verification }),
  });
  return result(outcome);
}

async function notStarted(scope: TaskScope): Promise<Outcome> {
  const reason = scope.purse?.violation;
  if (reason && !scope.signal.aborted) await scope.refused();
  if (reason) return { ...failedWith(`Budget exceeded (${reason})`), aborted: true, abortReason: 'budget_exceeded' };
  return { ...failedWith('Skipped (cancelled before start)'), aborted: true };
}

function failedWith(error: string): Outcome {
  return { exitCode: 1, stderr: error, error };
}

async function work(scope: TaskScope, task: PlannedTask, workspace: Workspace | undefined): Promise<Outcome> {
  const { plan, signal, purse } = scope;
  const cwd = workspace?.cwd ?? scope.host.cwd;
  let ending = await session(scope, task, { name: task.id, cwd, prompt: task.prompt });
  const usage = ending.usage;
  let error = failureOf(ending);
  let verification: VerificationResult | undefined = plan && unverified(plan, 'skipped');
  if (plan && error === undefined) {
    const { runShell, ports } = scope.spawner.base;
    const { id } = task;
    const { emit } = scope.host;
    const verified = await verify({
      ...{ plan, id, cwd, folder: scope.folder, signal, purse, emit, ports, runShell },
      contextLines: scope.spawner.settings.verification.failureContextLineLimit,
      refused: () => scope.refused(),
      async repair(remark) {
        const prompt = `${task.prompt}\n\n${remark}`;
        const second = await session(scope, task, { name: `${task.id}-repair`, cwd, prompt });
        addUsage(usage, second.usage);
        if (second.error === undefined) ending = second;
        return second.error === undefined ? undefined : { error: second.error };
      },
    });
    verification = verified.result;
    error = verified.error ?? failureOf(ending);
  }
  const output = await kept(scope.spawner.base.ports.files, scope.folder, task.id, ending.output);
  const captured = await capture(scope, task, workspace, ending, verification);
  return {
    ...output,
    ...captured,
    ...(ending.answer && 'data' in ending.answer ? { extractedToolData: { answer: ending.answer.data } } : {}),
    exitCode: error === undefined ? 0 : 1,
    stderr: error ?? '',
    usage,
    tokens: totalTokens(usage),
    ...(modelOverride(scope, ending) ?? {}),
    ...(error === undefined ? {} : { error }),
    ...(signal.aborted ? { aborted: true, ...(purse?.exhausted ? { abortReason: 'budget_exceeded' } : {}) } : {}),
    ...(verification ? { verification } : {}),
  };
}

/** Only work that came to its end; work that failed its checks is kept to be looked at, unless it is not wanted. */
async function capture(
  scope: TaskScope,
  task: PlannedTask,
  workspace: Workspace | undefined,
  ending: Ending,
  verification: VerificationResult | undefined,
): Promise<Partial<SubagentResult>> {
  if (!workspace || ending.error !== undefined || scope.signal.aborted) return {};
  const isGood = failureOf(ending) === undefined && (verification === undefined || verification.status === 'passed');
  if (!isGood && verification?.onFailure === 'discard_patch') return {};
  const asBranch = isGood && scope.spawner.settings.isolation.merge === 'branch';
  const description = task.description ?? task.id;
  const { spawner, host, purse, signal } = scope;
  return workspace.capture({
    asBranch,
    message: (patch) =>
      spawner.settings.isolation.commits === 'ai'
        ? wordedByModel(spawner, host, { patch, description, purse, signal })
        : description,
  });
}

function session(
  scope: TaskScope,
  task: PlannedTask,
  place: { name: string; cwd: string; prompt: string },
): Promise<Ending> {
  const { spawner, host, agent, model, form, folder, purse, signal } = scope;
  const watch = (event: AgentEvent) => scope.watch(task.index, event);
  return runSubagent(spawner, host, { ...place, id: task.id, agent, model, form, folder, purse, signal, watch });
}

function modelOverride({ host }: TaskScope, { model }: Ending): { modelOverride: string } | undefined {
  const own = host.model ? `${host.model.provider}/${host.model.id}` : undefined;
  return model === undefined || model === own ? undefined : { modelOverride: model };
}

/** An answer in the wrong form is a failure of its task, though its work is done. */
function failureOf({ error, answer }: Ending): string | undefined {
  return error ?? (answer && 'misfit' in answer ? answer.misfit : undefined);
}

function resultOf(scope: TaskScope, task: PlannedTask, durationMs: number, outcome: Outcome): SubagentResult {
  return {
    index: task.index,
    id: task.id,
    agent: scope.agent.name,
    agentSource: scope.agent.source,
    task: task.prompt,
    assignment: task.assignment,
    ...(task.description === undefined ? {} : { description: task.description }),
    output: '',
    stderr: '',
    truncated: false,
    durationMs,
    tokens: 0,
    ...outcome,
  };
}

function clockOf({ spawner }: TaskScope) {
  return spawner.base.ports.clock;
}
