// Asks the host to approve tool calls, as the `approval` setting says. Decides by the effect of a tool, not by its name.
import { escapeInvisible } from '../base/escape-invisible.ts';
import type { ApprovalControl, Hooks, HostUi, PlannedToolCall } from '../contracts/index.ts';
import type { ApprovalPolicy } from '../protocol/index.ts';
import type { SettingValues } from '../settings/index.ts';

type ApprovalSettings = Pick<SettingValues, 'approvalTimeout'>;

const ALLOW = 'allow';
const DENY = 'deny';
const ALLOW_SESSION = 'allow_session';
/** Not among the options, because older hosts show all of them. Hosts that know it may answer with it. */
const DENY_SESSION = 'deny_session';
/** In characters. A longer call is denied: the user cannot review it, and text that is not shown must not be approved. */
const MAX_MESSAGE_LENGTH = 100_000;
/** In characters. A longer diff is not sent: the arguments show the call too. */
const MAX_DIFF_LENGTH = 200_000;

/**
 * A call is denied when there is no host, or when it does not answer in time. `host` is called for each request, because the host may
 * have disconnected. The settings are read for each call, because a project that is trusted later may change them.
 */
export function createApprovalHook(
  settings: ApprovalSettings,
  approval: Readonly<ApprovalControl>,
  host: () => HostUi | undefined,
): NonNullable<Hooks['toolCall']> {
  /** Names of the tools that the user has allowed for the rest of the session. */
  const approvedTools = new Set<string>();
  const deniedTools = new Set<string>();
  return async (call) => {
    const { policy } = approval;
    if (policy === 'read-only') return call.effect === 'read' ? undefined : refuseInReadOnlyMode(call.toolName);
    if (deniedTools.has(call.toolName)) return { block: true, reason: describeRefusal(call.toolName, DENY_SESSION) };
    if (approvedTools.has(call.toolName) || !needsApproval(policy, call.effect)) return undefined;
    const message = formatCall(call);
    if (message.length > MAX_MESSAGE_LENGTH)
      return { block: true, reason: describeTooLong(call.toolName, message.length) };
    const answer = await requestApproval(call, message, settings.approvalTimeout, host());
    if (answer === ALLOW_SESSION) approvedTools.add(call.toolName);
    if (answer === DENY_SESSION) deniedTools.add(call.toolName);
    if (answer === ALLOW || answer === ALLOW_SESSION) return undefined;
    return { block: true, reason: describeRefusal(call.toolName, answer) };
  };
}

function needsApproval(policy: ApprovalPolicy, effect: PlannedToolCall['effect']): boolean {
  if (policy === 'on-write') return effect !== 'read';
  if (policy === 'on-execute') return effect === 'execute';
  return policy !== 'never';
}

async function requestApproval(
  call: PlannedToolCall,
  message: string,
  timeout: number,
  host: HostUi | undefined,
): Promise<string | undefined> {
  if (!host) return undefined;
  const limit = timeout > 0 ? { timeout } : {};
  const question = {
    method: 'select' as const,
    title: `Allow ${call.toolName}?`,
    message,
    options: [ALLOW, DENY, ALLOW_SESSION],
    toolCall: await describeCall(call),
    ...limit,
  };
  const answer = await host.ask(question, { ...limit, signal: call.signal });
  return answer && 'value' in answer ? answer.value : undefined;
}

/** For hosts that show a diff or a command in a better way than as JSON. */
async function describeCall({ toolCallId, toolName, input, cwd, previewDiff }: PlannedToolCall) {
  const diff = await previewDiff(input);
  const shownDiff = diff !== undefined && diff.length <= MAX_DIFF_LENGTH ? { diff } : {};
  return { toolCallId, toolName, args: { ...input }, cwd, ...shownDiff };
}

function refuseInReadOnlyMode(tool: string) {
  const reason = `${tool} was not run: the session is read-only. Only tools that read are allowed.`;
  return { block: true as const, reason };
}

/** Contains all arguments. Invisible characters are escaped like control characters in JSON. */
function formatCall({ toolName, input }: PlannedToolCall): string {
  return escapeInvisible(`${toolName} ${JSON.stringify(input)}`);
}

function describeTooLong(tool: string, length: number): string {
  const sizes = `${length} characters, at most ${MAX_MESSAGE_LENGTH}`;
  return `${tool} was not run: its arguments are too long to be shown for approval (${sizes}). Use several smaller calls.`;
}

function describeRefusal(tool: string, answer: string | undefined): string {
  if (answer === DENY_SESSION) return `The user does not allow ${tool} in this session. Nothing was run.`;
  return answer === undefined
    ? `${tool} was not approved in time, so it was not run.`
    : `The user does not allow ${tool} here. Nothing was run.`;
}
