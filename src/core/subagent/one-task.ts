// One task from its start to its end: its copy, its work, its events. What goes wrong is part of its result.
import { messageOf } from '../../base/index.ts';
import type { AgentEventOf, SubagentResult } from '../../protocol/index.ts';
import type { PlannedTask } from './admission.ts';
import { type Outcome, type TaskScope, work } from './task-work.ts';
import type { Workspace } from './workspace.ts';

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
  const outcome = await work(scope, task, workspace);
  await workspace?.leave();
  await host.emit({ type: 'subagent_end', id, agent: agent.name, ...endOf(outcome) });
  return result(outcome);
}

/** Where the change of good work goes is decided with the whole batch, and told with its result. */
function endOf(outcome: Outcome): Omit<AgentEventOf<'subagent_end'>, 'type' | 'id' | 'agent'> {
  const { exitCode, verification, error, aborted, abortReason, patchPath, nestedPatches, newRepositories } = outcome;
  const more = { error, aborted, abortReason, patchPath, nestedPatches, newRepositories };
  const fields = { verification, ...(exitCode === 0 ? {} : more) };
  const known = Object.entries(fields).filter(([, value]) => value !== undefined);
  return { exitCode, ...Object.fromEntries(known) };
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
