// Texts for the model about calls that were not run.
import { escapeInvisible } from '../../base/escape-invisible.ts';
import type { CallToCheck, PermissionResult } from '../../permissions/index.ts';
import type { ApprovalPolicy } from '../../protocol/index.ts';
import type { Refusal } from './ask-host.ts';

const PLACES = {
  user: "in the user's settings",
  project: "in the project's settings",
  session: 'of this session',
  'built-in': 'that is built in',
} as const;
/** In characters: how much of a command or of an unknown answer is quoted. */
const MAX_QUOTE_LENGTH = 200;

export function describeDenial(call: CallToCheck, result: PermissionResult, policy: ApprovalPolicy): string {
  const { toolName } = call;
  const { rule, scope, reason, parts } = result;
  if (policy === 'read-only' && rule === null) return describeReadOnly(call);
  const part = parts.find((candidate) => candidate.decision === 'deny' && candidate.rule === rule);
  // The rule asks, and the mode denies what would need an answer.
  if (rule === null || !part) return `${toolName} was not run: ${escapeInvisible(reason)}.`;
  const place = scope ? ` ${PLACES[scope]}` : '';
  const subject = part.text === toolName ? 'this call' : quote(part.text);
  return `${toolName} was not run: the rule ${rule}${place} denies ${subject}.`;
}

function describeReadOnly({ toolName, subjects }: CallToCheck): string {
  const isCommand = subjects.some(({ kind }) => kind === 'command');
  const allowed = isCommand ? 'tools that read, and commands that are known to change nothing,' : 'tools that read';
  return `${toolName} was not run: the session is read-only. Only ${allowed} are allowed.`;
}

/** `rules` would allow the call. */
export function describeRefusal(
  toolName: string,
  refusal: Refusal,
  { approvalTimeout, rules = [] }: { approvalTimeout: number; rules?: readonly string[] },
): string {
  const notRun = `${toolName} was not run`;
  switch (refusal.kind) {
    case 'deny':
      return `The user does not allow ${toolName} here${formatMessage(refusal.message)}`;
    case 'deny_session':
      return `The user does not allow ${toolName} in this session${formatMessage(refusal.message)}`;
    case 'timeout':
      return `${notRun}: it needs an approval. The host did not answer within ${approvalTimeout / 1000} s, which counts as no.`;
    case 'dismissed':
      return `${notRun}: it needs an approval. The question was dismissed, which counts as no.`;
    case 'closed':
      return `${notRun}: it needs an approval. The host disconnected without an answer, which counts as no.`;
    case 'aborted':
      return `${notRun}: the run was aborted before its approval.`;
    case 'invalid':
      return `${notRun}: the host answered ${quote(refusal.value)}, which was not offered and counts as no.`;
    default:
      return `${notRun}: it needs an approval, and no host can answer. ${describeRemedy(rules)}`;
  }
}

function formatMessage(message: string | undefined): string {
  return message === undefined ? '. Nothing was run.' : `: ${message}`;
}

/** The rule is quoted for a shell. */
function describeRemedy(rules: readonly string[]): string {
  const commands = rules.map((rule) => `"parley permissions add allow '${rule.replaceAll("'", "'\\''")}'"`);
  const byRule = commands.length > 0 ? `with a rule (${commands.join(', ')}) or ` : 'with ';
  return `Allow it ${byRule}another --approval-mode.`;
}

function quote(text: string): string {
  const shown = text.length > MAX_QUOTE_LENGTH ? `${text.slice(0, MAX_QUOTE_LENGTH)}…` : text;
  return `"${escapeInvisible(shown)}"`;
}
