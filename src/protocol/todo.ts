// Ground floor: one thing that the model has set out to do.
import { array, type InferOutput, object, optional, picklist, string } from 'valibot';

export const todoItem = object({
  id: string(),
  content: string(),
  /** What is being done while it is in progress, in words for a display. */
  activeForm: string(),
  /** The model knows the first three; hosts may also put something off, or off the list. */
  status: picklist(['pending', 'in_progress', 'completed', 'abandoned', 'blocked']),
  /** The part of the work that it belongs to, where a host has made parts. */
  phase: optional(string()),
});

/** A part of the work, as hosts write it. */
export const todoPhase = object({
  name: string(),
  tasks: array(object({ content: string(), status: todoItem.entries.status })),
});

export type TodoItem = InferOutput<typeof todoItem>;
