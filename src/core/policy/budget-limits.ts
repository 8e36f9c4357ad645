// The limits of a budget. Separate from budget.ts, which is only loaded if a limit is set.

/** An absent value means no limit. */
export interface BudgetLimits {
  maxWallTimeMs?: number | undefined;
  maxInputTokens?: number | undefined;
  maxOutputTokens?: number | undefined;
  maxTotalTokens?: number | undefined;
  maxCostUsd?: number | undefined;
  maxToolCalls?: number | undefined;
  maxSubagents?: number | undefined;
  /** The share of a limit (0 to 1) at which a warning is emitted. */
  warnAtRatio: number;
}

export function hasLimit({ warnAtRatio: _, ...limits }: BudgetLimits): boolean {
  return Object.values(limits).some((limit) => limit !== undefined);
}
