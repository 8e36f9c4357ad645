// Values that are shared by flags and settings.
import { APPROVAL_POLICIES, type ApprovalPolicy, PERMISSION_MODES, toApprovalPolicy } from '../protocol/index.ts';

export const STREAM_MODES = ['full', 'delta'] as const;
export const EOF_ACTIONS = ['finish', 'abort'] as const;
export const SANDBOX_MODES = ['off', 'workspace-write', 'read-only'] as const;

/** Values of the setting `approval`: modes, and the policies that they stand for. */
export const APPROVAL_VALUES = [...new Set([...PERMISSION_MODES, ...APPROVAL_POLICIES])];

const OMP_APPROVAL_MODES = { 'always-ask': 'on-write', write: 'on-execute', yolo: 'never' } as const;
const CLAUDE_CODE_MODES = {
  default: 'on-write',
  acceptEdits: 'on-execute',
  plan: 'read-only',
  bypassPermissions: 'never',
} as const;
const MODES_OF_OTHERS = { ...OMP_APPROVAL_MODES, ...CLAUDE_CODE_MODES };

/** Values of `--approval-mode`: those of the setting, and the three of oh-my-pi. */
export const APPROVAL_MODES = [...listNames(OMP_APPROVAL_MODES), ...APPROVAL_VALUES];

/** Values of `--permission-mode`. */
export const APPROVAL_MODES_OF_CLAUDE_CODE = [...listNames(CLAUDE_CODE_MODES), ...APPROVAL_VALUES];

type ApprovalModeName = (typeof APPROVAL_MODES)[number] | (typeof APPROVAL_MODES_OF_CLAUDE_CODE)[number];

export function parseApprovalMode(mode: ApprovalModeName): ApprovalPolicy {
  return mode in MODES_OF_OTHERS
    ? MODES_OF_OTHERS[mode as keyof typeof MODES_OF_OTHERS]
    : toApprovalPolicy(mode as ApprovalPolicy);
}

function listNames<T extends object>(table: T): (keyof T)[] {
  return Object.keys(table) as (keyof T)[];
}
