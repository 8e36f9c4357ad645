// Parses argv into typed options. Pure: prints nothing, reads no file, never exits.

import type { UnknownFlags } from '../app/modes/unknown-flags.ts';
import { Fault, findClosestMatch } from '../base/index.ts';
import { FLAGS, type Flag, type FlagValues, getFieldName } from '../settings/index.ts';
import { type ArgumentToken, type FlagSyntax, type FlagToken, tokenizeArguments } from './tokenize-arguments.ts';

/** The flags and the positional arguments. */
export interface CliOptions extends FlagValues {
  readonly mode: NonNullable<FlagValues['mode']>;
  /** Positional arguments. Always empty in RPC mode, where messages come over the protocol. */
  readonly messages: readonly string[];
  /** Arguments that begin with `@`, without it: a path, which text may follow after a space. */
  readonly files: readonly string[];
  /** The first positional if it is one lower-case word, as commands are. Never a literal after `--`. */
  readonly firstWord?: string | undefined;
  readonly unknown: UnknownFlags;
  /** One line each, for stderr. */
  readonly warnings: readonly string[];
}

/** argv by kind. A positional after `--` is literal: `@path` is then not a file. */
interface ClassifiedArguments {
  readonly flagValues: Map<Flag, string[]>;
  readonly unknown: { raw: string; name: string; value: string | true }[];
  readonly positionals: { text: string; literal: boolean }[];
}

const FLAGS_BY_NAME: ReadonlyMap<string, Flag> = new Map(FLAGS.map((flag) => [flag.name, flag]));
const FLAG_SYNTAX: Readonly<Record<string, FlagSyntax>> = Object.fromEntries(
  FLAGS.map(({ name, kind, short }) => [name, { takesValue: kind !== 'switch' && kind !== 'search', short }]),
);
const LOOKS_LIKE_COMMAND = /^[a-z][a-z-]*$/;
const LOOKS_LIKE_FLAG = /^--?[a-z][\w-]*(=.*)?$/is;

/** Throws a Fault that names the flag and how to fix it. */
export function parseArguments(argv: readonly string[]): CliOptions {
  const { flagValues, unknown, positionals } = classifyArguments(expandAliases(argv));
  const flags = resolveMode(toFlagValues(flagValues));
  const mode = flags.mode ?? 'text';
  const { files, messages } = splitPositionals(positionals);
  const unknownFlags = unknown.map(({ name, value, raw }) => [name, { value, errorMessage: describeUnknownFlag(raw) }]);
  const common = { ...flags, mode, files, unknown: Object.fromEntries(unknownFlags) };
  const [first] = positionals;
  const firstWord = first && !first.literal && LOOKS_LIKE_COMMAND.test(first.text) ? { firstWord: first.text } : {};
  if (mode !== 'rpc') return { ...common, ...firstWord, messages, warnings: [] };
  if (files.length > 0) throw new Fault('refused', '@file arguments are not supported in RPC mode');
  const warnings = messages.map((text) => `Message arguments are ignored in RPC mode: ${text}`);
  return { ...common, messages: [], warnings: [...new Set(warnings)] };
}

/**
 * `rpc-ui` is RPC mode with a host that answers questions of the model; `--set` can still change the setting. `acp` is RPC mode with
 * the dialect of the same name.
 */
function resolveMode(flags: FlagValues): FlagValues {
  const { mode, dialect = 'acp' } = flags;
  if (mode === 'acp' && dialect !== 'acp')
    throw new Fault('config', `--mode acp and --dialect ${dialect} exclude each other.`);
  if (mode === 'acp') return { ...flags, mode: 'rpc', dialect };
  if (mode !== 'rpc-ui') return flags;
  if (flags.noUi) throw new Fault('config', '--mode rpc-ui and --no-ui exclude each other.');
  return { ...flags, mode: 'rpc', set: ['ask.enabled=true', ...(flags.set ?? [])] };
}

/** Parses the positionals again, when the extension flags without a value are known. */
export function parsePositionals(
  argv: readonly string[],
  switches: ReadonlySet<string>,
): Pick<CliOptions, 'messages' | 'files'> {
  return splitPositionals(classifyArguments(expandAliases(argv), switches).positionals);
}

function splitPositionals(positionals: ClassifiedArguments['positionals']): Pick<CliOptions, 'messages' | 'files'> {
  return {
    files: positionals.filter((positional) => isFileArgument(positional)).map(({ text }) => text.slice(1)),
    messages: positionals.filter((positional) => !isFileArgument(positional)).map(({ text }) => text),
  };
}

function isFileArgument({ text, literal }: ClassifiedArguments['positionals'][number]): boolean {
  return !literal && text.length > 1 && text.startsWith('@');
}

function describeUnknownFlag(raw: string): string {
  const flag = raw.replace(/=.*$/s, '');
  const names = FLAGS.map(({ name }) => name);
  const suggestion = flag.startsWith('--') ? findClosestMatch(flag.slice(2), names) : undefined;
  return `Unknown flag: ${flag}${suggestion ? ` (did you mean --${suggestion}?)` : ''}`;
}

/** Expands aliases of several letters, because the tokenizer knows only one-letter short flags. */
function expandAliases(argv: readonly string[]): string[] {
  const end = argv.indexOf('--');
  return argv.map((argument, at) => {
    const flag = FLAGS.find(({ alias }) => alias && `-${alias}` === argument);
    return flag && (end < 0 || at < end) ? `--${flag.name}` : argument;
  });
}

function classifyArguments(argv: string[], switches: ReadonlySet<string> = new Set()): ClassifiedArguments {
  const tokens = tokenizeArguments(argv, FLAG_SYNTAX);
  const classified: ClassifiedArguments = { flagValues: new Map(), unknown: [], positionals: [] };
  let literal = false;
  let consumedIndex = -1;
  for (const [at, token] of tokens.entries()) {
    if (token.index === consumedIndex) continue;
    if (token.kind === 'option-terminator') literal = true;
    else if (token.kind === 'positional') classified.positionals.push({ text: token.value, literal });
    else {
      const flag = FLAGS_BY_NAME.get(token.name);
      // Only `search` flags and unknown flags have an optional value, so the tokenizer left the next argument separate.
      const mayTakeValue = flag ? flag.kind === 'search' : !switches.has(token.name);
      const next = mayTakeValue ? getFollowingValue(token, tokens[at + 1]) : undefined;
      if (next !== undefined) consumedIndex = token.index + 1;
      if (flag) {
        const value = readFlagValue(flag, token, next);
        const canonicalFlag = (flag.aliasOf && FLAGS_BY_NAME.get(flag.aliasOf)) || flag;
        classified.flagValues.set(canonicalFlag, [...(classified.flagValues.get(canonicalFlag) ?? []), value]);
      } else
        classified.unknown.push({ raw: argv[token.index] ?? '', name: token.name, value: token.value ?? next ?? true });
    }
  }
  return classified;
}

function getFollowingValue(token: FlagToken, next: ArgumentToken | undefined): string | undefined {
  const follows = token.value === undefined && next?.kind === 'positional' && next.index === token.index + 1;
  return follows ? next.value : undefined;
}

function readFlagValue(flag: Flag, { value, inlineValue }: FlagToken, next: string | undefined): string {
  if (flag.kind === 'search') return value ?? next ?? '';
  if (flag.kind === 'switch') {
    if (value === undefined) return '';
    throw new Fault('config', `Flag --${flag.name} takes no value (got "${value}")`);
  }
  if (value === undefined) throw new Fault('config', `Flag --${flag.name} needs a value`);
  if (!inlineValue && LOOKS_LIKE_FLAG.test(value)) {
    const hint = `use --${flag.name}=${value} to pass it as the value`;
    throw new Fault('config', `Flag --${flag.name} needs a value, but ${value} follows; ${hint}`);
  }
  if (flag.rejectsEmpty && value === '') throw new Fault('config', `Flag --${flag.name} needs a value (got "")`);
  if (flag.choices && !flag.choices.includes(value)) {
    throw new Fault('config', `Flag --${flag.name} takes ${flag.choices.join(', ')} (got "${value}")`);
  }
  if (flag.kind === 'number' || flag.kind === 'count') checkNumber(flag, value);
  // An empty shell variable must not disable the restriction.
  if (flag.kind === 'lists' && splitList(value).length === 0) {
    throw new Fault('config', `Flag --${flag.name} needs at least one name (got "${value}")`);
  }
  return value;
}

function checkNumber(flag: Flag, value: string): void {
  const number = value.trim() === '' ? Number.NaN : Number(value);
  const isInRange = flag.kind === 'count' ? Number.isSafeInteger(number) : Number.isFinite(number);
  if (isInRange && number > 0) return;
  const expected = flag.kind === 'count' ? 'a whole number above 0' : 'a number above 0';
  throw new Fault('config', `Flag --${flag.name} takes ${expected} (got "${value}")`);
}

function toFlagValues(flagValues: ReadonlyMap<Flag, string[]>): FlagValues {
  const canonicalFlags = FLAGS.filter((flag) => flag.aliasOf === undefined);
  const entries = canonicalFlags.map((flag) => [getFieldName(flag), toFieldValue(flag, flagValues.get(flag))]);
  // Names and types both follow from the table, which the compiler cannot verify here.
  return Object.fromEntries(entries) as FlagValues;
}

function toFieldValue(flag: Flag, values: string[] | undefined): boolean | string | number | string[] | undefined {
  if (flag.kind === 'switch') return values !== undefined;
  if (flag.kind === 'repeat') return values ?? [];
  if (flag.kind === 'lists') return [...new Set(values?.flatMap(splitList))];
  const last = values?.at(-1);
  if (flag.kind === 'number' || flag.kind === 'count') return last === undefined ? undefined : Number(last);
  return flag.kind === 'list' && last !== undefined ? splitList(last) : last;
}

function splitList(list: string): string[] {
  return list
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}
