// What the parts of a permission check share: the call, the rules that may apply, and the result of each part.
import type { Files, PermissionDecision, PermissionSubject, Tool } from '../contracts/index.ts';
import type { ApprovalPolicy } from '../protocol/index.ts';
import { namesTool, parseRule, type Rule } from './rule.ts';

export type RuleScope = 'user' | 'project' | 'session' | 'built-in';

export interface ScopedRule {
  /** `TOOL` or `TOOL(PATTERN)`. */
  readonly text: string;
  readonly scope: RuleScope;
  /** The file of the rule, or `--set`. */
  readonly origin?: string;
}

export interface PermissionRules {
  readonly allow: readonly ScopedRule[];
  readonly ask: readonly ScopedRule[];
  readonly deny: readonly ScopedRule[];
}

export interface CallToCheck {
  readonly toolName: string;
  readonly effect: Tool['effect'];
  readonly input: Readonly<Record<string, unknown>>;
  readonly subjects: readonly PermissionSubject[];
  readonly cwd: string;
  /** The call would run outside the sandbox. */
  readonly isEscalated: boolean;
}

export interface PermissionContext {
  readonly policy: ApprovalPolicy;
  readonly home: string | undefined;
  /** The shell that runs commands. */
  readonly shell: string;
  /** The environment of commands. Programs are searched along its PATH. */
  readonly env: Readonly<Record<string, string>>;
  /** Directories that tools can write to, in addition to the working directory. */
  readonly writableRoots: readonly string[];
  readonly files: Pick<Files, 'realPath' | 'info'>;
}

/** One thing that a call would do: a simple command, a redirection, a file or a URL. */
export interface PermissionPart {
  readonly text: string;
  readonly decision: PermissionDecision;
  /** The rule that decides. `null`: none does. */
  readonly rule: string | null;
  readonly scope: RuleScope | null;
  readonly reason: string;
}

export interface PermissionResult {
  readonly decision: PermissionDecision;
  readonly rule: string | null;
  readonly scope: RuleScope | null;
  readonly reason: string;
  readonly parts: readonly PermissionPart[];
}

export interface CompiledRule {
  readonly rule: Rule;
  readonly decision: PermissionDecision;
  readonly scope: RuleScope;
}

export interface PermissionCheck {
  readonly call: CallToCheck;
  readonly context: PermissionContext;
  /** Sorted by scope. */
  readonly rules: readonly CompiledRule[];
}

const SCOPES: readonly RuleScope[] = ['user', 'project', 'session', 'built-in'];
const parsedRules = new WeakMap<ScopedRule, Rule>();

/** Throws a Fault when a rule is invalid. */
export function compileRules(rules: PermissionRules): readonly CompiledRule[] {
  const compile = (decision: PermissionDecision) =>
    rules[decision].map((scoped): CompiledRule => {
      const rule = parsedRules.get(scoped) ?? parseRule(scoped.text);
      parsedRules.set(scoped, rule);
      return { rule, decision, scope: scoped.scope };
    });
  const compiled = [...compile('deny'), ...compile('ask'), ...compile('allow')];
  return compiled.sort((one, other) => SCOPES.indexOf(one.scope) - SCOPES.indexOf(other.scope));
}

export function isRestricting({ decision }: CompiledRule): boolean {
  return decision !== 'allow';
}

/** Rules without a pattern for the tool of the call. */
export function listWholeToolRules({ call, rules }: PermissionCheck): readonly CompiledRule[] {
  return rules.filter(({ rule }) => rule.pattern === undefined && namesTool(rule, call.toolName));
}
