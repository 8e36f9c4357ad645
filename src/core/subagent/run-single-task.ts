// Runs one task: creates its workspace, executes it, emits its events. Failures become part of its result.
import { getErrorMessage } from '../../base/index.ts';
import type { AgentEventOf, SubagentResult } from '../../protocol/index.ts';
import { executeTask, type TaskOutcome, type TaskScope } from './execute-task.ts';
import type { PlannedTask } from './validate-tasks.ts';
import type { Workspace } from './workspace.ts';

export async function runSingleTask(scope: TaskScope, task: PlannedTask): Promise<SubagentResult> {
  const { host, agent, running, budgetAccount } = scope;
  const { signal } = running;
  const startedAt = getClock(scope).now();
  const result = (outcome: TaskOutcome): SubagentResult =>
    createResult(scope, task, getClock(scope).now() - startedAt, outcome);
  let workspace: Workspace | undefined;
  try {
    if (signal.aborted || budgetAccount?.exceededLimit) return result(await createNotStartedOutcome(scope));
    workspace = await scope.isolation?.createWorkspace(task.id, scope.resumption?.patch);
  } catch (thrown) {
    if (signal.aborted) return result(await createNotStartedOutcome(scope));
    return result(createFailedOutcome(`Cannot isolate the task: ${getErrorMessage(thrown)}`));
  }
  // Check and charge the budget without awaiting in between, so that tasks that start together cannot exceed the limit.
  if (signal.aborted || budgetAccount?.exceededLimit) {
    await workspace?.remove();
    return result(await createNotStartedOutcome(scope));
  }
  const { id } = task;
  const { handles } = host.subagentRegistry;
  running.isStarted = true;
  handles.set(id, running);
  const accepted = scope.onTaskStart?.(id);
  const startEmitted = host.emit({ type: 'subagent_start', id, agent: agent.name, isolated: workspace !== undefined });
  const budgetCharged = budgetAccount?.charge({ subagents: 1 });
  await Promise.all([accepted, startEmitted, budgetCharged, scope.onEvent(task.index, 'begin')]);
  const outcome = await executeTask(scope, task, workspace);
  running.detach();
  await workspace?.remove();
  await host.emit({ type: 'subagent_end', id, agent: agent.name, ...createEndFields(outcome) });
  return result(outcome);
}

/** The patch of a successful task is omitted here: it is merged after all tasks have ended and reported with the call's result. */
function createEndFields(outcome: TaskOutcome): Omit<AgentEventOf<'subagent_end'>, 'type' | 'id' | 'agent'> {
  const { exitCode, verification, error, aborted, abortReason, patchPath, nestedPatches, newRepositories } = outcome;
  const failureFields = { error, aborted, abortReason, patchPath, nestedPatches, newRepositories };
  const fields = { verification, ...(exitCode === 0 ? {} : failureFields) };
  const definedFields = Object.entries(fields).filter(([, value]) => value !== undefined);
  return { exitCode, ...Object.fromEntries(definedFields) };
}

async function createNotStartedOutcome(scope: TaskScope): Promise<TaskOutcome> {
  const reason = scope.budgetAccount?.exceededLimit;
  if (reason && !scope.running.signal.aborted) await scope.reportBudgetExceeded();
  if (reason)
    return { ...createFailedOutcome(`Budget exceeded (${reason})`), aborted: true, abortReason: 'budget_exceeded' };
  return { ...createFailedOutcome('Skipped (cancelled before start)'), aborted: true };
}

function createFailedOutcome(error: string): TaskOutcome {
  return { exitCode: 1, stderr: error, error };
}

function createResult(scope: TaskScope, task: PlannedTask, durationMs: number, outcome: TaskOutcome): SubagentResult {
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

function getClock({ spawner }: TaskScope) {
  return spawner.base.ports.clock;
}
