// The files that the words of a command may name. What the program does with them is not known.
import { join, posix } from 'node:path';
import { compileGlob } from '../support/glob.ts';
import type { RuleMatch } from './decide-part.ts';
import { matchPath } from './path-parts.ts';
import { type PathContext, resolvePathSubject } from './path-subject.ts';
import type { CompiledRule } from './permission-check.ts';
import { getPathPattern } from './rule.ts';
import type { ParsedCommand, ShellWord, SimpleCommand } from './shell/index.ts';

const MAX_NAMES = 1000;
const MAX_DIRECTORIES = 8;
/** Builtins that do not open the files that their words name. */
const PRINTERS: readonly string[] = [
  'echo',
  'printf',
  'test',
  '[',
  'export',
  'declare',
  'local',
  'set',
  'return',
  'exit',
];
const HOME_WORD = /^(?:~|\$HOME|\$\{HOME\})(\/[^$`*?[{\\"'~]*)?$/;
/** `git -C directory`, `env --chdir=directory`. */
const DIRECTORY_OPTION = /^(?:-C|--(?:directory|chdir|cwd|prefix)(?:=|$))(.*)$/s;

/** Directories that relative names can refer to. `undefined` when one of them is not known. */
export function listDirectories(
  { commands }: ParsedCommand,
  { cwd, home }: Pick<PathContext, 'cwd' | 'home'>,
): readonly string[] | undefined {
  const found = new Set([cwd]);
  for (const { words } of commands) {
    for (const target of listDirectoryWords(words)) {
      const value = expandWord(target, home);
      if (value === undefined || value === '-' || found.size > MAX_DIRECTORIES) return undefined;
      for (const base of [...found]) found.add(posix.resolve(base, value));
    }
  }
  return [...found];
}

function listDirectoryWords([program, ...args]: readonly ShellWord[]): readonly ShellWord[] {
  const isChange = ['cd', 'pushd', 'chdir'].includes(program?.value ?? '');
  const isOption = ({ value }: ShellWord) => /^-[a-zA-Z@]+$|^--$/.test(value ?? '');
  if (isChange) return args.filter((word) => !isOption(word)).slice(0, 1);
  return args.flatMap((word, index) => {
    const match = DIRECTORY_OPTION.exec(word.value ?? '');
    if (!match) return [];
    if (match[1]) return [{ value: match[1], source: match[1], canSplit: false }];
    return args[index + 1] ?? [];
  });
}

/** The value of a word, also when it begins with the home directory. */
function expandWord({ value, source }: ShellWord, home: string | undefined): string | undefined {
  if (value !== undefined) return value;
  const match = HOME_WORD.exec(source.replace(/^"(.*)"$/s, '$1'));
  return match && home !== undefined ? join(home, match[1] ?? '') : undefined;
}

/** The rules with a pattern that a word of the command may match. */
export async function matchWords(
  rules: readonly CompiledRule[],
  command: SimpleCommand,
  context: PathContext,
  directories: readonly string[] | undefined,
): Promise<readonly RuleMatch[]> {
  if (rules.length === 0) return [];
  const toDoubt = (found: CompiledRule): RuleMatch => ({ found, match: 'maybe' });
  const [program, ...words] = command.words;
  const values = words.map((word) => expandWord(word, context.home));
  const unknown = words.filter((_, index) => values[index] === undefined);
  const isPrinter = PRINTERS.includes(program?.value ?? '');
  const names = new Set([...values.flatMap((value = '') => listNames(value)), ...splitCode(command.code)]);
  names.delete('');
  const isLong = names.size * (directories?.length ?? 1) > MAX_NAMES;
  const hasRelative = [...names].some((name) => !/^[-/]/.test(name));
  const isUnknown = unknown.some((word) => !isGlob(word)) || (directories === undefined && hasRelative);
  if (isLong || (isUnknown && !isPrinter)) return rules.map(toDoubt);
  const found = await Promise.all(
    (directories ?? [context.cwd]).flatMap((directory) => [
      ...[...names].map((name) => matchName(rules, posix.resolve(directory, name), name, directory, context)),
      ...unknown.filter(isGlob).map(({ source }) => matchGlob(rules, source, directory, context)),
    ]),
  );
  return [...new Set(found.flat())].map(toDoubt);
}

/** The word, its parts between separators, and the value that is attached to an option: `-T.env`, `-sT.env`. */
function listNames(value: string): readonly string[] {
  const [letters = ''] = /^-[a-zA-Z0-9]{1,8}/.exec(value) ?? [];
  const attached = Array.from({ length: Math.max(letters.length - 1, 0) }, (_, index) => value.slice(index + 2));
  return [value, ...value.split(/[=:,@]/), ...attached];
}

/** What looks like a path in the program text of an interpreter or in the arguments of a program that is not known. */
function splitCode(code = ''): readonly string[] {
  return code.split(/[^\w./~+-]+/).filter((name) => /[./]/.test(name));
}

function isGlob({ source }: ShellWord): boolean {
  return !/[$`~{\\'"]/.test(source);
}

async function matchName(
  rules: readonly CompiledRule[],
  path: string,
  name: string,
  directory: string,
  context: PathContext,
): Promise<readonly CompiledRule[]> {
  const subject = await resolvePathSubject(directory === context.cwd ? name : path, context, true);
  return matchPath(rules, subject).flatMap(({ found, match }) => (match === 'yes' ? [found] : []));
}

/** A pattern such as `src/*.ts` can match every file below its directory whose name fits. */
async function matchGlob(
  rules: readonly CompiledRule[],
  source: string,
  directory: string,
  context: PathContext,
): Promise<readonly CompiledRule[]> {
  const names = source.split('/');
  const start = names
    .slice(
      0,
      names.findIndex((name) => /[*?[]/.test(name)),
    )
    .join('/');
  const base = source.startsWith('/') ? start || '/' : posix.resolve(directory, start);
  const subject = await resolvePathSubject(base, context, true);
  const last = names.at(-1) ?? '';
  const canMatchName = /^[\w.*?-]+$/.test(last) ? compileGlob(last.toLowerCase()) : () => true;
  return matchPath(rules, { ...subject, isDirectory: true }, { canReadBelow: true }).flatMap(({ found }) => {
    const { isName, isExact, prefix } = getPathPattern(found.rule);
    return isName && isExact && !canMatchName(prefix.toLowerCase()) ? [] : [found];
  });
}
