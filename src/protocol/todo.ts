// Ground floor: one thing that the model has set out to do.
import { type InferOutput, object, picklist, string } from 'valibot';

export const todoItem = object({
  id: string(),
  content: string(),
  /** What is being done while it is in progress, in words for a display. */
  activeForm: string(),
  status: picklist(['pending', 'in_progress', 'completed']),
});

export type TodoItem = InferOutput<typeof todoItem>;
