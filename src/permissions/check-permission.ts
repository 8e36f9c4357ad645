// Decides whether a tool call is run, asked about or denied.
import type { PermissionDecision } from '../contracts/index.ts';
import { COMMAND_TOOL, checkCommand } from './command-parts.ts';
import { decideByPolicy, decidePart, type RuleMatch } from './decide-part.ts';
import { checkPath } from './path-parts.ts';
import {
  type CallToCheck,
  compileRules,
  isRestricting,
  type PermissionCheck,
  type PermissionContext,
  type PermissionPart,
  type PermissionResult,
  type PermissionRules,
} from './permission-check.ts';
import { namesTool } from './rule.ts';
import { checkUrl, listUrls } from './url-parts.ts';

/** A call is allowed when every part is, and denied when one is. Throws a Fault when a rule is invalid. */
export async function checkPermission(
  call: CallToCheck,
  rules: PermissionRules,
  context: PermissionContext,
): Promise<PermissionResult> {
  const check: PermissionCheck = { call, context, rules: compileRules(rules) };
  const result = combine(await listParts(check));
  return denyQuestion(call.isEscalated ? escalate(result) : result, check);
}

async function listParts(check: PermissionCheck): Promise<readonly PermissionPart[]> {
  const { subjects, input } = check.call;
  const urls = listUrls(input).map((url) => ({ kind: 'url' as const, url }));
  const all = subjects.length > 0 ? subjects : urls;
  if (all.length === 0) return [checkTool(check)];
  const parts = await Promise.all(
    all.map(async (subject) => {
      if (subject.kind === 'path') return [await checkPath(check, subject.path)];
      if (subject.kind === 'url') return [checkUrl(check, subject.url)];
      return checkCommand(check, subject.command);
    }),
  );
  const runsMore = all.some(({ kind }) => kind === 'command') && check.call.toolName !== COMMAND_TOOL;
  return runsMore ? [checkTool(check), ...parts.flat()] : parts.flat();
}

/** A call that names nothing with which a pattern could be compared. */
function checkTool({ call, context, rules }: PermissionCheck): PermissionPart {
  const matches = rules.flatMap((found): RuleMatch[] => {
    if (!namesTool(found.rule, call.toolName)) return [];
    if (found.rule.pattern === undefined) return [{ found, match: 'yes' }];
    return isRestricting(found) ? [{ found, match: 'maybe' }] : [];
  });
  return decidePart(call.toolName, matches, decideByPolicy(context.policy, call.effect));
}

const STRICTEST_FIRST: readonly PermissionDecision[] = ['deny', 'ask', 'allow'];

function combine(parts: readonly PermissionPart[]): PermissionResult {
  const decision = STRICTEST_FIRST.find((one) => parts.some((part) => part.decision === one)) ?? 'ask';
  const deciding = parts.filter((part) => part.decision === decision);
  const first = deciding.find(({ rule }) => rule !== null) ?? deciding[0];
  if (!first) return { decision, rule: null, scope: null, reason: 'there is nothing to check', parts };
  const { rule, scope, reason } = first;
  return { decision, rule, scope, reason, parts };
}

/** A call outside the sandbox never runs without a question. */
function escalate(result: PermissionResult): PermissionResult {
  if (result.decision !== 'allow') return result;
  return { ...result, decision: 'ask', rule: null, scope: null, reason: 'the call would run outside the sandbox' };
}

/** `read-only` asks only about calls that read. */
function denyQuestion(result: PermissionResult, { call, context }: PermissionCheck): PermissionResult {
  const canAsk = context.policy !== 'read-only' || (call.effect === 'read' && !call.isEscalated);
  if (result.decision !== 'ask' || canAsk) return result;
  const reason = `${result.reason}, and the mode read-only denies what would need an answer`;
  return { ...result, decision: 'deny', reason };
}
