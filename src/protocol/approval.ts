// When tool calls need an approval.
import { type InferOutput, picklist } from 'valibot';

/** `read-only` asks nothing: tools that write are denied, and commands that are not known to be harmless too. */
export const APPROVAL_POLICIES = ['never', 'on-execute', 'on-write', 'always', 'read-only'] as const;

export type ApprovalPolicy = (typeof APPROVAL_POLICIES)[number];

const POLICY_OF_MODE = {
  'read-only': 'read-only',
  always: 'always',
  ask: 'on-write',
  'auto-edit': 'on-execute',
  full: 'never',
} as const satisfies Record<string, ApprovalPolicy>;

/** The names of the policies for users: what the agent may do without asking. */
export const PERMISSION_MODES = Object.keys(POLICY_OF_MODE) as readonly (keyof typeof POLICY_OF_MODE)[];

export const permissionMode = picklist(PERMISSION_MODES);

export type PermissionMode = InferOutput<typeof permissionMode>;

/** Accepts the name of a mode, too. */
export function toApprovalPolicy(name: ApprovalPolicy | PermissionMode): ApprovalPolicy {
  return name in POLICY_OF_MODE ? POLICY_OF_MODE[name as PermissionMode] : (name as ApprovalPolicy);
}

export function toPermissionMode(policy: ApprovalPolicy): PermissionMode {
  return PERMISSION_MODES.find((mode) => POLICY_OF_MODE[mode] === policy) as PermissionMode;
}
