// Converts settings to the session options and budget limits that may change while the session is open.
import { type BudgetLimits, hasLimit, type SessionOptions } from '../core/index.ts';
import type { SettingValues } from '../settings/index.ts';

export type SessionSettings = Pick<SessionOptions, 'toolOptions' | 'compaction' | 'retry'> &
  Required<Pick<SessionOptions, 'todos'>>;

export function toSessionSettings(settings: SettingValues): SessionSettings {
  return {
    toolOptions: { shellPath: settings.shellPath, bashTimeout: settings['bash.timeout'] },
    todos: { reminders: settings['todo.reminders'], maxReminders: settings['todo.maxReminders'] },
    compaction: {
      enabled: settings['compaction.enabled'],
      reserveTokens: settings['compaction.reserveTokens'],
      keepRecentTokens: settings['compaction.keepRecentTokens'],
    },
    retry: {
      enabled: settings['retry.enabled'],
      maxRetries: settings['retry.maxRetries'],
      baseDelayMs: settings['retry.baseDelayMs'],
      maxDelayMs: settings['retry.maxDelayMs'],
    },
  };
}

/** `undefined` when there is no limit. Usage is then not counted. */
export function toBudgetLimits(settings: SettingValues): BudgetLimits | undefined {
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
