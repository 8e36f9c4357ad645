// Permission rules as users write them: `TOOL` or `TOOL(PATTERN)`.
import { Fault } from '../base/index.ts';
import { type CommandPattern, parseCommandPatterns } from './command-pattern.ts';
import { compileHostPattern, type HostPattern } from './host-pattern.ts';
import { compilePathPattern, type PathPattern } from './path-pattern.ts';
import { matchesText, parseTextPattern, type TextPattern } from './text-pattern.ts';

const MAX_RULE_LENGTH = 2000;

/** Names of other programs for tools that have another name here. */
const TOOL_ALIASES: Readonly<Record<string, string>> = { multiedit: 'edit', notebookedit: 'edit', glob: 'find' };

export interface Rule {
  /** As the user wrote it. */
  readonly text: string;
  /** In lower case. */
  readonly tool: TextPattern;
  /** `undefined` when the rule applies to every call of the tool. */
  readonly pattern: string | undefined;
}

/** Throws a Fault that names the rule and what is wrong. */
export function parseRule(text: string): Rule {
  const trimmed = text.trim();
  const open = trimmed.indexOf('(');
  const name = open === -1 ? trimmed : trimmed.slice(0, open);
  if (trimmed.length > MAX_RULE_LENGTH) throw createRuleFault(trimmed.slice(0, 40), 'is too long');
  if (!/^[^\s()]+$/.test(name))
    throw createRuleFault(text, 'must begin with the name of a tool, such as `edit(src/**)`');
  if (open !== -1 && !trimmed.endsWith(')')) throw createRuleFault(text, 'must end with `)`');
  const pattern = open === -1 ? undefined : trimmed.slice(open + 1, -1).trim();
  if (pattern === '') throw createRuleFault(text, `has no pattern; write \`${name}\` for all calls of the tool`);
  const lowerCase = name.toLowerCase();
  const rule = { text: trimmed, tool: parseTextPattern(TOOL_ALIASES[lowerCase] ?? lowerCase), pattern };
  checkPattern(rule);
  return rule;
}

function checkPattern(rule: Rule): void {
  if (rule.pattern === undefined) return;
  try {
    if (namesTool(rule, 'bash')) getCommandPatterns(rule);
    else getPathPattern(rule);
  } catch (thrown) {
    if (thrown instanceof Fault) throw createRuleFault(rule.text, `is invalid: ${thrown.message}`);
    throw thrown;
  }
}

function createRuleFault(text: string, problem: string): Fault {
  return new Fault('config', `The permission rule ${JSON.stringify(text)} ${problem}`);
}

export function namesTool({ tool }: Rule, name: string): boolean {
  return matchesText(tool, name.toLowerCase());
}

const commandPatterns = new WeakMap<Rule, readonly CommandPattern[]>();
const pathPatterns = new WeakMap<Rule, PathPattern>();
const hostPatterns = new WeakMap<Rule, HostPattern>();

export function getCommandPatterns(rule: Rule): readonly CommandPattern[] {
  return remember(commandPatterns, rule, parseCommandPatterns);
}

export function getPathPattern(rule: Rule): PathPattern {
  return remember(pathPatterns, rule, compilePathPattern);
}

export function getHostPattern(rule: Rule): HostPattern {
  return remember(hostPatterns, rule, compileHostPattern);
}

/** A rule does not say of which kind its pattern is. It is compiled when it is first compared with something of that kind. */
function remember<T>(known: WeakMap<Rule, T>, rule: Rule, compile: (pattern: string) => T): T {
  const found = known.get(rule);
  if (found !== undefined) return found;
  const compiled = compile(rule.pattern ?? '*');
  known.set(rule, compiled);
  return compiled;
}
