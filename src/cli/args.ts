// The hall: argv in, typed options out. Pure: prints nothing, reads no file, never exits.
import { Fault, nearest } from '../base/index.ts';
import { FLAGS, type Flag } from './flags.ts';
import { cutWords, type FlagWord, type Spelling, type Word } from './words.ts';

type Camel<S extends string> = S extends `${infer Head}-${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : S;
type ValueOf<F extends Flag> = F extends { kind: 'switch' }
  ? boolean
  : F extends { kind: 'repeat' | 'lists' }
    ? readonly string[]
    : F extends { kind: 'list' }
      ? readonly string[] | undefined
      : F extends { kind: 'number' | 'count' }
        ? number | undefined
        : F extends { choices: readonly (infer Choice)[] }
          ? Choice | undefined
          : string | undefined;

type FlagValues = {
  readonly [F in (typeof FLAGS)[number] as F extends { as: string } ? never : Camel<F['name']>]: ValueOf<F>;
};

export type Mode = NonNullable<FlagValues['mode']>;

/** One field per flag, spelled in camel case, and what stood between the flags. */
export interface CliOptions extends Omit<FlagValues, 'mode'> {
  readonly mode: Mode;
  /** Words that are no flags. Always empty in RPC mode, where messages come over the wire. */
  readonly messages: readonly string[];
  /** Paths given as `@path`. */
  readonly files: readonly string[];
  /** Flags that nobody here knows. Whether an extension does is known when it is loaded. */
  readonly unknown: Readonly<Record<string, UnknownFlag>>;
  /** One line each, for stderr. */
  readonly warnings: readonly string[];
}

export interface UnknownFlag {
  /** The word behind it, unless that is a flag too. */
  readonly value: string | true;
  /** What to say when it stays unknown. */
  readonly complaint: string;
}

/** argv, sorted. A word is literal behind `--`. */
interface Sorted {
  readonly given: Map<Flag, string[]>;
  readonly unknown: { raw: string; name: string; value: string | true }[];
  readonly words: { text: string; literal: boolean }[];
}

const BY_NAME: ReadonlyMap<string, Flag> = new Map(FLAGS.map((flag) => [flag.name, flag]));
const SPELLINGS: Readonly<Record<string, Spelling>> = Object.fromEntries(
  FLAGS.map(({ name, kind, short }: Flag) => [name, { takesValue: kind !== 'switch' && kind !== 'search', short }]),
);
const LOOKS_LIKE_FLAG = /^--?[a-z][\w-]*(=.*)?$/is;

/** Throws a Fault that names the flag and the way out. */
export function parseArguments(argv: readonly string[]): CliOptions {
  const { given, unknown, words } = sort(withoutAliases(argv));
  const flags = fields(given);
  const mode = flags.mode ?? 'text';
  const { files, messages } = spoken(words);
  const strangers = unknown.map(({ name, value, raw }) => [name, { value, complaint: unknownFlag(raw) }]);
  const common = { ...flags, mode, files, unknown: Object.fromEntries(strangers) };
  if (mode !== 'rpc') return { ...common, messages, warnings: [] };
  if (files.length > 0) throw new Fault('refused', '@file arguments are not supported in RPC mode');
  const warnings = messages.map((text) => `Messages come over the wire in RPC mode; ignored: ${text}`);
  return { ...common, messages: [], warnings: [...new Set(warnings)] };
}

/** What was said between the flags, now that it is known which of the extensions' flags take no value. */
export function wordsBeside(
  argv: readonly string[],
  switches: ReadonlySet<string>,
): Pick<CliOptions, 'messages' | 'files'> {
  return spoken(sort(withoutAliases(argv), switches).words);
}

function spoken(words: Sorted['words']): Pick<CliOptions, 'messages' | 'files'> {
  return {
    files: words.filter((word) => isFile(word)).map(({ text }) => text.slice(1)),
    messages: words.filter((word) => !isFile(word)).map(({ text }) => text),
  };
}

function isFile({ text, literal }: Sorted['words'][number]): boolean {
  return !literal && text.length > 1 && text.startsWith('@');
}

function unknownFlag(raw: string): string {
  const flag = raw.replace(/=.*$/s, '');
  const names = FLAGS.map(({ name }) => name);
  const meant = flag.startsWith('--') ? nearest(flag.slice(2), names) : undefined;
  return `Unknown flag: ${flag}${meant ? ` (did you mean --${meant}?)` : ''}`;
}

/** Short forms are one letter long to what follows. */
function withoutAliases(argv: readonly string[]): string[] {
  const end = argv.indexOf('--');
  return argv.map((word, at) => {
    const flag = FLAGS.find((row) => 'alias' in row && `-${row.alias}` === word);
    return flag && (end < 0 || at < end) ? `--${flag.name}` : word;
  });
}

function sort(argv: string[], switches: ReadonlySet<string> = new Set()): Sorted {
  const tokens = cutWords(argv, SPELLINGS);
  const sorted: Sorted = { given: new Map(), unknown: [], words: [] };
  let literal = false;
  let taken = -1;
  for (const [at, token] of tokens.entries()) {
    if (token.index === taken) continue;
    if (token.kind === 'option-terminator') literal = true;
    else if (token.kind === 'positional') sorted.words.push({ text: token.value, literal });
    else {
      const flag = BY_NAME.get(token.name);
      // Only these two may or may not have a value, so the word behind them was left alone.
      const mayTake = flag ? flag.kind === 'search' : !switches.has(token.name);
      const next = mayTake ? wordBehind(token, tokens[at + 1]) : undefined;
      if (next !== undefined) taken = token.index + 1;
      if (flag) {
        const value = valueGiven(flag, token, next);
        const meant = (flag.as && BY_NAME.get(flag.as)) || flag;
        sorted.given.set(meant, [...(sorted.given.get(meant) ?? []), value]);
      } else
        sorted.unknown.push({ raw: argv[token.index] ?? '', name: token.name, value: token.value ?? next ?? true });
    }
  }
  return sorted;
}

function wordBehind(token: FlagWord, next: Word | undefined): string | undefined {
  const follows = token.value === undefined && next?.kind === 'positional' && next.index === token.index + 1;
  return follows ? next.value : undefined;
}

function valueGiven(flag: Flag, { value, inlineValue }: FlagWord, next: string | undefined): string {
  if (flag.kind === 'search') return value ?? next ?? '';
  if (flag.kind === 'switch') {
    if (value === undefined) return '';
    throw new Fault('config', `Flag --${flag.name} takes no value (got "${value}")`);
  }
  if (value === undefined) throw new Fault('config', `Flag --${flag.name} needs a value`);
  if (!inlineValue && LOOKS_LIKE_FLAG.test(value)) {
    const wayOut = `write --${flag.name}=${value} if that is meant`;
    throw new Fault('config', `Flag --${flag.name} needs a value, but ${value} follows; ${wayOut}`);
  }
  if (flag.choices && !flag.choices.includes(value)) {
    throw new Fault('config', `Flag --${flag.name} takes ${flag.choices.join(', ')} (got "${value}")`);
  }
  if (flag.kind === 'number' || flag.kind === 'count') checkNumber(flag, value);
  // An empty variable of a script must not lift what the flag is to forbid.
  if (flag.kind === 'lists' && itemsOf(value).length === 0) {
    throw new Fault('config', `Flag --${flag.name} needs at least one name (got "${value}")`);
  }
  return value;
}

function checkNumber(flag: Flag, value: string): void {
  const number = value.trim() === '' ? Number.NaN : Number(value);
  const fits = flag.kind === 'count' ? Number.isSafeInteger(number) : Number.isFinite(number);
  if (fits && number > 0) return;
  const wanted = flag.kind === 'count' ? 'a whole number above 0' : 'a number above 0';
  throw new Fault('config', `Flag --${flag.name} takes ${wanted} (got "${value}")`);
}

function fields(given: ReadonlyMap<Flag, string[]>): FlagValues {
  const own = FLAGS.filter((flag: Flag) => flag.as === undefined);
  const entries = own.map((flag: Flag) => [camel(flag.name), fieldOf(flag, given.get(flag))]);
  // The table is the source of both the names and the types; the compiler cannot see that they meet here.
  return Object.fromEntries(entries) as FlagValues;
}

function fieldOf(flag: Flag, values: string[] | undefined): boolean | string | number | string[] | undefined {
  if (flag.kind === 'switch') return values !== undefined;
  if (flag.kind === 'repeat') return values ?? [];
  if (flag.kind === 'lists') return [...new Set(values?.flatMap(itemsOf))];
  const last = values?.at(-1);
  if (flag.kind === 'number' || flag.kind === 'count') return last === undefined ? undefined : Number(last);
  return flag.kind === 'list' && last !== undefined ? itemsOf(last) : last;
}

function itemsOf(list: string): string[] {
  return list
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

function camel(name: string): string {
  return name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
