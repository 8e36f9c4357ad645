// Counts what was spent against the limits of a budget. Pure: events are returned, not emitted.
import type { BudgetReason, BudgetScope, BudgetSnapshot, Usage } from '../../protocol/index.ts';
import { sumTokens } from '../../protocol/index.ts';
import type { BudgetLimits } from './budget-limits.ts';

type BudgetCounter = Exclude<keyof BudgetSnapshot, 'status' | 'reason'>;
export type Spending = Partial<Record<BudgetCounter, number>>;

export interface BudgetEvent {
  type: 'budget_warning' | 'budget_exceeded';
  scope: BudgetScope;
  snapshot: BudgetSnapshot;
}

export interface Budget {
  /** Adds the spending and returns the events that become due. */
  charge(spending: Spending): BudgetEvent[];
  readonly spent: Readonly<Record<BudgetCounter, number>>;
  /** The first limit that is reached. */
  readonly exceededLimit: BudgetReason | undefined;
  /** The first limit that is reached, ignoring the limit `except`. */
  findExceededLimitExcept(except: BudgetReason): BudgetReason | undefined;
  snapshot(reason?: BudgetReason): BudgetSnapshot;
}

interface Dimension {
  readonly reason: BudgetReason;
  readonly counter: BudgetCounter;
  readonly limit: Exclude<keyof BudgetLimits, 'warnAtRatio'>;
}

const DIMENSIONS: readonly Dimension[] = [
  { reason: 'wall_time', counter: 'wallTimeMs', limit: 'maxWallTimeMs' },
  { reason: 'input_tokens', counter: 'inputTokens', limit: 'maxInputTokens' },
  { reason: 'output_tokens', counter: 'outputTokens', limit: 'maxOutputTokens' },
  { reason: 'total_tokens', counter: 'totalTokens', limit: 'maxTotalTokens' },
  { reason: 'cost', counter: 'costUsd', limit: 'maxCostUsd' },
  { reason: 'tool_calls', counter: 'toolCalls', limit: 'maxToolCalls' },
  { reason: 'subagents', counter: 'subagents', limit: 'maxSubagents' },
];

export const COUNTERS: readonly BudgetCounter[] = DIMENSIONS.map(({ counter }) => counter);

/** `alreadySpent` was spent earlier; its events have already been emitted. */
export function createBudget(
  limits: BudgetLimits,
  scope: BudgetScope = 'session',
  alreadySpent: Spending = {},
): Budget {
  const spent = addSpending({}, alreadySpent);

  const isReached = ({ counter, limit }: Dimension, ratio: number) => {
    const maximum = limits[limit];
    return maximum !== undefined && spent[counter] >= maximum * ratio;
  };
  const findExceeded = (dimensions: readonly Dimension[]) =>
    dimensions.find((dimension) => isReached(dimension, 1))?.reason;
  const nearLimits = DIMENSIONS.filter((dimension) => isReached(dimension, limits.warnAtRatio));
  const warned = new Set(hasSpending(alreadySpent) ? nearLimits.map(({ reason }) => reason) : []);
  let isReported = hasSpending(alreadySpent) && findExceeded(DIMENSIONS) !== undefined;
  const snapshot = (reason?: BudgetReason): BudgetSnapshot => ({
    status: findExceeded(DIMENSIONS) ? 'exceeded' : isWarning() ? 'warning' : 'ok',
    ...spent,
    ...(reason === undefined ? {} : { reason }),
  });
  const isWarning = () => DIMENSIONS.some((dimension) => isReached(dimension, limits.warnAtRatio));

  return {
    spent,
    charge(spending) {
      for (const { counter } of DIMENSIONS) spent[counter] += spending[counter] ?? 0;
      // No warnings after the budget is exceeded.
      if (isReported) return [];
      const events: BudgetEvent[] = [];
      for (const dimension of DIMENSIONS) {
        const { reason } = dimension;
        if (warned.has(reason) || isReached(dimension, 1) || !isReached(dimension, limits.warnAtRatio)) continue;
        warned.add(reason);
        events.push({ type: 'budget_warning', scope, snapshot: { ...snapshot(reason), status: 'warning' } });
      }
      const reason = findExceeded(DIMENSIONS);
      isReported = reason !== undefined;
      if (reason) events.push({ type: 'budget_exceeded', scope, snapshot: snapshot(reason) });
      return events;
    },
    get exceededLimit() {
      return findExceeded(DIMENSIONS);
    },
    findExceededLimitExcept: (excluded) => findExceeded(DIMENSIONS.filter(({ reason }) => reason !== excluded)),
    snapshot,
  };
}

export function addSpending(one: Spending, other: Spending): Record<BudgetCounter, number> {
  const sums = COUNTERS.map((counter) => [counter, (one[counter] ?? 0) + (other[counter] ?? 0)]);
  return Object.fromEntries(sums) as Record<BudgetCounter, number>;
}

function hasSpending(spending: Spending): boolean {
  return Object.values(spending).some((amount) => amount > 0);
}

export function usageToSpending(usage: Usage): Spending {
  return {
    inputTokens: usage.input,
    outputTokens: usage.output,
    totalTokens: sumTokens(usage),
    costUsd: usage.cost.total,
  };
}
