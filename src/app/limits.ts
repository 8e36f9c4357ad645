// The hall: what a session may use up, from settings and from the command line. Counts nothing.
import { type BudgetLimits, hasLimit } from '../core/index.ts';
import type { SettingValues } from './settings-table.ts';

/** The flags that set limits for this run. */
export interface LimitFlags {
  readonly maxCost?: number | undefined;
  readonly maxTime?: number | undefined;
  readonly maxTurns?: number | undefined;
  readonly maxTokens?: number | undefined;
  readonly maxInputTokens?: number | undefined;
  readonly maxOutputTokens?: number | undefined;
  readonly maxToolCalls?: number | undefined;
  readonly maxSubagents?: number | undefined;
}

/** A flag stands above the setting that it names. */
export function withLimitFlags(settings: SettingValues, flags: LimitFlags): SettingValues {
  const said: Partial<Record<keyof SettingValues, number | undefined>> = {
    'task.budget.maxCostUsd': flags.maxCost,
    'task.budget.maxWallTimeMs': flags.maxTime === undefined ? undefined : flags.maxTime * 1000,
    'task.budget.maxTotalTokens': flags.maxTokens,
    'task.budget.maxInputTokens': flags.maxInputTokens,
    'task.budget.maxOutputTokens': flags.maxOutputTokens,
    'task.budget.maxToolCalls': flags.maxToolCalls,
    'task.budget.maxSubagents': flags.maxSubagents,
  };
  return { ...settings, ...Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined)) };
}

/** `undefined` when nothing is limited: then nothing is counted either. */
export function budgetFor(settings: SettingValues): BudgetLimits | undefined {
  const limits: BudgetLimits = {
    maxWallTimeMs: settings['task.budget.maxWallTimeMs'],
    maxInputTokens: settings['task.budget.maxInputTokens'],
    maxOutputTokens: settings['task.budget.maxOutputTokens'],
    maxTotalTokens: settings['task.budget.maxTotalTokens'],
    maxCostUsd: settings['task.budget.maxCostUsd'],
    maxToolCalls: settings['task.budget.maxToolCalls'],
    maxSubagents: settings['task.budget.maxSubagents'],
    warnAtRatio: settings['task.budget.warnAtRatio'],
  };
  return hasLimit(limits) ? limits : undefined;
}
