// Schema of the tracked tasks of a session, on disk and for hosts. Loaded with the first use.
import { array, type InferOutput, nullable, number, object, picklist, safeParse, string } from 'valibot';
import { tryParseJson } from '../base/index.ts';

export const TASK_STATUSES = ['open', 'in_progress', 'blocked', 'done'] as const;
export const TASK_PRIORITIES = ['low', 'medium', 'high', 'critical'] as const;

/** Name of the sidecar file that stores the tasks of a session. */
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
  /** Ids of the tasks that must be done before this one. */
  blocked_by: array(number()),
  /** Id of the task that this one is a part of. */
  parent_id: nullable(number()),
  prompt: string(),
  result: string(),
  created_at: string(),
  updated_at: string(),
});

/** Ids are never reused, also after a task is deleted. */
const trackedTaskFile = object({ nextId: number(), tasks: array(trackedTask) });

export type TrackedTask = InferOutput<typeof trackedTask>;
export type TrackedTaskFile = InferOutput<typeof trackedTaskFile>;

/** Returns `undefined` when the text is not a valid task file. */
export function parseTaskFile(text: string): TrackedTaskFile | undefined {
  const parsed = safeParse(trackedTaskFile, tryParseJson(text));
  return parsed.success ? parsed.output : undefined;
}

export const INVALID_TASK_FILE = `${TASKS_FILE} of this session is not a valid task list.`;

/** Hosts receive every value as a string. */
export function toTaskRow(task: TrackedTask): Record<string, string> {
  return Object.fromEntries(Object.entries(task).map(([key, value]) => [key, value === null ? '' : String(value)]));
}

/** The most urgent first, then the oldest. */
export function compareByPriority(a: TrackedTask, b: TrackedTask): number {
  return TASK_PRIORITIES.indexOf(b.priority) - TASK_PRIORITIES.indexOf(a.priority) || a.id - b.id;
}
