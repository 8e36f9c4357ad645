// Runs the tasks of one call concurrently, merges their changes, and builds the tool result.
import { Fault, getErrorMessage } from '../../base/index.ts';
import type { TaskOptions, TaskRequest, ToolResult } from '../../contracts/index.ts';
import { addUsage, createEmptyUsage, type SubagentProgress, type SubagentResult } from '../../protocol/index.ts';
import { createBudget } from '../policy/budget.ts';
import type { BudgetAccount, SubagentHost, SubagentRecord } from '../session/parent-link.ts';
import type { Resumption, TaskScope } from './execute-task.ts';
import { createSignalFanOut, type SignalFanOut } from './fan-out.ts';
import { mergeChanges } from './merge-changes.ts';
import { runSingleTask } from './run-single-task.ts';
import { RunningSubagent } from './running-subagent.ts';
import type { Spawner } from './spawner.ts';
import { describeSubagent, type SubagentEventsOptions } from './subagent-events.ts';
import { endRecord, saveRecord } from './subagent-records.ts';
import { createTaskCallEvents, type TaskCallEvents } from './task-call-events.ts';
import type { TaskCallPlan } from './task-call-plan.ts';
import { formatTaskReport } from './task-report.ts';
import { listChangeLocations } from './unapplied-changes.ts';
import type { PlannedTask } from './validate-tasks.ts';
import type { BeginIsolation, Isolation } from './workspace.ts';

export interface TaskCallScope {
  readonly spawner: Spawner;
  readonly host: SubagentHost;
  readonly beginIsolation: BeginIsolation;
  /** The ids of earlier calls of this session, in lower case. */
  readonly usedIds: Set<string>;
  /** Warnings that the host has already received. */
  readonly reportedWarnings: Set<string>;
}

export interface TaskBatch {
  readonly plan: TaskCallPlan;
  readonly request: TaskRequest;
  readonly tasks: readonly PlannedTask[];
  readonly folder: string;
  /** Set when a subagent that has ended is continued. */
  readonly resumed?: { readonly record: SubagentRecord; readonly resumption: Resumption } | undefined;
}

/** The tasks that are at work, and what is needed to record them. */
interface BatchRun extends TaskCallScope, TaskBatch {
  readonly taskScope: Omit<TaskScope, 'running'>;
  readonly taskCallEvents: TaskCallEvents;
  readonly eventOptions: SubagentEventsOptions;
  readonly signalFanOut: SignalFanOut;
}

export async function runTaskBatch(
  callScope: TaskCallScope,
  batch: TaskBatch,
  options: TaskOptions,
): Promise<ToolResult> {
  const { spawner, host } = callScope;
  const { plan, tasks, folder, resumed } = batch;
  const { projectAgentsFolder, warnings } = plan;
  const { clock } = spawner.base.ports;
  const startedAt = clock.now();
  const signalFanOut = createSignalFanOut(options.signal);
  const isolation = batch.request.isolated
    ? await beginIsolationOrRefuse(callScope, folder, signalFanOut.createSignal())
    : undefined;
  const eventOptions = {
    spawner,
    host,
    agent: plan.agent,
    folder,
    toolCallId: options.toolCallId ?? resumed?.record.snapshot.parentToolCallId,
  };
  const taskCallEvents = createTaskCallEvents(eventOptions, tasks, (progress) =>
    options.update(
      createToolResult(projectAgentsFolder, formatRunningText(tasks.length), [], clock.now() - startedAt, progress),
    ),
  );
  try {
    const taskScope = {
      ...{ ...plan, spawner, host, isolation, folder, resumption: resumed?.resumption },
      ...createTaskBudget(host),
      onEvent: taskCallEvents.onEvent,
      onTaskStart: options.onTaskStart,
    };
    const run: BatchRun = { ...callScope, ...batch, taskScope, taskCallEvents, eventOptions, signalFanOut };
    const finished = await runConcurrently(tasks, spawner.settings.maxConcurrency, (task) => runTask(run, task));
    const results = finished.map(({ result }) => result);
    const merged = isolation && (await mergeChanges(host, isolation, results, options));
    if (isolation) await recordMerge(run, finished);
    const durationMs = clock.now() - startedAt;
    const text = formatTaskReport(results, durationMs, { warnings, mergeText: merged?.text });
    return createToolResult(projectAgentsFolder, text, results, durationMs);
  } finally {
    taskCallEvents.close();
    await isolation?.close();
    signalFanOut.close();
  }
}

interface FinishedTask {
  readonly result: SubagentResult;
  /** Absent if the task was not started. */
  readonly record: SubagentRecord | undefined;
}

async function runTask(run: BatchRun, task: PlannedTask): Promise<FinishedTask> {
  const { spawner, host, taskScope, taskCallEvents, signalFanOut, resumed } = run;
  const { subagentRegistry } = host;
  const { clock } = spawner.base.ports;
  const running = new RunningSubagent(task.id, signalFanOut.createController());
  const record = createRecord(run, task);
  let recorded = Promise.resolve();
  const onTaskStart = (id: string) => {
    // The task does not wait for it: the file is only read after this process has been killed.
    recorded = saveRecord(spawner, subagentRegistry, record);
    return taskScope.onTaskStart?.(id);
  };
  try {
    const result = await runSingleTask({ ...taskScope, running, onTaskStart }, task);
    if (!running.isStarted) return { result, record: undefined };
    keepUnappliedPatch(result, resumed?.resumption);
    await recorded;
    const ended = endRecord(record, result, { previous: resumed?.record.snapshot, now: clock.now() });
    await saveRecord(spawner, subagentRegistry, ended);
    await taskCallEvents.finish(task.index, result);
    return { result, record: ended };
  } finally {
    if (running.isStarted) {
      subagentRegistry.handles.delete(task.id);
      running.end();
    }
  }
}

function createRecord({ eventOptions, request, folder, resumed }: BatchRun, task: PlannedTask): SubagentRecord {
  const { isolated = false, verify, schema } = request;
  const { descriptor } = describeSubagent(eventOptions, task);
  const lastUpdate = eventOptions.spawner.base.ports.clock.now();
  // A continued subagent stays the one that was started with its first assignment.
  const { index, assignment } = resumed?.record.snapshot ?? task;
  return {
    folder,
    request: { isolated, verify, schema },
    snapshot: { ...descriptor, index, status: 'running', assignment, lastUpdate, isolated },
  };
}

/** A continued task that captured no change still has the change of its earlier run. */
function keepUnappliedPatch(result: SubagentResult, resumption: Resumption | undefined): void {
  if (!resumption?.patch || result.exitCode === 0 || listChangeLocations(result).length > 0) return;
  result.patchPath = resumption.patch;
  result.applied = false;
}

/** Whether a change was applied is known only after the merge. */
async function recordMerge({ spawner, host }: BatchRun, finished: readonly FinishedTask[]): Promise<void> {
  for (const { result, record } of finished) {
    if (!record || result.applied === undefined) continue;
    const { applied, error } = result;
    const snapshot = { ...record.snapshot, applied, ...(error === undefined ? {} : { error }) };
    await saveRecord(spawner, host.subagentRegistry, { ...record, snapshot });
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
async function runConcurrently<R>(
  tasks: readonly PlannedTask[],
  maxConcurrency: number,
  execute: (task: PlannedTask) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const waiting = [...tasks];
  const runWorker = async () => {
    for (let task = waiting.shift(); task; task = waiting.shift()) results[task.index] = await execute(task);
  };
  const workerCount = maxConcurrency > 0 ? Math.min(maxConcurrency, tasks.length) : tasks.length;
  await Promise.all(Array.from({ length: workerCount }, runWorker));
  return results;
}

function formatRunningText(count: number): string {
  return `Running ${count} ${count === 1 ? 'agent' : 'agents'}...`;
}

export function createToolResult(
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
