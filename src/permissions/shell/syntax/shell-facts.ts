// What the parser collects while it reads a command line, before the calls are interpreted.
import type { ShellRedirection, ShellWord } from '../parsed-command.ts';

export interface ParsedWord extends ShellWord {
  /** The result of an arithmetic expansion, a length or a count: digits only. */
  readonly isNumber: boolean;
  /** No quotes, escapes or expansions. */
  readonly isLiteral: boolean;
  /** The word is one process substitution. */
  readonly isProcess: boolean;
  /** It contains the output of a command. */
  readonly hasSubstitution: boolean;
}

/** The body of a here-document or a here-string. It is read after the command. */
export interface HereText {
  /** `undefined` when it is known only when the command runs. */
  text: string | undefined;
}

/** A simple command of the shell, as it is written. */
export interface RawCommand {
  readonly source: string;
  readonly words: readonly ParsedWord[];
  readonly assignments: readonly string[];
  /** What the command reads from its standard input, if a here-document or here-string is its input. */
  readonly input: HereText | undefined;
}

export interface ShellFacts {
  /** How many words have been read, in all texts. */
  wordCount: number;
  readonly commands: RawCommand[];
  readonly redirections: ShellRedirection[];
  readonly problems: Set<string>;
  /** Names of functions that the command line defines. */
  readonly functions: Set<string>;
  /** Names of variables that are set for the rest of the command line. */
  readonly variables: Set<string>;
  /** Arithmetic reads variables. Bash evaluates their values again, and subscripts in them can run commands. */
  hasArithmeticNames: boolean;
  /** A variable or an argument gets a text that arithmetic could run. */
  hasUnsafeValues: boolean;
  /** The command line sets an array. */
  hasArrays: boolean;
  /** A declaration has a value that is not known. For an array, bash would expand it again. */
  hasUnknownDeclarations: boolean;
}

export function createShellFacts(): ShellFacts {
  return {
    wordCount: 0,
    commands: [],
    redirections: [],
    problems: new Set(),
    functions: new Set(),
    variables: new Set(),
    hasArithmeticNames: false,
    hasUnsafeValues: false,
    hasArrays: false,
    hasUnknownDeclarations: false,
  };
}

/** The rest of the text cannot be understood. The message is a sentence. */
export class ShellSyntaxError extends Error {}

/** Longer command lines are not understood, so that a hostile text is decided quickly. */
export const MAX_WORDS = 10_000;
/** Of a command line, and of the calls in it. */
export const MAX_COMMANDS = 500;
const MAX_REDIRECTIONS = 200;

export function noteRedirection(facts: ShellFacts, access: ShellRedirection['access'], target: ShellWord): void {
  const { value, source, canSplit } = target;
  if (facts.redirections.length < MAX_REDIRECTIONS)
    facts.redirections.push({ access, target: { value, source, canSplit } });
  else facts.problems.add('The command line has too many redirections.');
}

/** Variables that the shell sets to words of the command line or to its input. */
const SHELL_TEXTS =
  /(?:^|\W)(?:_|REPLY|MAPFILE|OPTARG|COPROC|DIRSTACK|FUNCNAME|BASH_(?!VERSINFO\b|SUBSHELL\b)\w+|READLINE_\w+|COMP_\w+)(?!\w)/;

/** Whether the text of an expression names such a variable. */
export function namesShellText(source: string): boolean {
  return SHELL_TEXTS.test(source);
}

/** A text without these characters stays harmless when arithmetic evaluates it. */
export function isSafeValue(word: ParsedWord | ShellWord): boolean {
  if (word.value === undefined) return 'isNumber' in word && word.isNumber;
  return !/[[$`]/.test(word.value) && !namesShellText(word.value);
}
