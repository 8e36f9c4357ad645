// When tool calls need an approval.
import { type InferOutput, picklist } from 'valibot';

/** `read-only` asks nothing: tools that write or execute are denied. */
export const APPROVAL_POLICIES = ['never', 'on-execute', 'on-write', 'always', 'read-only'] as const;

export const approvalPolicy = picklist(APPROVAL_POLICIES);

export type ApprovalPolicy = InferOutput<typeof approvalPolicy>;
