// Schemas of todo items.
import { array, type InferOutput, object, optional, picklist, string } from 'valibot';

export const todoItem = object({
  id: string(),
  content: string(),
  /** Text to display while the item is in progress. */
  activeForm: string(),
  /** The model sets only the first three; hosts may also set `abandoned` and `blocked`. */
  status: picklist(['pending', 'in_progress', 'completed', 'abandoned', 'blocked']),
  /** The phase that the item belongs to, when the host defined phases. */
  phase: optional(string()),
});

/** A phase with its items, as hosts send it. */
export const todoPhase = object({
  name: string(),
  tasks: array(object({ id: optional(string()), content: string(), status: todoItem.entries.status })),
});

export type TodoPhase = InferOutput<typeof todoPhase>;

/** The name of the phase for items without one, such as those that the model created. */
const DEFAULT_PHASE = 'Tasks';

/** Groups the items by phase, in the order of the list. */
export function groupByPhase(items: readonly TodoItem[]): TodoPhase[] {
  const phases = new Map<string, TodoPhase>();
  for (const { id, content, status, phase: name = DEFAULT_PHASE } of items) {
    const phase = phases.get(name) ?? { name, tasks: [] };
    phases.set(name, phase);
    phase.tasks.push({ id, content, status });
  }
  return [...phases.values()];
}

export type TodoItem = InferOutput<typeof todoItem>;
