// First floor, core: one call of the task tool: who may start, all of them side by side, what came of it.
import { Fault, messageOf } from '../../base/index.ts';
import type { TaskOptions, TaskRequest, ToolResult } from '../../contracts/index.ts';
import { addUsage, noUsage, type SubagentProgress, type SubagentResult } from '../../protocol/index.ts';
import { createBudget } from '../policy/budget.ts';
import type { Purse, SubagentHost } from '../session/family.ts';
import { type PlannedTask, planTasks } from './admission.ts';
import { planCall } from './call.ts';
import { fanOut } from './fan-out.ts';
import { runOne } from './one-task.ts';
import { createProgressBoard } from './progress.ts';
import { reportOn } from './report.ts';
import type { Spawner } from './spawner.ts';
import type { TaskScope } from './task-work.ts';
import { createTeller } from './telling.ts';
import { unappliedIn } from './unapplied.ts';
import type { BeginIsolation, Isolation, Merged } from './workspace.ts';

export interface TaskRoom {
  readonly spawner: Spawner;
  readonly host: SubagentHost;
  readonly isolate: BeginIsolation;
  /** The ids of earlier calls of this session, in lower case. */
  readonly taken: Set<string>;
  /** What the host has been told once. */
  readonly told: Set<string>;
}

export async function runTask(room: TaskRoom, request: TaskRequest, options: TaskOptions): Promise<ToolResult> {
  try {
    return await run(room, request, options);
  } catch (thrown) {
    const isRefusal = thrown instanceof Fault && thrown.code === 'refused';
    const text = isRefusal ? thrown.message : `Task execution failed: ${messageOf(thrown)}`;
    const { projectFolder } = await room.spawner.roster();
    return answer(projectFolder, text, [], 0);
  }
}

async function run(room: TaskRoom, request: TaskRequest, options: TaskOptions): Promise<ToolResult> {
  const { spawner, host } = room;
  const { clock } = spawner.base.ports;
  const call = await planCall(spawner, host, request);
  const { agent, remarks, projectFolder } = call;
  await tellOnce(room, remarks);
  const folder = await host.folder();
  await learnTaken(room, folder);
  const tasks = planTasks(request, call.items, room.taken, host.family ? `${host.family.id}.` : '');
  const began = clock.now();
  const fan = fanOut(options.signal);
  const isolation = request.isolated ? await isolated(room, folder, fan.signal()) : undefined;
  const { toolCallId } = options;
  const tellers = tasks.map((task) => createTeller({ spawner, host, agent, folder, toolCallId }, task));
  const board = createProgressBoard(tasks, agent.name, clock, (progress) => {
    options.update(answer(projectFolder, running(tasks.length), [], clock.now() - began, progress));
    for (const row of progress) tellers[row.index]?.progressed(row);
  });
  try {
    const scope: TaskScope = {
      ...{ ...call, spawner, host, isolation, folder, signal: options.signal },
      ...purseOf(host),
      watch(index, event) {
        const wait = event === 'begin' ? tellers[index]?.started() : tellers[index]?.said(event);
        if (event === 'begin') board.begin(index);
        else board.watch(index, event);
        return wait;
      },
    };
    const results = await sideBySide(tasks, spawner.settings.maxConcurrency, async (task) => {
      const result = await runOne({ ...scope, signal: fan.signal() }, task);
      const status = result.aborted ? 'aborted' : result.exitCode === 0 ? 'completed' : 'failed';
      board.end(task.index, status);
      await tellers[task.index]?.ended(status, result.abortReason);
      return result;
    });
    const merged = isolation && (await bringBack(host, isolation, results, options.signal));
    const durationMs = clock.now() - began;
    const text = reportOn(results, durationMs, { remarks, merged: merged?.text });
    return answer(projectFolder, text, results, durationMs);
  } finally {
    board.close();
    await isolation?.close();
    fan.close();
  }
}

/** An abort or the budget leaves every change where it was captured, and the host is told where that is. */
async function bringBack(
  host: SubagentHost,
  isolation: Isolation,
  results: SubagentResult[],
  signal: AbortSignal,
): Promise<Merged> {
  const cause = signal.aborted ? stopCause(host) : undefined;
  const merged =
    cause === undefined
      ? await isolation.merge(results).catch((thrown) => isolation.keep(results, messageOf(thrown)))
      : await isolation.keep(results, cause);
  if (merged.isComplete) return merged;
  host.keepFolder();
  if (cause !== undefined) {
    const places = unappliedIn(results).join(', ');
    const message = `Changes of isolated tasks were not applied because ${cause}. They are kept: ${places}`;
    await host.emit({ type: 'notice', level: 'warning', message, source: 'subagents' });
  }
  return merged;
}

function stopCause({ purse }: SubagentHost): string {
  return purse?.exhausted ? `the budget is exceeded (${purse.exhausted})` : 'the run was aborted';
}

async function tellOnce({ host, told }: TaskRoom, remarks: readonly string[]): Promise<void> {
  for (const message of remarks) {
    if (told.has(message)) continue;
    told.add(message);
    await host.emit({ type: 'notice', level: 'warning', message, source: 'subagents' });
  }
}

async function isolated(room: TaskRoom, folder: string, signal: AbortSignal): Promise<Isolation> {
  try {
    return await room.isolate({ folder, signal });
  } catch (thrown) {
    const budget = room.host.purse?.exhausted;
    if (signal.aborted && budget) throw new Fault('refused', `Skipped (budget exceeded before start: ${budget})`);
    if (signal.aborted) throw new Fault('refused', 'Skipped (cancelled before start)');
    throw new Fault('refused', `Isolated task execution requires a git repository. ${messageOf(thrown)}`);
  }
}

/** What this call spends is counted for itself, and spent from the session's. */
function purseOf({ purse, emit }: SubagentHost): { purse: Purse | undefined; refused(): Promise<void> } {
  if (!purse) return { purse: undefined, refused: async () => {} };
  const own = createBudget({ warnAtRatio: 1 }, 'task');
  let told = false;
  return {
    purse: {
      spend(spending) {
        own.charge(spending);
        return purse.spend(spending);
      },
      get violation() {
        return purse.violation;
      },
      get exhausted() {
        return purse.exhausted;
      },
    },
    async refused() {
      if (told) return;
      told = true;
      const snapshot = { ...own.snapshot(purse.violation), status: 'exceeded' as const };
      await emit({ type: 'budget_exceeded', scope: 'task', snapshot });
    },
  };
}

/** In the order of the tasks, whatever the order in which they end. */
async function sideBySide(
  tasks: readonly PlannedTask[],
  most: number,
  act: (task: PlannedTask) => Promise<SubagentResult>,
): Promise<SubagentResult[]> {
  const results: SubagentResult[] = [];
  const waiting = [...tasks];
  const lane = async () => {
    for (let task = waiting.shift(); task; task = waiting.shift()) results[task.index] = await act(task);
  };
  const lanes = most > 0 ? Math.min(most, tasks.length) : tasks.length;
  await Promise.all(Array.from({ length: lanes }, lane));
  return results;
}

/** A resumed session finds the files of its earlier tasks. */
async function learnTaken({ spawner, taken }: TaskRoom, folder: string): Promise<void> {
  const files = await spawner.base.ports.files.list(folder).catch(() => []);
  for (const { name } of files) {
    const id = /^(.*?)\.(?:md|jsonl|patch)$/.exec(name)?.[1];
    if (id) taken.add(id.toLowerCase());
  }
}

function running(count: number): string {
  return `Running ${count} ${count === 1 ? 'agent' : 'agents'}...`;
}

function answer(
  projectAgentsDir: string | null,
  text: string,
  results: SubagentResult[],
  totalDurationMs: number,
  progress?: readonly SubagentProgress[],
): ToolResult {
  const usage = noUsage();
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
