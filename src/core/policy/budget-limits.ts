// First floor, core: what may be spent. Data; whoever keeps to it is loaded when there is a limit.

/** A limit that is absent does not exist. */
export interface BudgetLimits {
  maxWallTimeMs?: number | undefined;
  maxInputTokens?: number | undefined;
  maxOutputTokens?: number | undefined;
  maxTotalTokens?: number | undefined;
  maxCostUsd?: number | undefined;
  maxToolCalls?: number | undefined;
  maxSubagents?: number | undefined;
  /** The part of a limit at which a warning is due. */
  warnAtRatio: number;
}

export function hasLimit({ warnAtRatio: _, ...limits }: BudgetLimits): boolean {
  return Object.values(limits).some((limit) => limit !== undefined);
}
