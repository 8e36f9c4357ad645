// Flags that override a setting. Applied whenever settings are loaded, so that a project that is trusted later cannot override them.

import { Fault } from '../base/index.ts';
import { type APPROVAL_MODES, toApprovalPolicy } from './option-values.ts';
import type { SettingValues } from './settings-table.ts';

/** Command-line flags that set limits for this run. */
interface LimitFlags {
  readonly maxCost?: number | undefined;
  readonly maxTime?: number | undefined;
  readonly maxTurns?: number | undefined;
  readonly maxTokens?: number | undefined;
  readonly maxInputTokens?: number | undefined;
  readonly maxOutputTokens?: number | undefined;
  readonly maxToolCalls?: number | undefined;
  readonly maxSubagents?: number | undefined;
}

export interface SettingFlags extends LimitFlags {
  readonly approvalMode?: (typeof APPROVAL_MODES)[number] | undefined;
  readonly autoApprove?: boolean | undefined;
}

export function applySettingFlags(settings: SettingValues, flags: SettingFlags): SettingValues {
  const { approvalMode, autoApprove } = flags;
  const mode = autoApprove ? 'never' : approvalMode;
  if (autoApprove && approvalMode && toApprovalPolicy(approvalMode) !== 'never') {
    throw new Fault('config', `--auto-approve and --approval-mode ${approvalMode} exclude each other.`);
  }
  const limited = applyLimitFlags(settings, flags);
  return mode === undefined ? limited : { ...limited, approval: toApprovalPolicy(mode) };
}

/** A flag overrides the setting for the same limit. */
function applyLimitFlags(settings: SettingValues, flags: LimitFlags): SettingValues {
  const overrides: Partial<Record<keyof SettingValues, number | undefined>> = {
    'task.budget.maxCostUsd': flags.maxCost,
    'task.budget.maxWallTimeMs': flags.maxTime === undefined ? undefined : flags.maxTime * 1000,
    'task.budget.maxTotalTokens': flags.maxTokens,
    'task.budget.maxInputTokens': flags.maxInputTokens,
    'task.budget.maxOutputTokens': flags.maxOutputTokens,
    'task.budget.maxToolCalls': flags.maxToolCalls,
    'task.budget.maxSubagents': flags.maxSubagents,
  };
  return { ...settings, ...Object.fromEntries(Object.entries(overrides).filter(([, value]) => value !== undefined)) };
}
