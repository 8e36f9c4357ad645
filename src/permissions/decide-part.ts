// Decides about one part of a call: deny wins, then ask, then allow, then the approval policy.
import type { PermissionDecision, Tool } from '../contracts/index.ts';
import { type ApprovalPolicy, toPermissionMode } from '../protocol/index.ts';
import type { CompiledRule, PermissionPart, RuleScope } from './permission-check.ts';

export interface RuleMatch {
  readonly found: CompiledRule;
  /** `maybe`: the rule could mean this part. Only for rules that restrict. */
  readonly match: 'yes' | 'maybe';
}

/** What holds when no rule decides. */
export interface DefaultDecision {
  readonly decision: PermissionDecision;
  readonly scope: RuleScope | null;
  readonly reason: string;
}

export function decidePart(text: string, matches: readonly RuleMatch[], fallback: DefaultDecision): PermissionPart {
  const denial = matches.find(({ found, match }) => found.decision === 'deny' && match === 'yes');
  if (denial) return createPart(text, 'deny', denial);
  if (fallback.decision === 'deny') return { text, rule: null, ...fallback };
  const question = findQuestion(matches);
  const answers = matches.filter(({ found }) => found.decision === 'allow' && found.scope === 'session');
  const answer = answers.find((one) => !question || canAnswer(one, question));
  if (answer) return createPart(text, 'allow', answer);
  if (question) return createPart(text, 'ask', question);
  const permission = matches.find(({ found }) => found.decision === 'allow');
  if (permission) return createPart(text, 'allow', permission);
  return { text, rule: null, ...fallback };
}

/** A match for certain is reported before a possible one. */
function findQuestion(matches: readonly RuleMatch[]): RuleMatch | undefined {
  const restricting = matches.filter(({ found }) => found.decision !== 'allow');
  const doubt = restricting.find(({ found }) => found.decision === 'deny');
  return doubt ?? restricting.find(({ match }) => match === 'yes') ?? restricting[0];
}

/** What may be denied is not allowed by an answer about the whole tool. */
function canAnswer(answer: RuleMatch, question: RuleMatch): boolean {
  return question.found.decision === 'ask' || /[^*\s]/.test(answer.found.rule.pattern ?? '');
}

function createPart(text: string, decision: PermissionDecision, { found, match }: RuleMatch): PermissionPart {
  const { rule, scope } = found;
  const verb = { allow: 'allows', ask: 'asks about', deny: 'denies' }[found.decision];
  const reason =
    match === 'yes'
      ? `the rule ${rule.text} (${scope}) ${verb} it`
      : `it may be what the rule ${rule.text} (${scope}) ${verb}`;
  return { text, decision, rule: rule.text, scope, reason };
}

const EFFECT_NAMES = { read: 'tools that read', write: 'tools that change files', execute: 'tools that run something' };

/** The decision of the approval policy about a tool with this effect. */
export function decideByPolicy(policy: ApprovalPolicy, effect: Tool['effect']): DefaultDecision {
  const mode = toPermissionMode(policy);
  const decision = getPolicyDecision(policy, effect);
  const verb = { allow: 'allows', ask: 'asks about', deny: 'denies' }[decision];
  return { decision, scope: null, reason: `no rule matches, and the mode ${mode} ${verb} ${EFFECT_NAMES[effect]}` };
}

function getPolicyDecision(policy: ApprovalPolicy, effect: Tool['effect']): PermissionDecision {
  if (policy === 'never') return 'allow';
  if (policy === 'read-only') return effect === 'read' ? 'allow' : 'deny';
  if (policy === 'always') return 'ask';
  if (policy === 'on-write') return effect === 'read' ? 'allow' : 'ask';
  return effect === 'execute' ? 'ask' : 'allow';
}
