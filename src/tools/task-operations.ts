// Applies operations to the tracked tasks of a session, all or none.
import { Fault } from '../base/index.ts';
import { compareByPriority, type TrackedTask, type TrackedTaskFile } from '../protocol/tracked-task.ts';

type TaskFields = Partial<Omit<TrackedTask, 'id' | 'created_at' | 'updated_at'>>;

export interface TaskOperation extends TaskFields {
  readonly action: 'insert' | 'update' | 'delete' | 'list';
  readonly id?: number | undefined;
}

export interface TaskChange {
  readonly id: number;
  readonly change: 'inserted' | 'updated' | 'deleted' | 'unblocked' | 'blocked';
}

export interface TaskOperationsResult {
  readonly taskFile: TrackedTaskFile;
  readonly changes: readonly TaskChange[];
}

export const EMPTY_TASK_FILE: TrackedTaskFile = { nextId: 1, tasks: [] };

/** Throws a Fault for invalid operations. `before` is never changed. */
export function applyTaskOperations(
  before: TrackedTaskFile,
  operations: readonly TaskOperation[],
  now: string,
): TaskOperationsResult {
  const tasks = new Map(before.tasks.map((task) => [task.id, task]));
  const changes: TaskChange[] = [];
  let { nextId } = before;
  for (const operation of operations) {
    if (operation.action === 'list') continue;
    if (operation.action === 'insert') {
      const id = nextId++;
      tasks.set(id, createTask(id, operation, now));
      changes.push({ id, change: 'inserted' });
    } else {
      const task = findTask(tasks, operation);
      if (operation.action === 'delete') tasks.delete(task.id);
      else tasks.set(task.id, updateTask(task, operation, now));
      changes.push({ id: task.id, change: operation.action === 'delete' ? 'deleted' : 'updated' });
    }
  }
  const deletedIds = new Set(changes.filter(({ change }) => change === 'deleted').map(({ id }) => id));
  const remaining = [...tasks.values()].map((task) => removeReferences(task, deletedIds));
  validateReferences(remaining);
  const statuses = new Map(operations.flatMap(({ id, status }) => (id && status ? [[id, status]] : [])));
  const updated = remaining.map((task) => updateBlockedStatus(task, remaining, statuses.get(task.id)));
  for (const [at, task] of updated.entries()) {
    if (task === remaining[at]) continue;
    changes.push({ id: task.id, change: task.status === 'blocked' ? 'blocked' : 'unblocked' });
  }
  return { taskFile: { nextId, tasks: updated.sort(compareByPriority) }, changes };
}

function createTask(id: number, { label = '', ...operation }: TaskOperation, now: string): TrackedTask {
  if (label.trim() === '') throw createFault('insert needs a label');
  return {
    id,
    label,
    status: 'open',
    priority: 'medium',
    group_name: '',
    tags: '',
    due: '',
    notes: '',
    blocked_by: [],
    parent_id: null,
    prompt: '',
    result: '',
    ...getDefinedFields(operation),
    created_at: now,
    updated_at: now,
  };
}

function updateTask(task: TrackedTask, operation: TaskOperation, now: string): TrackedTask {
  if (operation.label?.trim() === '') throw createFault(`The label of task ${task.id} cannot be empty`);
  return { ...task, ...getDefinedFields(operation), updated_at: now };
}

function getDefinedFields({ action: _, id: __, ...details }: TaskOperation): TaskFields {
  const defined = Object.entries(details).filter(([, value]) => value !== undefined);
  return Object.fromEntries(defined) as TaskFields;
}

function findTask(tasks: ReadonlyMap<number, TrackedTask>, { action, id }: TaskOperation): TrackedTask {
  if (id === undefined) throw createFault(`${action} needs a task id`);
  const task = tasks.get(id);
  if (task) return task;
  throw createFault(`Task not found: ${id}. Existing ids: ${[...tasks.keys()].join(', ') || 'none'}`);
}

/** Removes deleted tasks from `blocked_by` and `parent_id`. */
function removeReferences(task: TrackedTask, deletedIds: ReadonlySet<number>): TrackedTask {
  const blockers = task.blocked_by.filter((id) => !deletedIds.has(id));
  const parent = task.parent_id !== null && deletedIds.has(task.parent_id) ? null : task.parent_id;
  if (blockers.length === task.blocked_by.length && parent === task.parent_id) return task;
  const statusChange = blockers.length === 0 && task.status === 'blocked' ? { status: 'open' as const } : {};
  return { ...task, ...statusChange, blocked_by: blockers, parent_id: parent };
}

function validateReferences(tasks: readonly TrackedTask[]): void {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const getBlockers = (id: number) => byId.get(id)?.blocked_by ?? [];
  const getParents = (id: number) => [byId.get(id)?.parent_id ?? []].flat();
  for (const { id } of tasks) {
    for (const other of [...getBlockers(id), ...getParents(id)]) {
      if (!byId.has(other)) throw createFault(`Task ${id} refers to task ${other}, which does not exist`);
    }
  }
  for (const { id } of tasks) {
    if (hasCycle(id, getBlockers)) throw createFault(`Task ${id} would be blocked by itself`);
    if (hasCycle(id, getParents)) throw createFault(`Task ${id} would be its own parent`);
  }
}

/** Whether `start` can be reached from itself. */
function hasCycle(start: number, getNext: (id: number) => readonly number[]): boolean {
  const visited = new Set<number>();
  const pending = [...getNext(start)];
  for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
    if (id === start) return true;
    if (!visited.has(id)) pending.push(...getNext(id));
    visited.add(id);
  }
  return false;
}

/** A task is blocked while a task in `blocked_by` is not done, and opens when all of them are done. */
function updateBlockedStatus(
  task: TrackedTask,
  all: readonly TrackedTask[],
  requestedStatus: TrackedTask['status'] | undefined,
): TrackedTask {
  if (task.status === 'done' || task.blocked_by.length === 0) return task;
  const unfinished = task.blocked_by.filter((id) => all.find((other) => other.id === id)?.status !== 'done');
  if (unfinished.length === 0) {
    return task.status === 'blocked' && requestedStatus !== 'blocked' ? { ...task, status: 'open' } : task;
  }
  if (requestedStatus === 'in_progress')
    throw createFault(`Task ${task.id} is blocked by ${unfinished.join(', ')}; finish that first`);
  return task.status === 'blocked' ? task : { ...task, status: 'blocked' };
}

function createFault(message: string): Fault {
  return new Fault('tool_failed', `${message}. Nothing was changed.`);
}
