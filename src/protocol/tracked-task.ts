// Ground floor: one of the things that a session keeps track of, as it is kept and as hosts are told of it. Loaded with the first.
import { array, type InferOutput, nullable, number, object, picklist, string } from 'valibot';

export const TASK_STATUSES = ['open', 'in_progress', 'blocked', 'done'] as const;
export const TASK_PRIORITIES = ['low', 'medium', 'high', 'critical'] as const;

/** Where the texts of a session's tasks are kept. */
export const TASKS_FILE = 'tasks.json';

export const trackedTask = object({
  id: number(),
  label: string(),
  status: picklist(TASK_STATUSES),
  priority: picklist(TASK_PRIORITIES),
  group_name: string(),
  tags: string(),
  due: string(),
  notes: string(),
  /** What must be done before it. */
  blocked_by: array(number()),
  /** What it is a part of. */
  parent_id: nullable(number()),
  prompt: string(),
  result: string(),
  created_at: string(),
  updated_at: string(),
});

/** `nextId` is never given twice, also when what had an id is gone. */
export const taskLedger = object({ nextId: number(), tasks: array(trackedTask) });

export type TrackedTask = InferOutput<typeof trackedTask>;
export type TaskLedger = InferOutput<typeof taskLedger>;

/** Hosts are given nothing but texts. */
export function taskRow(task: TrackedTask): Record<string, string> {
  return Object.fromEntries(Object.entries(task).map(([key, value]) => [key, value === null ? '' : String(value)]));
}

/** The most urgent first, then the oldest. */
export function byPriority(a: TrackedTask, b: TrackedTask): number {
  return TASK_PRIORITIES.indexOf(b.priority) - TASK_PRIORITIES.indexOf(a.priority) || a.id - b.id;
}
