// Ground floor: how much has been spent, and of what. Data; knows no limits.
import { type InferOutput, number, object, optional, picklist } from 'valibot';

/** In the order in which they are looked at: of several limits that are crossed at once, the first is named. */
export const budgetReason = picklist([
  'wall_time',
  'input_tokens',
  'output_tokens',
  'total_tokens',
  'cost',
  'tool_calls',
  'subagents',
]);

/** Whose limit: the session's own, one call of the task tool's, or one subagent's. */
export const budgetScope = picklist(['session', 'task', 'subagent']);

export const budgetSnapshot = object({
  status: picklist(['ok', 'warning', 'exceeded']),
  /** The time that runs took, summed; what passes between them does not count. */
  wallTimeMs: number(),
  inputTokens: number(),
  outputTokens: number(),
  totalTokens: number(),
  /** US dollars. */
  costUsd: number(),
  toolCalls: number(),
  subagents: number(),
  /** What the event is about. */
  reason: optional(budgetReason),
});

export type BudgetReason = InferOutput<typeof budgetReason>;
export type BudgetScope = InferOutput<typeof budgetScope>;
export type BudgetSnapshot = InferOutput<typeof budgetSnapshot>;
