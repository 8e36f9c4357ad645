// Decides about a command line: each call of a program in it and each file that the shell opens is a part.
import { isAbsolute, posix } from 'node:path';
import { allowsArguments, allowsAssignments, allowsText, restrictsCommand } from './command-match.ts';
import type { CommandPattern } from './command-pattern.ts';
import { type DefaultDecision, decideByPolicy, decidePart, type RuleMatch } from './decide-part.ts';
import { createExecutables, type Executables } from './executables.ts';
import { listPathRules, matchPath } from './path-parts.ts';
import { resolvePathSubject } from './path-subject.ts';
import { type CompiledRule, isRestricting, type PermissionCheck, type PermissionPart } from './permission-check.ts';
import { getCommandPatterns, namesTool } from './rule.ts';
import { isSafeCommand } from './safe-commands.ts';
import { type ParsedCommand, parseShellCommand, type ShellRedirection, type SimpleCommand } from './shell/index.ts';
import { isAnyText, matchesText, type TextPattern } from './text-pattern.ts';
import { listDirectories, matchWords } from './word-files.ts';

/** The tool that only runs its command. Other tools with commands do more. */
export const COMMAND_TOOL = 'bash';

interface CommandCheck extends PermissionCheck {
  /** Rules with a pattern of commands. */
  readonly commandRules: readonly CompiledRule[];
  /** Rules for the whole tool. */
  readonly wholeMatches: readonly RuleMatch[];
  /** Rules about files that restrict. */
  readonly fileRules: readonly CompiledRule[];
  readonly executables: Executables;
  /** Directories that relative names can refer to. */
  readonly directories: readonly string[] | undefined;
  /** The command line stays in the working directory of the call. */
  readonly isDirectoryKnown: boolean;
}

export async function checkCommand(check: PermissionCheck, text: string): Promise<readonly PermissionPart[]> {
  const { call, context, rules } = check;
  const wholeRules = rules.filter((found) => isWholeRule(found, call.toolName));
  const wholeMatches = wholeRules.map((found): RuleMatch => ({ found, match: 'yes' }));
  const commandRules = rules.filter((found) => isCommandRule(found, call.toolName) && !wholeRules.includes(found));
  const fileRules = listPathRules(check, 'write').filter(isRestricting);
  const byPolicy = decideByPolicy(context.policy, call.effect);
  if (commandRules.length + fileRules.length === 0 && context.policy !== 'read-only') {
    return [decidePart(text, wholeMatches, byPolicy)];
  }
  const parsed = parseShellCommand(text, context.shell);
  const executables = createExecutables({ ...context, cwd: call.cwd });
  const isDirectoryKnown = staysInDirectory(parsed, call.cwd);
  const directories = listDirectories(parsed, { ...context, cwd: call.cwd });
  const facts = { fileRules, executables, directories, isDirectoryKnown };
  const scope: CommandCheck = { ...check, commandRules, wholeMatches, ...facts };
  const parts = [
    ...checkProblems(scope, text, parsed),
    ...(await Promise.all(parsed.commands.map((command) => checkSimpleCommand(scope, command)))),
    ...(await Promise.all(parsed.redirections.map((redirection) => checkRedirection(scope, redirection)))),
  ];
  return parts.length > 0 ? parts : [decidePart(text, wholeMatches, byPolicy)];
}

/** Without a pattern, or with one that every command matches. */
function isWholeRule({ rule }: CompiledRule, toolName: string): boolean {
  if (!namesTool(rule, toolName)) return false;
  if (rule.pattern === undefined) return true;
  return getCommandPatterns(rule).some(({ words }) => words.length === 1 && isAnyText(words[0] as TextPattern));
}

/** Rules of `bash` that restrict are for all tools that run commands. */
function isCommandRule(found: CompiledRule, toolName: string): boolean {
  const { rule } = found;
  return namesTool(rule, toolName) || (isRestricting(found) && namesTool(rule, COMMAND_TOOL));
}

/** What is not understood could be everything that a rule restricts. */
function checkProblems(scope: CommandCheck, text: string, { problems }: ParsedCommand): readonly PermissionPart[] {
  const [problem] = problems;
  if (problem === undefined) return [];
  const { call, context, commandRules, fileRules, wholeMatches } = scope;
  const restricting = [...commandRules.filter(isRestricting), ...fileRules];
  const doubts = restricting.map((found): RuleMatch => ({ found, match: 'maybe' }));
  const part = decidePart(text, [...wholeMatches, ...doubts], decideByPolicy(context.policy, call.effect));
  return [part.decision === 'allow' ? part : { ...part, reason: `not fully understood: ${problem}` }];
}

async function checkSimpleCommand(scope: CommandCheck, command: SimpleCommand): Promise<PermissionPart> {
  const { context, call, commandRules, wholeMatches } = scope;
  const program = command.words[0]?.value;
  const isRestricted = commandRules.some(isRestricting);
  const names = isRestricted && program !== undefined ? await scope.executables.listFileNames(program) : [];
  const matches = await Promise.all(
    commandRules.map(async (found): Promise<RuleMatch[]> => {
      const patterns = getCommandPatterns(found.rule);
      if (isRestricting(found)) {
        const results = patterns.map((pattern) => restrictsCommand(pattern, command, names, call.cwd));
        if (results.includes('yes')) return [{ found, match: 'yes' }];
        const isPossible = results.includes('maybe') || containsProgram(command, patterns);
        return isPossible ? [{ found, match: 'maybe' }] : [];
      }
      const results = await Promise.all(patterns.map((pattern) => allowsCommand(scope, pattern, command)));
      return results.includes(true) ? [{ found, match: 'yes' }] : [];
    }),
  );
  const patternRules = scope.fileRules.filter(({ rule }) => rule.pattern !== undefined);
  const fileMatches = await matchWords(patternRules, command, { ...context, cwd: call.cwd }, scope.directories);
  const fallback = context.policy === 'read-only' ? await decideSafety(scope, command) : getPolicy(scope);
  return decidePart(command.source.trim(), [...wholeMatches, ...matches.flat(), ...fileMatches], fallback);
}

function getPolicy({ context, call }: PermissionCheck): DefaultDecision {
  return decideByPolicy(context.policy, call.effect);
}

async function decideSafety({ executables, call }: CommandCheck, command: SimpleCommand): Promise<DefaultDecision> {
  if (call.toolName === COMMAND_TOOL && (await isSafeCommand(command, executables)))
    return { decision: 'allow', scope: 'built-in', reason: 'it only reads' };
  return {
    decision: 'deny',
    scope: null,
    reason: 'the mode read-only denies commands that are not known to only read',
  };
}

async function allowsCommand(scope: CommandCheck, pattern: CommandPattern, command: SimpleCommand): Promise<boolean> {
  if (!allowsArguments(pattern, command, scope.isDirectoryKnown) || !allowsAssignments(pattern, command)) return false;
  return allowsProgram(scope, pattern.words[0] as TextPattern, command);
}

const DIRECTORY_CALLERS = ['find', 'gfind', 'env', 'sudo', 'doas', 'su', 'chroot', 'unshare', 'nsenter'];

async function allowsProgram(scope: CommandCheck, pattern: TextPattern, command: SimpleCommand): Promise<boolean> {
  const program = command.words[0]?.value;
  if (program === undefined) return false;
  const { executables, call } = scope;
  if (pattern.join('').includes('/')) {
    // These can start a relative path in another directory: `find -execdir`, `env -C`.
    if (!isAbsolute(program) && DIRECTORY_CALLERS.includes(command.caller ?? '')) return false;
    return allowsProgramPath(scope, pattern, program);
  }
  if (!matchesText(pattern, posix.basename(program))) return false;
  if (program.includes('/')) return executables.isTrustedPath(posix.resolve(call.cwd, program));
  const isBuiltin = command.caller === undefined && executables.isBuiltin(program);
  return isBuiltin || executables.isTrustedName(program);
}

/** The pattern names the file, so it may be one that tools can write to. */
function allowsProgramPath(scope: CommandCheck, pattern: TextPattern, program: string): boolean {
  if (!program.includes('/') || !(isAbsolute(program) || scope.isDirectoryKnown)) return false;
  if (program.split('/').includes('..')) return pattern.length === 1 && pattern[0] === program;
  const { cwd } = scope.call;
  const [start = '', ...rest] = pattern;
  const isAnchored = isAbsolute(start) || !start.includes('/') ? start : posix.join(cwd, start);
  return allowsText([isAnchored, ...rest], posix.resolve(cwd, program));
}

/** Whether the program text of an interpreter contains the name of a program that a pattern begins with. */
function containsProgram(command: SimpleCommand, patterns: readonly CommandPattern[]): boolean {
  if (command.code === undefined) return false;
  const names = listNames(command, command.code);
  return patterns.some(({ words: [program = []] }) => {
    const name = posix.basename(program.join('*')).toLowerCase();
    return name.includes('*') ? [...names].some((one) => matchesText(name.split('*'), one)) : names.has(name);
  });
}

const knownNames = new WeakMap<SimpleCommand, ReadonlySet<string>>();

/** All words of the text, with and without quotes: a shell that gets the text reads `r''m` as `rm`. */
function listNames(command: SimpleCommand, code: string): ReadonlySet<string> {
  const known = knownNames.get(command);
  if (known) return known;
  const text = code.toLowerCase();
  const names = new Set(`${text}\n${text.replaceAll(/["'\\]/g, '')}`.split(/[^a-z0-9_+.-]+/));
  knownNames.set(command, names);
  return names;
}

async function checkRedirection(scope: CommandCheck, { access, target }: ShellRedirection): Promise<PermissionPart> {
  const { wholeMatches, call, context } = scope;
  const text = `${access}(${target.value ?? target.source})`;
  const rules = listPathRules(scope, access);
  const fallback = decideRedirection(scope, { access, target });
  if (target.value === undefined) {
    const restricting = rules.filter(isRestricting);
    const matches = restricting.map((found): RuleMatch => ({ found, match: 'maybe' }));
    return decidePart(text, [...wholeMatches, ...matches], fallback);
  }
  const subject = await resolvePathSubject(target.value, { ...context, cwd: call.cwd }, true);
  const isUncertain = !scope.isDirectoryKnown && !isAbsolute(target.value);
  return decidePart(text, [...wholeMatches, ...matchPath(rules, subject, { isUncertain })], fallback);
}

/** Bash opens network connections for these names. */
const NETWORK_FILE = /^\/dev\/(?:tcp|udp)\//;

/** A redirection writes with the rights of the shell, so it is decided like a command; one that reads is decided like a tool that reads. */
function decideRedirection(scope: CommandCheck, { access, target }: ShellRedirection): DefaultDecision {
  const isPlainRead =
    access === 'read' && target.value !== undefined && !NETWORK_FILE.test(posix.normalize(target.value));
  return isPlainRead ? decideByPolicy(scope.context.policy, 'read') : getPolicy(scope);
}

/** False when a command changes the directory, so that relative paths mean other files. `cd` to the same directory does not. */
function staysInDirectory({ commands }: ParsedCommand, cwd: string): boolean {
  return commands.every(({ words: [program, target, ...rest] }) => {
    if (program?.value === undefined) return false;
    if (!['cd', 'pushd', 'popd', 'chdir'].includes(posix.basename(program.value))) return true;
    return (
      program.value === 'cd' &&
      rest.length === 0 &&
      target?.value !== undefined &&
      posix.resolve(cwd, target.value) === cwd
    );
  });
}
