// What the handlers of single programs and builtins receive, and what they can report.
import type { ShellWord } from '../parsed-command.ts';
import type { HereText, ShellFacts } from '../syntax/shell-facts.ts';

/** One program call that is being interpreted. */
export interface Call {
  /** Without directories, in lower case, without a version at the end. */
  readonly name: string;
  readonly args: readonly ShellWord[];
  readonly input: HereText | undefined;
}

export interface CallContext {
  readonly facts: ShellFacts;
  /** One sentence. */
  problem(sentence: string): void;
  /** The program calls another one with these words, after it has set these variables. */
  run(words: readonly ShellWord[], assignments?: readonly string[]): void;
  /** The program gives this text to a shell. Without `isBash`: to the shell that runs the call. */
  runText(text: string, isBash?: boolean): void;
  setCode(code: string): void;
}

export type CallHandler = (call: Call, context: CallContext) => void;

export function createUnknownWord(source: string, canSplit: boolean): ShellWord {
  return { value: undefined, source, canSplit };
}

export function toWord(value: string): ShellWord {
  return { value, source: value, canSplit: false };
}

/** The values of the words, or `undefined` when one of them is unknown. */
export function getValues(words: readonly ShellWord[]): readonly string[] | undefined {
  const values = words.flatMap((word) => word.value ?? []);
  return values.length === words.length ? values : undefined;
}

/**
 * Whether an unknown word can become an option. Patterns such as `src/*.ts` keep their beginning; a variable outside quotes can add words.
 */
export function canBeOption(word: ShellWord): boolean {
  if (word.value !== undefined) return false;
  const source = /^["']/.test(word.source) ? word.source.slice(1) : word.source;
  return !/^[\w./~+@:%,=]/.test(source) || (word.canSplit && /[$`]/.test(source));
}

export function reportOptions(call: Call, context: CallContext): void {
  context.problem(`The arguments of ${call.name} are not understood.`);
}
