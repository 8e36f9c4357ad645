// First floor, tools: what becomes of a list of tasks when several changes are made at once: all of them, or none. Pure.
import { Fault } from '../base/index.ts';
import { byPriority, type TaskLedger, type TrackedTask } from '../protocol/tracked-task.ts';

type Details = Partial<Omit<TrackedTask, 'id' | 'created_at' | 'updated_at'>>;

export interface TaskOperation extends Details {
  readonly action: 'insert' | 'update' | 'delete' | 'list';
  readonly id?: number | undefined;
}

export interface TaskChange {
  readonly id: number;
  readonly change: 'inserted' | 'updated' | 'deleted' | 'unblocked' | 'blocked';
}

export interface Changed {
  readonly ledger: TaskLedger;
  readonly changes: readonly TaskChange[];
}

export const NO_TASKS: TaskLedger = { nextId: 1, tasks: [] };

/** Throws a Fault that names what is wrong; the ledger is as it was then. */
export function changedLedger(before: TaskLedger, operations: readonly TaskOperation[], now: string): Changed {
  const tasks = new Map(before.tasks.map((task) => [task.id, task]));
  const changes: TaskChange[] = [];
  let { nextId } = before;
  for (const operation of operations) {
    if (operation.action === 'list') continue;
    if (operation.action === 'insert') {
      const id = nextId++;
      tasks.set(id, inserted(id, operation, now));
      changes.push({ id, change: 'inserted' });
    } else {
      const task = existing(tasks, operation);
      if (operation.action === 'delete') tasks.delete(task.id);
      else tasks.set(task.id, updated(task, operation, now));
      changes.push({ id: task.id, change: operation.action === 'delete' ? 'deleted' : 'updated' });
    }
  }
  const gone = new Set(changes.filter(({ change }) => change === 'deleted').map(({ id }) => id));
  const loose = [...tasks.values()].map((task) => without(task, gone));
  mustStandTogether(loose);
  const statuses = new Map(operations.flatMap(({ id, status }) => (id && status ? [[id, status]] : [])));
  const settled = loose.map((task) => settledBy(task, loose, statuses.get(task.id)));
  for (const [at, task] of settled.entries()) {
    if (task === loose[at]) continue;
    changes.push({ id: task.id, change: task.status === 'blocked' ? 'blocked' : 'unblocked' });
  }
  return { ledger: { nextId, tasks: settled.sort(byPriority) }, changes };
}

function inserted(id: number, { label = '', ...operation }: TaskOperation, now: string): TrackedTask {
  if (label.trim() === '') throw failed('A task that is inserted needs a label');
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
    ...given(operation),
    created_at: now,
    updated_at: now,
  };
}

function updated(task: TrackedTask, operation: TaskOperation, now: string): TrackedTask {
  if (operation.label?.trim() === '') throw failed(`The label of task ${task.id} cannot be empty`);
  return { ...task, ...given(operation), updated_at: now };
}

function given({ action: _, id: __, ...details }: TaskOperation): Details {
  const known = Object.entries(details).filter(([, value]) => value !== undefined);
  return Object.fromEntries(known) as Details;
}

function existing(tasks: ReadonlyMap<number, TrackedTask>, { action, id }: TaskOperation): TrackedTask {
  if (id === undefined) throw failed(`Which task? ${action} needs an id`);
  const task = tasks.get(id);
  if (task) return task;
  throw failed(`There is no task ${id}. ${[...tasks.keys()].join(', ') || 'None'} can be named`);
}

/** Nobody waits for what is no longer there. */
function without(task: TrackedTask, gone: ReadonlySet<number>): TrackedTask {
  const blockers = task.blocked_by.filter((id) => !gone.has(id));
  const parent = task.parent_id !== null && gone.has(task.parent_id) ? null : task.parent_id;
  if (blockers.length === task.blocked_by.length && parent === task.parent_id) return task;
  const open = blockers.length === 0 && task.status === 'blocked' ? { status: 'open' as const } : {};
  return { ...task, ...open, blocked_by: blockers, parent_id: parent };
}

function mustStandTogether(tasks: readonly TrackedTask[]): void {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const blockers = (id: number) => byId.get(id)?.blocked_by ?? [];
  const parents = (id: number) => [byId.get(id)?.parent_id ?? []].flat();
  for (const { id } of tasks) {
    for (const other of [...blockers(id), ...parents(id)]) {
      if (!byId.has(other)) throw failed(`Task ${id} names task ${other}, which does not exist`);
    }
  }
  for (const { id } of tasks) {
    if (reaches(id, blockers)) throw failed(`Task ${id} would wait for itself`);
    if (reaches(id, parents)) throw failed(`Task ${id} would be a part of itself`);
  }
}

/** Whether one comes back to where one began. */
function reaches(start: number, next: (id: number) => readonly number[]): boolean {
  const seen = new Set<number>();
  const open = [...next(start)];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (id === start) return true;
    if (!seen.has(id)) open.push(...next(id));
    seen.add(id);
  }
  return false;
}

/** Whoever waits for something unfinished is blocked; when the last of it is done, they are not any more. */
function settledBy(
  task: TrackedTask,
  all: readonly TrackedTask[],
  said: TrackedTask['status'] | undefined,
): TrackedTask {
  if (task.status === 'done' || task.blocked_by.length === 0) return task;
  const unfinished = task.blocked_by.filter((id) => all.find((other) => other.id === id)?.status !== 'done');
  if (unfinished.length === 0) {
    return task.status === 'blocked' && said !== 'blocked' ? { ...task, status: 'open' } : task;
  }
  if (said === 'in_progress') throw failed(`Task ${task.id} is blocked by ${unfinished.join(', ')}; finish that first`);
  return task.status === 'blocked' ? task : { ...task, status: 'blocked' };
}

function failed(sentence: string): Fault {
  return new Fault('tool_failed', `${sentence}. Nothing was changed.`);
}
