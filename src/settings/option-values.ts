// Values that are shared by flags and settings.
import { APPROVAL_POLICIES, type ApprovalPolicy, PERMISSION_MODES, toApprovalPolicy } from '../protocol/index.ts';

export const STREAM_MODES = ['full', 'delta'] as const;
export const EOF_ACTIONS = ['finish', 'abort'] as const;
export const SANDBOX_MODES = ['off', 'workspace-write', 'read-only'] as const;

/** Values of the setting `approval`: modes, and the policies that they stand for. */
export const APPROVAL_VALUES = [...new Set([...PERMISSION_MODES, ...APPROVAL_POLICIES])];

const OMP_APPROVAL_MODES = { 'always-ask': 'on-write', write: 'on-execute', yolo: 'never' } as const;

/** Values of `--approval-mode`: those of the setting, and the three of oh-my-pi. */
export const APPROVAL_MODES = [
  ...(Object.keys(OMP_APPROVAL_MODES) as (keyof typeof OMP_APPROVAL_MODES)[]),
  ...APPROVAL_VALUES,
];

export function parseApprovalMode(mode: (typeof APPROVAL_MODES)[number]): ApprovalPolicy {
  return mode in OMP_APPROVAL_MODES
    ? OMP_APPROVAL_MODES[mode as keyof typeof OMP_APPROVAL_MODES]
    : toApprovalPolicy(mode as ApprovalPolicy);
}
