// Compares a call of a program with the patterns of commands.
import { posix } from 'node:path';
import type { CommandPattern } from './command-pattern.ts';
import type { ShellWord, SimpleCommand } from './shell/index.ts';
import { foldSpelling, isAnyText, matchesText, type TextPattern } from './text-pattern.ts';

/** `maybe`: the command could be one that the rule means, in another spelling or with words that are not known. */
export type Match = 'yes' | 'maybe' | 'no';

const HARMLESS_VARIABLE =
  /^(?:LANG|LANGUAGE|LC_[A-Z]+|TZ|TERM|NO_COLOR|FORCE_COLOR|CLICOLOR|CLICOLOR_FORCE|CI|NODE_ENV|COLUMNS|LINES|DEBIAN_FRONTEND)$/;
/** A path with a `..` leaves the directory that a pattern such as `src/*` names. */
const PARENT_STEP = /(?:^|[/=:,])\.\.(?:\/|$)/;

/** A pattern of files in a directory, relative to the working directory. */
const RELATIVE_FILES = /^[^/].*\//s;

/** Whether every word is matched. The program is compared elsewhere. `isDirectoryKnown`: relative paths are in the working directory. */
export function allowsArguments(
  { words, hasRest }: CommandPattern,
  command: SimpleCommand,
  isDirectoryKnown: boolean,
): boolean {
  const isShorter = command.words.length < words.length;
  if (isShorter || (!hasRest && command.words.length > words.length)) return false;
  return words.slice(1).every((pattern, index) => {
    const word = command.words[index + 1] as ShellWord;
    if (!isDirectoryKnown && pattern.length > 1 && RELATIVE_FILES.test(pattern.join('*'))) return false;
    return allowsWord(pattern, word);
  });
}

function allowsWord(pattern: TextPattern, { value, canSplit }: ShellWord): boolean {
  if (isAnyText(pattern)) return !canSplit;
  return value !== undefined && allowsText(pattern, value);
}

export function allowsText(pattern: TextPattern, text: string): boolean {
  if (!matchesText(pattern, text)) return false;
  return pattern.length === 1 || !PARENT_STEP.test(text) || PARENT_STEP.test(pattern.join('*'));
}

/** Every variable must be harmless or part of the pattern. The values of variables are not known: only `NAME=*` matches. */
export function allowsAssignments({ assignments }: CommandPattern, command: SimpleCommand): boolean {
  const named = new Set(assignments.flatMap(([start = '', end]) => (end === '' ? [toVariableName(start)] : [])));
  const isComplete =
    assignments.length === named.size && [...named].every((name) => command.assignments.includes(name));
  return isComplete && areHarmless(command.assignments.filter((name) => !named.has(name)));
}

function toVariableName(text: string): string {
  return text.replace(/\+?=.*$/s, '');
}

export function areHarmless(variables: readonly string[]): boolean {
  return variables.every((name) => HARMLESS_VARIABLE.test(name));
}

/** `programNames`: the names of the program, as it is called and as its file is named. */
export function restrictsCommand(
  pattern: CommandPattern,
  command: SimpleCommand,
  programNames: readonly string[],
  cwd: string,
): Match {
  const program = matchProgram(pattern.words[0] as TextPattern, command.words[0]?.value, programNames, cwd);
  if (program === 'no') return 'no';
  const [operands, options] = splitOptions(pattern.words.slice(1));
  const words = command.words.slice(1);
  if (!pattern.assignments.every(([start = '']) => command.assignments.includes(toVariableName(start)))) return 'no';
  if (beginsWith(pattern.words.slice(1), words)) return program;
  const hasOptions = options.length === 0 || words.some(isOptionOrUnknown);
  return hasOptions && mayContain(operands, words) ? 'maybe' : 'no';
}

function matchProgram(
  pattern: TextPattern,
  program: string | undefined,
  programNames: readonly string[],
  cwd: string,
): Match {
  if (isAnyText(pattern)) return 'yes';
  if (program === undefined) return 'maybe';
  const folded = pattern.map(foldSpelling);
  const [name = '', ...otherNames] = programNames.map(foldSpelling);
  if (!pattern.join('').includes('/')) {
    if (matchesText(folded, name)) return 'yes';
    return otherNames.some((other) => matchesText(folded, other)) ? 'maybe' : 'no';
  }
  const [start = '', ...rest] = folded;
  const resolved = [start.startsWith('/') ? start : foldSpelling(posix.join(cwd, start)), ...rest];
  if (matchesText(resolved, foldSpelling(posix.resolve(cwd, program)))) return 'yes';
  const lastName = folded.join('*').split('/').at(-1) ?? '';
  return [name, ...otherNames].some((other) => matchesText(lastName.split('*'), other)) ? 'maybe' : 'no';
}

function beginsWith(patterns: readonly TextPattern[], words: readonly ShellWord[]): boolean {
  return patterns.every((pattern, index) => {
    const word = words[index];
    if (word === undefined || words.slice(0, index).some(({ canSplit }) => canSplit)) return false;
    return isAnyText(pattern) ? !word.canSplit : word.value !== undefined && restrictsText(pattern, word.value);
  });
}

function restrictsText(pattern: TextPattern, text: string): boolean {
  return matchesText(pattern, text) || (text.includes('/') && matchesText(pattern, posix.normalize(text)));
}

/**
 * Whether the words occur in this order. Other words may be in between after an option, which may have a value: `git -C directory push`.
 * A word that is not known could be each of them.
 */
function mayContain(patterns: readonly TextPattern[], words: readonly ShellWord[]): boolean {
  let next = 0;
  let canSkip = false;
  for (const word of words) {
    const pattern = patterns[next];
    if (pattern === undefined || word.value === undefined) return true;
    if (restrictsText(pattern, word.value)) next += 1;
    else if (isOptionOrUnknown(word)) canSkip = true;
    else if (!canSkip) return false;
  }
  return next === patterns.length;
}

function isOptionOrUnknown({ value }: ShellWord): boolean {
  return value === undefined || value.startsWith('-');
}

function splitOptions(patterns: readonly TextPattern[]): [operands: TextPattern[], options: TextPattern[]] {
  const isOption = ([start = '']: TextPattern) => start.startsWith('-');
  return [patterns.filter((pattern) => !isOption(pattern)), patterns.filter(isOption)];
}
