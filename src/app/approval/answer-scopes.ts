// What the answers `allow_session` and `allow_always` cover. They are offered only if the same call would run after them.
import { escapeInvisible } from '../../base/escape-invisible.ts';
import type { CallToCheck, PermissionResult, ScopedRule } from '../../permissions/index.ts';
import type { SessionScope } from './session-answers.ts';

export interface AnswerScopes {
  /** `undefined` when `allow_session` is not offered. */
  readonly session: SessionScope | undefined;
  /** The rules that `allow_always` saves. Empty when it is not offered. */
  readonly alwaysRules: readonly string[];
}

interface ScopeContext {
  /** Rules that would allow the call, as narrow as it is. */
  readonly proposedRules: readonly string[];
  readonly canSaveRules: boolean;
  /** Checks the call with further rules that allow. */
  check(added: readonly ScopedRule[]): Promise<PermissionResult>;
}

/** More or longer rules are not offered: the user has to read them before answering. */
const MAX_RULES = 10;
const MAX_RULE_CHARACTERS = 1000;

export async function findAnswerScopes(
  call: CallToCheck,
  { rule }: PermissionResult,
  { proposedRules, canSaveRules, check }: ScopeContext,
): Promise<AnswerScopes> {
  if (call.isEscalated) return { session: undefined, alwaysRules: [] };
  const isAllowedBy = async (rules: readonly string[], scope: ScopedRule['scope']) =>
    canBeShown(rules) && (await check(rules.map((text) => ({ text, scope })))).decision === 'allow';
  const canSave = canSaveRules && (await isAllowedBy(proposedRules, 'user'));
  const session = await findSessionScope(call, rule, proposedRules, (rules) => isAllowedBy(rules, 'session'));
  return { session, alwaysRules: canSave ? proposedRules : [] };
}

async function findSessionScope(
  { toolName, subjects }: CallToCheck,
  rule: string | null,
  proposedRules: readonly string[],
  isAllowedBy: (rules: readonly string[]) => Promise<boolean>,
): Promise<SessionScope | undefined> {
  const isFileCall = subjects.length > 0 && subjects.every(({ kind }) => kind === 'path');
  const workspaceRules = [`${toolName}(./**)`];
  if (isFileCall && (await isAllowedBy(workspaceRules)))
    return { label: `${toolName} of any file in the working directory`, covers: { rules: workspaceRules } };
  if (await isAllowedBy(proposedRules)) return { label: proposedRules.join(', '), covers: { rules: proposedRules } };
  if (rule !== null) return undefined;
  if (subjects.length === 0) return { label: `every ${toolName} call`, covers: 'tool' };
  return { label: `exactly this ${toolName} call`, covers: 'call' };
}

/** Whether a user can read and copy the rules. */
export function canBeShown(rules: readonly string[]): boolean {
  if (rules.length === 0 || rules.length > MAX_RULES) return false;
  const text = rules.join('');
  return text.length <= MAX_RULE_CHARACTERS && escapeInvisible(text) === text;
}
