// The `tasks` tool: tracks the tasks of a session and their dependencies.
import { array, nonEmpty, nullable, number, object, optional, picklist, pipe, regex, string } from 'valibot';
import { Fault } from '../base/index.ts';
import { type SidecarFiles, tool } from '../contracts/index.ts';
import {
  INVALID_TASK_FILE,
  parseTaskFile,
  TASK_PRIORITIES,
  TASK_STATUSES,
  TASKS_FILE,
  type TrackedTask,
  type TrackedTaskFile,
  toTaskRow,
} from '../protocol/tracked-task.ts';
import { createTextResult } from './result.ts';
import {
  applyTaskOperations,
  EMPTY_TASK_FILE,
  type TaskOperation,
  type TaskOperationsResult,
} from './task-operations.ts';

const text = optional(string());

const operation = object({
  action: picklist(['insert', 'update', 'delete', 'list']),
  id: optional(number()),
  label: text,
  status: optional(picklist(TASK_STATUSES)),
  priority: optional(picklist(TASK_PRIORITIES)),
  group_name: text,
  tags: text,
  due: optional(pipe(string(), regex(/^(\d{4}-\d{2}-\d{2}.*)?$/, 'must begin with a date, for example 2026-01-31'))),
  notes: text,
  blocked_by: optional(array(number())),
  parent_id: optional(nullable(number())),
  prompt: text,
  result: text,
});

export const tasks = tool({
  name: 'tasks',
  effect: 'read',
  doc: 'Track work that has several steps. Operations are applied all or none. Inserted tasks get the next ids; a task blocked by others (blocked_by) opens when they are done.',
  snippet: 'Track tasks',
  params: object({ operations: pipe(array(operation), nonEmpty()) }),
  async run({ operations }, { sidecarFiles, ports }) {
    if (!sidecarFiles) throw new Fault('tool_failed', 'This session has no task list.');
    const before = await readTaskFile(sidecarFiles);
    const now = new Date(ports.clock.now()).toISOString().replace('T', ' ').replace('Z', '000');
    const changed = applyTaskOperations(before, operations as readonly TaskOperation[], now);
    if (changed.changes.length > 0)
      await sidecarFiles.write(TASKS_FILE, `${JSON.stringify(changed.taskFile, null, 2)}\n`);
    return createTextResult(
      formatTasks(changed.taskFile.tasks),
      buildDetails(changed, operations as readonly TaskOperation[]),
    );
  },
});

/** An invalid file is not overwritten, so that the user can repair it. */
async function readTaskFile(sidecarFiles: SidecarFiles): Promise<TrackedTaskFile> {
  const text = await sidecarFiles.read(TASKS_FILE);
  if (text === undefined) return EMPTY_TASK_FILE;
  const taskFile = parseTaskFile(text);
  if (taskFile) return taskFile;
  throw new Fault('tool_failed', INVALID_TASK_FILE);
}

function formatTasks(all: readonly TrackedTask[]): string {
  return all.map(formatTask).join('\n') || 'There are no tasks.';
}

function formatTask({ id, label, status, priority, blocked_by: blockers }: TrackedTask): string {
  const blockedBy = status === 'blocked' && blockers.length > 0 ? `, blocked by ${blockers.join(', ')}` : '';
  return `${id}. [${status}${priority === 'medium' ? '' : `, ${priority}`}${blockedBy}] ${label}`;
}

/** For hosts that render the list. */
function buildDetails({ taskFile, changes }: TaskOperationsResult, operations: readonly TaskOperation[]) {
  const count = (status: TrackedTask['status']) => taskFile.tasks.filter((task) => task.status === status).length;
  const [first] = operations;
  return {
    kind: 'tasks',
    action: operations.length === 1 ? first?.action : 'batch',
    tasks: taskFile.tasks.map(toTaskRow),
    total: taskFile.tasks.length,
    counts: Object.fromEntries(TASK_STATUSES.map((status) => [status, count(status)])),
    changes,
    notes: changes.filter(({ change }) => change === 'unblocked').map(({ id }) => `Task ${id} can be done now`),
    ...(operations.length === 1 ? {} : { operations: operations.map(({ action }) => action) }),
  };
}
