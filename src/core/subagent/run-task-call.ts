// Runs one call of the task tool: validates it, gives its tasks their ids, and runs them.
import { Fault, getErrorMessage } from '../../base/index.ts';
import type { TaskOptions, TaskRequest, ToolResult } from '../../contracts/index.ts';
import { createToolResult, runTaskBatch, type TaskCallScope } from './run-task-batch.ts';
import { planTaskCall } from './task-call-plan.ts';
import { planTasks } from './validate-tasks.ts';

export async function runTaskCall(
  callScope: TaskCallScope,
  request: TaskRequest,
  options: TaskOptions,
): Promise<ToolResult> {
  return resultOrRefusal(callScope, () => executeTaskCall(callScope, request, options));
}

/** A refusal is a result for the model, like everything else that a task reports. */
export async function resultOrRefusal(
  { spawner }: Pick<TaskCallScope, 'spawner'>,
  execute: () => Promise<ToolResult>,
): Promise<ToolResult> {
  try {
    return await execute();
  } catch (thrown) {
    const isRefused = thrown instanceof Fault && thrown.code === 'refused';
    const text = isRefused ? thrown.message : `Task execution failed: ${getErrorMessage(thrown)}`;
    const { projectAgentsFolder } = await spawner.getAgentRegistry();
    return createToolResult(projectAgentsFolder, text, [], 0);
  }
}

async function executeTaskCall(
  callScope: TaskCallScope,
  request: TaskRequest,
  options: TaskOptions,
): Promise<ToolResult> {
  const { spawner, host } = callScope;
  const plan = await planTaskCall(spawner, host, request);
  await warnOnce(callScope, plan.warnings);
  const folder = await host.ensureArtifactDirectory();
  await loadUsedIds(callScope, folder);
  const tasks = planTasks(request, plan.taskItems, callScope.usedIds, host.parentLink ? `${host.parentLink.id}.` : '');
  return runTaskBatch(callScope, { plan, request, tasks, folder }, options);
}

export async function warnOnce(
  { host, reportedWarnings }: Pick<TaskCallScope, 'host' | 'reportedWarnings'>,
  warnings: readonly string[],
): Promise<void> {
  for (const message of warnings) {
    if (reportedWarnings.has(message)) continue;
    reportedWarnings.add(message);
    await host.emit({ type: 'notice', level: 'warning', message, source: 'subagents' });
  }
}

/** A resumed session must not reuse the ids of its earlier tasks. Their files are in the folder. */
async function loadUsedIds({ spawner, usedIds }: TaskCallScope, folder: string): Promise<void> {
  const files = await spawner.base.ports.files.list(folder).catch(() => []);
  for (const { name } of files) {
    const id = /^(.*?)\.(?:md|jsonl|patch)$/.exec(name)?.[1];
    if (id) usedIds.add(id.toLowerCase());
  }
}
