// Schemas of budget reports: what a session, a task or a subagent has consumed.
import { type InferOutput, number, object, optional, picklist } from 'valibot';

/** In order of precedence: when several limits are exceeded at once, the first one is reported. */
export const budgetReason = picklist([
  'wall_time',
  'input_tokens',
  'output_tokens',
  'total_tokens',
  'cost',
  'tool_calls',
  'subagents',
]);

/** The owner of the limit: the session, one call of the task tool, or one subagent. */
export const budgetScope = picklist(['session', 'task', 'subagent']);

export const budgetSnapshot = object({
  status: picklist(['ok', 'warning', 'exceeded']),
  /** Total run time; the time between runs does not count. */
  wallTimeMs: number(),
  inputTokens: number(),
  outputTokens: number(),
  totalTokens: number(),
  /** US dollars. */
  costUsd: number(),
  toolCalls: number(),
  subagents: number(),
  /** The limit that the event reports. */
  reason: optional(budgetReason),
});

export type BudgetReason = InferOutput<typeof budgetReason>;
export type BudgetScope = InferOutput<typeof budgetScope>;
export type BudgetSnapshot = InferOutput<typeof budgetSnapshot>;
