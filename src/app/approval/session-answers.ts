// What the user has allowed and denied for the rest of a session.
import { toJson } from '../../base/index.ts';
import type { CallToCheck, PermissionResult, ScopedRule } from '../../permissions/index.ts';
import type { Refusal } from './ask-host.ts';

type Denial = Extract<Refusal, { kind: 'deny_session' }>;

/** What the answer `allow_session` covers: rules, all calls of a tool, or only calls with the same arguments. */
export interface SessionScope {
  /** For the user. */
  readonly label: string;
  readonly covers: { readonly rules: readonly string[] } | 'tool' | 'call';
}

export class SessionAnswers {
  /** By the tool that the answer was about. They do not apply to other tools, even if a rule could. */
  readonly #rules = new Map<string, Map<string, ScopedRule>>();
  readonly #allowed = new Set<string>();
  readonly #denials = new Map<string, Denial>();

  /** Rules that allow calls of the tool. */
  listRules(toolName: string): readonly ScopedRule[] {
    return [...(this.#rules.get(toolName)?.values() ?? [])];
  }

  addRules(toolName: string, texts: readonly string[]): void {
    const rules = this.#rules.get(toolName) ?? new Map<string, ScopedRule>();
    for (const text of texts) rules.set(text, { text, scope: 'session' });
    this.#rules.set(toolName, rules);
  }

  allow(call: CallToCheck, scope: SessionScope | undefined): void {
    if (!scope) return;
    const { covers } = scope;
    if (typeof covers === 'object') this.addRules(call.toolName, covers.rules);
    else this.#allowed.add(covers === 'tool' ? toToolKey(call) : toCallKey(call));
  }

  /** A rule that asks wins, and a call outside the sandbox is always asked about. */
  allows(call: CallToCheck, { rule }: PermissionResult): boolean {
    if (rule !== null || call.isEscalated) return false;
    return this.#allowed.has(toToolKey(call)) || this.#allowed.has(toCallKey(call));
  }

  deny(toolName: string, denial: Denial): void {
    this.#denials.set(toolName, denial);
  }

  findDenial(toolName: string): Denial | undefined {
    return this.#denials.get(toolName);
  }
}

function toToolKey({ toolName }: CallToCheck): string {
  return toJson([toolName]);
}

function toCallKey({ toolName, cwd, input }: CallToCheck): string {
  return toJson([toolName, cwd, input]);
}
