// Flags that stand for a setting. Applied whenever settings are read, so that a project that is trusted later cannot lift them.
import { Fault } from '../base/index.ts';
import { type APPROVAL_MODES, approvalOf } from './choices.ts';
import { type LimitFlags, withLimitFlags } from './limits.ts';
import type { SettingValues } from './settings-table.ts';

export interface SettingFlags extends LimitFlags {
  readonly approvalMode?: (typeof APPROVAL_MODES)[number] | undefined;
  readonly autoApprove?: boolean | undefined;
}

export function withSettingFlags(settings: SettingValues, flags: SettingFlags): SettingValues {
  const { approvalMode, autoApprove } = flags;
  const mode = autoApprove ? 'never' : approvalMode;
  if (autoApprove && approvalMode && approvalOf(approvalMode) !== 'never') {
    throw new Fault('config', `--auto-approve and --approval-mode ${approvalMode} exclude each other.`);
  }
  const limited = withLimitFlags(settings, flags);
  return mode === undefined ? limited : { ...limited, approval: approvalOf(mode) };
}
