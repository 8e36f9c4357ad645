// Runs one call of the task tool: validates it, runs its tasks concurrently, merges their changes, builds the tool result.
import { Fault, getErrorMessage } from '../../base/index.ts';
import type { TaskOptions, TaskRequest, ToolResult } from '../../contracts/index.ts';
import { addUsage, createEmptyUsage, type SubagentProgress, type SubagentResult } from '../../protocol/index.ts';
import { createBudget } from '../policy/budget.ts';
import type { BudgetAccount, SubagentHost } from '../session/parent-link.ts';
import type { TaskScope } from './execute-task.ts';
import { createSignalFanOut } from './fan-out.ts';
import { runSingleTask } from './run-single-task.ts';
import type { Spawner } from './spawner.ts';
import { createTaskCallEvents } from './task-call-events.ts';
import { planTaskCall } from './task-call-plan.ts';
import { formatTaskReport } from './task-report.ts';
import { listUnappliedChanges } from './unapplied-changes.ts';
import { type PlannedTask, planTasks } from './validate-tasks.ts';
import type { BeginIsolation, Isolation, MergeResult } from './workspace.ts';

export interface TaskCallScope {
  readonly spawner: Spawner;
  readonly host: SubagentHost;
  readonly beginIsolation: BeginIsolation;
  /** The ids of earlier calls of this session, in lower case. */
  readonly usedIds: Set<string>;
  /** Warnings that the host has already received. */
  readonly reportedWarnings: Set<string>;
}

export async function runTaskCall(
  callScope: TaskCallScope,
  request: TaskRequest,
  options: TaskOptions,
): Promise<ToolResult> {
  try {
    return await executeTaskCall(callScope, request, options);
  } catch (thrown) {
    const isRefused = thrown instanceof Fault && thrown.code === 'refused';
    const text = isRefused ? thrown.message : `Task execution failed: ${getErrorMessage(thrown)}`;
    const { projectAgentsFolder } = await callScope.spawner.getAgentRegistry();
    return createToolResult(projectAgentsFolder, text, [], 0);
  }
}

async function executeTaskCall(
  callScope: TaskCallScope,
  request: TaskRequest,
  options: TaskOptions,
): Promise<ToolResult> {
  const { spawner, host } = callScope;
  const { clock } = spawner.base.ports;
  const call = await planTaskCall(spawner, host, request);
  const { agent, warnings, projectAgentsFolder } = call;
  await warnOnce(callScope, warnings);
  const folder = await host.ensureArtifactDirectory();
  await loadUsedIds(callScope, folder);
  const tasks = planTasks(request, call.taskItems, callScope.usedIds, host.parentLink ? `${host.parentLink.id}.` : '');
  const startedAt = clock.now();
  const signalFanOut = createSignalFanOut(options.signal);
  const isolation = request.isolated
    ? await beginIsolationOrRefuse(callScope, folder, signalFanOut.createSignal())
    : undefined;
  const { toolCallId } = options;
  const taskCallEvents = createTaskCallEvents({ spawner, host, agent, folder, toolCallId }, tasks, (progress) =>
    options.update(
      createToolResult(projectAgentsFolder, formatRunningText(tasks.length), [], clock.now() - startedAt, progress),
    ),
  );
  try {
    const scope: TaskScope = {
      ...{ ...call, spawner, host, isolation, folder, signal: options.signal },
      ...createTaskBudget(host),
      onEvent: taskCallEvents.onEvent,
    };
    const results = await runConcurrently(tasks, spawner.settings.maxConcurrency, async (task) => {
      const result = await runSingleTask({ ...scope, signal: signalFanOut.createSignal() }, task);
      await taskCallEvents.finish(task.index, result);
      return result;
    });
    const merged = isolation && (await mergeChanges(host, isolation, results, options.signal));
    const durationMs = clock.now() - startedAt;
    const text = formatTaskReport(results, durationMs, { warnings, mergeText: merged?.text });
    return createToolResult(projectAgentsFolder, text, results, durationMs);
  } finally {
    taskCallEvents.close();
    await isolation?.close();
    signalFanOut.close();
  }
}

/** After an abort or an exceeded budget nothing is merged. The changes stay where they were captured, and the host gets a notice with their paths. */
async function mergeChanges(
  host: SubagentHost,
  isolation: Isolation,
  results: SubagentResult[],
  signal: AbortSignal,
): Promise<MergeResult> {
  const cause = signal.aborted ? describeStopCause(host) : undefined;
  const merged =
    cause === undefined
      ? await isolation.merge(results).catch((thrown) => isolation.skipMerge(results, getErrorMessage(thrown)))
      : await isolation.skipMerge(results, cause);
  if (merged.isComplete) return merged;
  host.retainArtifacts();
  if (cause !== undefined) {
    const locations = listUnappliedChanges(results).join(', ');
    const message = `Changes of isolated tasks were not applied because ${cause}. They are kept: ${locations}`;
    await host.emit({ type: 'notice', level: 'warning', message, source: 'subagents' });
  }
  return merged;
}

function describeStopCause({ budgetAccount }: SubagentHost): string {
  return budgetAccount?.stoppingLimit
    ? `the budget is exceeded (${budgetAccount.stoppingLimit})`
    : 'the run was aborted';
}

async function warnOnce({ host, reportedWarnings }: TaskCallScope, warnings: readonly string[]): Promise<void> {
  for (const message of warnings) {
    if (reportedWarnings.has(message)) continue;
    reportedWarnings.add(message);
    await host.emit({ type: 'notice', level: 'warning', message, source: 'subagents' });
  }
}

async function beginIsolationOrRefuse(
  callScope: TaskCallScope,
  folder: string,
  signal: AbortSignal,
): Promise<Isolation> {
  try {
    return await callScope.beginIsolation({ folder, signal });
  } catch (thrown) {
    const exhaustedReason = callScope.host.budgetAccount?.stoppingLimit;
    if (signal.aborted && exhaustedReason)
      throw new Fault('refused', `Skipped (budget exceeded before start: ${exhaustedReason})`);
    if (signal.aborted) throw new Fault('refused', 'Skipped (cancelled before start)');
    throw new Fault('refused', `Isolated task execution requires a git repository. ${getErrorMessage(thrown)}`);
  }
}

/** Counts the spending of this call separately and charges it to the session's account. */
function createTaskBudget({ budgetAccount, emit }: SubagentHost): {
  budgetAccount: BudgetAccount | undefined;
  reportBudgetExceeded(): Promise<void>;
} {
  if (!budgetAccount) return { budgetAccount: undefined, reportBudgetExceeded: async () => {} };
  const callBudget = createBudget({ warnAtRatio: 1 }, 'task');
  let isReported = false;
  return {
    budgetAccount: {
      charge(spending) {
        callBudget.charge(spending);
        return budgetAccount.charge(spending);
      },
      get exceededLimit() {
        return budgetAccount.exceededLimit;
      },
      get stoppingLimit() {
        return budgetAccount.stoppingLimit;
      },
    },
    async reportBudgetExceeded() {
      if (isReported) return;
      isReported = true;
      const snapshot = { ...callBudget.snapshot(budgetAccount.exceededLimit), status: 'exceeded' as const };
      await emit({ type: 'budget_exceeded', scope: 'task', snapshot });
    },
  };
}

/** Results are in the order of the tasks, not in the order of completion. */
async function runConcurrently(
  tasks: readonly PlannedTask[],
  maxConcurrency: number,
  execute: (task: PlannedTask) => Promise<SubagentResult>,
): Promise<SubagentResult[]> {
  const results: SubagentResult[] = [];
  const waiting = [...tasks];
  const runWorker = async () => {
    for (let task = waiting.shift(); task; task = waiting.shift()) results[task.index] = await execute(task);
  };
  const workerCount = maxConcurrency > 0 ? Math.min(maxConcurrency, tasks.length) : tasks.length;
  await Promise.all(Array.from({ length: workerCount }, runWorker));
  return results;
}

/** A resumed session must not reuse the ids of its earlier tasks. Their files are in the folder. */
async function loadUsedIds({ spawner, usedIds }: TaskCallScope, folder: string): Promise<void> {
  const files = await spawner.base.ports.files.list(folder).catch(() => []);
  for (const { name } of files) {
    const id = /^(.*?)\.(?:md|jsonl|patch)$/.exec(name)?.[1];
    if (id) usedIds.add(id.toLowerCase());
  }
}

function formatRunningText(count: number): string {
  return `Running ${count} ${count === 1 ? 'agent' : 'agents'}...`;
}

function createToolResult(
  projectAgentsDir: string | null,
  text: string,
  results: SubagentResult[],
  totalDurationMs: number,
  progress?: readonly SubagentProgress[],
): ToolResult {
  const usage = createEmptyUsage();
  for (const result of results) if (result.usage) addUsage(usage, result.usage);
  const outputPaths = results.flatMap(({ outputPath }) => (outputPath ? [outputPath] : []));
  return {
    content: [{ type: 'text', text }],
    details: {
      projectAgentsDir,
      results,
      totalDurationMs,
      ...(results.length > 0 ? { usage, outputPaths } : {}),
      ...(progress ? { progress } : {}),
    },
  };
}
