// First floor, core: what may be spent and what was. Pure: no clock, no events but those it returns.
import type { BudgetReason, BudgetScope, BudgetSnapshot, Usage } from '../../protocol/index.ts';
import { totalTokens } from '../../protocol/index.ts';
import type { BudgetLimits } from './budget-limits.ts';

type Counter = Exclude<keyof BudgetSnapshot, 'status' | 'reason'>;
export type Spending = Partial<Record<Counter, number>>;

export interface BudgetNews {
  type: 'budget_warning' | 'budget_exceeded';
  scope: BudgetScope;
  snapshot: BudgetSnapshot;
}

export interface Budget {
  /** Adds up, and says what became due by it. */
  charge(spending: Spending): BudgetNews[];
  readonly spent: Readonly<Record<Counter, number>>;
  /** The first dimension whose limit is reached. */
  readonly violation: BudgetReason | undefined;
  /** The same, as if `except` had no limit. */
  violationBeside(except: BudgetReason): BudgetReason | undefined;
  snapshot(reason?: BudgetReason): BudgetSnapshot;
}

interface Dimension {
  readonly reason: BudgetReason;
  readonly counter: Counter;
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

export const COUNTERS: readonly Counter[] = DIMENSIONS.map(({ counter }) => counter);

/** `before` was spent earlier; what was due by it has been said. */
export function createBudget(limits: BudgetLimits, scope: BudgetScope = 'session', before: Spending = {}): Budget {
  const spent = addSpending({}, before);

  const reaches = ({ counter, limit }: Dimension, ratio: number) => {
    const most = limits[limit];
    return most !== undefined && spent[counter] >= most * ratio;
  };
  const first = (among: readonly Dimension[]) => among.find((dimension) => reaches(dimension, 1))?.reason;
  const near = DIMENSIONS.filter((dimension) => reaches(dimension, limits.warnAtRatio));
  const warned = new Set(spends(before) ? near.map(({ reason }) => reason) : []);
  let told = spends(before) && first(DIMENSIONS) !== undefined;
  const snapshot = (reason?: BudgetReason): BudgetSnapshot => ({
    status: first(DIMENSIONS) ? 'exceeded' : isWarning() ? 'warning' : 'ok',
    ...spent,
    ...(reason === undefined ? {} : { reason }),
  });
  const isWarning = () => DIMENSIONS.some((dimension) => reaches(dimension, limits.warnAtRatio));

  return {
    spent,
    charge(spending) {
      for (const { counter } of DIMENSIONS) spent[counter] += spending[counter] ?? 0;
      // Nobody is warned of what has already happened.
      if (told) return [];
      const news: BudgetNews[] = [];
      for (const dimension of DIMENSIONS) {
        const { reason } = dimension;
        if (warned.has(reason) || reaches(dimension, 1) || !reaches(dimension, limits.warnAtRatio)) continue;
        warned.add(reason);
        news.push({ type: 'budget_warning', scope, snapshot: { ...snapshot(reason), status: 'warning' } });
      }
      const reason = first(DIMENSIONS);
      told = reason !== undefined;
      if (reason) news.push({ type: 'budget_exceeded', scope, snapshot: snapshot(reason) });
      return news;
    },
    get violation() {
      return first(DIMENSIONS);
    },
    violationBeside: (except) => first(DIMENSIONS.filter(({ reason }) => reason !== except)),
    snapshot,
  };
}

export function addSpending(one: Spending, other: Spending): Record<Counter, number> {
  const sums = COUNTERS.map((counter) => [counter, (one[counter] ?? 0) + (other[counter] ?? 0)]);
  return Object.fromEntries(sums) as Record<Counter, number>;
}

function spends(spending: Spending): boolean {
  return Object.values(spending).some((amount) => amount > 0);
}

/** What an answer of a model costs. */
export function spendingOf(usage: Usage): Spending {
  return {
    inputTokens: usage.input,
    outputTokens: usage.output,
    totalTokens: totalTokens(usage),
    costUsd: usage.cost.total,
  };
}
