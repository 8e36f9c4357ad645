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
  tasks: array(object({ content: string(), status: todoItem.entries.status })),
});

export type TodoItem = InferOutput<typeof todoItem>;
