// First floor, core: what may be spent and what was. Pure: no clock, no events but those it returns.
import type { BudgetReason, BudgetScope, BudgetSnapshot, Usage } from '../../protocol/index.ts';
import { totalTokens } from '../../protocol/index.ts';

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

export function hasLimit(limits: BudgetLimits): boolean {
  return DIMENSIONS.some(({ limit }) => limits[limit] !== undefined);
}

export function createBudget(limits: BudgetLimits, scope: BudgetScope = 'session'): Budget {
  const spent = Object.fromEntries(DIMENSIONS.map(({ counter }) => [counter, 0])) as Record<Counter, number>;
  const warned = new Set<BudgetReason>();
  let told = false;

  const reaches = ({ counter, limit }: Dimension, ratio: number) => {
    const most = limits[limit];
    return most !== undefined && spent[counter] >= most * ratio;
  };
  const first = (among: readonly Dimension[]) => among.find((dimension) => reaches(dimension, 1))?.reason;
  const snapshot = (reason?: BudgetReason): BudgetSnapshot => ({
    status: first(DIMENSIONS) ? 'exceeded' : isWarning() ? 'warning' : 'ok',
    ...spent,
    ...(reason === undefined ? {} : { reason }),
  });
  const isWarning = () => DIMENSIONS.some((dimension) => reaches(dimension, limits.warnAtRatio));

  return {
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

/** What an answer of a model costs. */
export function spendingOf(usage: Usage): Spending {
  return {
    inputTokens: usage.input,
    outputTokens: usage.output,
    totalTokens: totalTokens(usage),
    costUsd: usage.cost.total,
  };
}
