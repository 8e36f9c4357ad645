// Decides whether a tool call runs: by the permission rules and the approval policy, or by the answer of the host.
import { getErrorMessage } from '../../base/index.ts';
import type { ApprovalControl, Hooks, HostUi, PlannedToolCall, ToolCallHookResult } from '../../contracts/index.ts';
import {
  type CallToCheck,
  checkPermission,
  type PermissionContext,
  type PermissionResult,
  type PermissionRules,
  proposeRules,
  type ScopedRule,
} from '../../permissions/index.ts';
import type { SettingValues } from '../../settings/index.ts';
import { type AnswerScopes, canBeShown, findAnswerScopes } from './answer-scopes.ts';
import { createQuestion, findLengthProblem } from './approval-question.ts';
import { askHost } from './ask-host.ts';
import { toOriginalCall } from './original-call.ts';
import { describeDenial, describeRefusal } from './refusals.ts';
import { SessionAnswers } from './session-answers.ts';

export interface ApprovalHookOptions {
  /** Read for each call, because a project that is trusted later may change them. */
  readonly settings: Pick<SettingValues, 'approvalTimeout'>;
  readonly approval: Readonly<ApprovalControl>;
  /** The working directory of the session. Isolated subagents work in copies of it. */
  readonly cwd: string;
  /** Called for each question, because the host may have disconnected. */
  host(): HostUi | undefined;
  /** The rules of the settings, read for each call. */
  rules(): PermissionRules;
  context(): Promise<Omit<PermissionContext, 'policy'>>;
  /** Adds rules to `permissions.allow` of the user's settings. Absent when they cannot be changed. */
  saveRules?(rules: readonly string[]): Promise<void>;
  /** Gets the reason when a call was not run because no host can answer. Once for each reason. */
  onUnanswerable?(reason: string): void;
}

type Decision = Extract<ToolCallHookResult, { block: true }> | undefined;

/** Subagents use the hook of their parent, so the answers of a session apply to them, too. */
export function createApprovalHook(options: ApprovalHookOptions): NonNullable<Hooks['toolCall']> {
  const answers = new SessionAnswers();
  const unanswerable = new Set<string>();
  const report = (reason: string) => {
    if (!unanswerable.has(reason)) options.onUnanswerable?.(reason);
    unanswerable.add(reason);
  };
  return async (planned) => {
    const call = toCallToCheck(planned);
    const { toolName } = call;
    const denied = answers.findDenial(toolName);
    if (denied) return block(describeRefusal(toolName, denied, options.settings));
    const check = (added: readonly ScopedRule[] = []) =>
      checkCall(call, options, [...answers.listRules(toolName), ...added]);
    const result = await check();
    if (result.decision === 'deny') return block(describeDenial(call, result, options.approval.policy));
    if (result.decision === 'allow' || answers.allows(call, result)) return undefined;
    const problem = options.host() && findLengthProblem(call);
    if (problem !== undefined) return block(problem);
    // A rule can be too long to be valid. Then none is offered.
    const proposedRules = await proposeRules(call, result, await createContext(options)).catch(() => []);
    const canSaveRules = options.saveRules !== undefined;
    const scopes = await findAnswerScopes(call, result, { proposedRules, canSaveRules, check });
    return askUser({ planned, call, result, scopes, proposedRules, options, answers, report });
  };
}

function block(reason: string): Decision {
  return { block: true, reason };
}

function toCallToCheck(planned: PlannedToolCall): CallToCheck {
  const { toolName, effect, input, cwd } = planned;
  const subjects = planned.listSubjects(input);
  return { toolName, effect, input, cwd, subjects, isEscalated: planned.isEscalated(input) };
}

async function createContext({ approval, context }: ApprovalHookOptions): Promise<PermissionContext> {
  return { ...(await context()), policy: approval.policy };
}

async function checkCall(call: CallToCheck, options: ApprovalHookOptions, added: readonly ScopedRule[]) {
  const { allow, ask, deny } = options.rules();
  const rules = { allow: [...allow, ...added], ask, deny };
  const context = await createContext(options);
  const result = await checkPermission(call, rules, context);
  const original = toOriginalCall(call, options.cwd);
  if (!original || result.decision === 'deny') return result;
  const originalResult = await checkPermission(original, rules, context);
  return isRestrictedMore(originalResult, result) ? originalResult : result;
}

/** Only a rule counts: the mode has already decided. */
function isRestrictedMore({ decision, rule }: PermissionResult, result: PermissionResult): boolean {
  return rule !== null && (decision === 'deny' || (decision === 'ask' && result.decision === 'allow'));
}

interface AskedCall {
  readonly planned: PlannedToolCall;
  readonly call: CallToCheck;
  readonly result: PermissionResult;
  readonly scopes: AnswerScopes;
  readonly proposedRules: readonly string[];
  readonly options: ApprovalHookOptions;
  readonly answers: SessionAnswers;
  /** Reports a call that no host can answer. */
  report(reason: string): void;
}

async function askUser(asked: AskedCall): Promise<Decision> {
  const { planned, call, scopes, proposedRules, options, answers } = asked;
  const { approvalTimeout } = options.settings;
  const host = options.host();
  const policyReason = await findPolicyReason(call, options);
  const question = await createQuestion(planned, call, asked.result, { ...scopes, policyReason });
  const answer = await askHost(host, question, { timeout: approvalTimeout, signal: planned.signal });
  switch (answer.kind) {
    case 'allow':
      return undefined;
    case 'allow_session':
      answers.allow(call, scopes.session);
      return undefined;
    case 'allow_always':
      answers.addRules(call.toolName, scopes.alwaysRules);
      await saveRules(scopes.alwaysRules, options, host);
      return undefined;
    case 'deny_session':
      answers.deny(call.toolName, answer);
  }
  const rules = canBeShown(proposedRules) ? proposedRules : [];
  const reason = describeRefusal(call.toolName, answer, { approvalTimeout, rules });
  if (answer.kind === 'no-host' || answer.kind === 'unsupported') asked.report(reason);
  return block(reason);
}

/** The reason of a call for which there are no rules. It is not shown, because the user knows the mode. */
async function findPolicyReason(call: CallToCheck, options: ApprovalHookOptions): Promise<string> {
  const noRules = { allow: [], ask: [], deny: [] };
  const plainCall = { ...call, input: {}, subjects: [], isEscalated: false };
  return (await checkPermission(plainCall, noRules, await createContext(options))).reason;
}

/** The user has allowed the call, so it runs also when the rules cannot be saved. */
async function saveRules(
  rules: readonly string[],
  options: ApprovalHookOptions,
  host: HostUi | undefined,
): Promise<void> {
  try {
    await options.saveRules?.(rules);
  } catch (thrown) {
    const message = `${rules.join(', ')} is allowed in this session only. It was not saved in your settings: ${getErrorMessage(thrown)}`;
    host?.show({ method: 'notify', message, notifyType: 'warning' });
  }
}
