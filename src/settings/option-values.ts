// Values that are shared by flags and settings.
import { APPROVAL_POLICIES, type ApprovalPolicy } from '../protocol/index.ts';

export const STREAM_MODES = ['full', 'delta'] as const;
export const EOF_ACTIONS = ['finish', 'abort'] as const;

/** Values of `--approval-mode`: those of the setting, and the three of oh-my-pi, which are mapped to them. */
export const APPROVAL_MODES = ['always-ask', 'write', 'yolo', ...APPROVAL_POLICIES] as const;

const OMP_APPROVAL_MODES = { 'always-ask': 'on-write', write: 'on-execute', yolo: 'never' } as const;

export function toApprovalPolicy(mode: (typeof APPROVAL_MODES)[number]): ApprovalPolicy {
  return mode in OMP_APPROVAL_MODES
    ? OMP_APPROVAL_MODES[mode as keyof typeof OMP_APPROVAL_MODES]
    : (mode as ApprovalPolicy);
}
