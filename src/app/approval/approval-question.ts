// The question about a tool call: all of its arguments, why it is asked about, and what the answers cover.
import { escapeInvisible } from '../../base/escape-invisible.ts';
import type { PlannedToolCall } from '../../contracts/index.ts';
import type { CallToCheck, PermissionResult } from '../../permissions/index.ts';
import type { AnswerScopes } from './answer-scopes.ts';
import type { ApprovalQuestion } from './ask-host.ts';

/** In characters. A longer call is denied: the user cannot review it, and text that is not shown must not be approved. */
const MAX_CALL_LENGTH = 100_000;
/** In characters. A longer diff is not sent: the arguments show the call too. */
const MAX_DIFF_LENGTH = 200_000;

export interface QuestionScopes extends AnswerScopes {
  /** Why the call would be asked about without any rules. */
  readonly policyReason: string;
}

/** The reason for the model when the call is too long to be shown. */
export function findLengthProblem({ toolName, input }: CallToCheck): string | undefined {
  const { length } = formatCall(toolName, input);
  if (length <= MAX_CALL_LENGTH) return undefined;
  const sizes = `${length} characters, at most ${MAX_CALL_LENGTH}`;
  return `${toolName} was not run: its arguments are too long to be shown for approval (${sizes}). Use several smaller calls.`;
}

/** Contains all arguments. Invisible characters are escaped like control characters in JSON. */
function formatCall(toolName: string, input: CallToCheck['input']): string {
  return escapeInvisible(`${toolName} ${JSON.stringify(input)}`);
}

export async function createQuestion(
  planned: PlannedToolCall,
  call: CallToCheck,
  result: PermissionResult,
  { session, alwaysRules, policyReason }: QuestionScopes,
): Promise<ApprovalQuestion> {
  const { toolName, input, cwd, isEscalated } = call;
  const reason = describeCause(call, result, policyReason);
  const diff = await planned.previewDiff(input);
  const always = alwaysRules.length > 0;
  return {
    method: 'select',
    title: isEscalated ? `Allow ${toolName} outside the sandbox?` : `Allow ${toolName}?`,
    message: [formatCall(toolName, input), ...listNotes(reason, alwaysRules)].join('\n'),
    options: ['allow', 'deny', ...(session ? ['allow_session'] : []), ...(always ? ['allow_always'] : [])],
    toolCall: {
      ...{ toolCallId: planned.toolCallId, toolName, args: { ...input }, cwd },
      ...(diff !== undefined && diff.length <= MAX_DIFF_LENGTH ? { diff } : {}),
      ...(always ? { rules: [...alwaysRules] } : {}),
      ...(session ? { sessionScope: session.label } : {}),
      ...(reason === undefined ? {} : { reason }),
    },
  };
}

function listNotes(reason: string | undefined, alwaysRules: readonly string[]): string[] {
  const always = alwaysRules.length > 0 ? [`allow_always adds to your settings: ${alwaysRules.join(', ')}`] : [];
  return [...(reason === undefined ? [] : [reason]), ...always];
}

/** `undefined` when neither a rule nor the call itself is the cause. */
function describeCause(
  { isEscalated }: CallToCheck,
  { rule, parts, reason }: PermissionResult,
  policyReason: string,
): string | undefined {
  if (isEscalated) return 'This call runs outside the sandbox.';
  if (rule === null && reason === policyReason) return undefined;
  const part = parts.find((candidate) => candidate.decision === 'ask' && candidate.reason === reason);
  const subject = part && parts.length > 1 ? ` ${part.text}:` : '';
  return escapeInvisible(`Reason:${subject} ${reason}`);
}
