// Turns the simple commands of a command line into program calls, including the calls that other programs make.
import type { ShellWord, SimpleCommand } from '../parsed-command.ts';
import { CommandParser } from '../syntax/command-parser.ts';
import {
  type HereText,
  MAX_COMMANDS,
  type RawCommand,
  type ShellFacts,
  ShellSyntaxError,
} from '../syntax/shell-facts.ts';
import { BUILTIN_HANDLERS } from './builtins.ts';
import { type CallContext, type CallHandler, toWord } from './call-context.ts';
import { FILE_CALLER_HANDLERS } from './file-callers.ts';
import { INTERPRETER_HANDLERS } from './interpreters.ts';
import { OPTION_CHECKS } from './option-checks.ts';
import { OTHER_CALLER_HANDLERS } from './other-callers.ts';
import { OUTPUT_HANDLERS } from './output-files.ts';
import { PLAIN_PROGRAMS } from './plain-programs.ts';
import { RUNNER_HANDLERS } from './runners.ts';
import { STREAM_EDITOR_HANDLERS } from './stream-editors.ts';
import { WRAPPER_HANDLERS } from './wrappers.ts';

const MAX_TEXT_LENGTH = 64 * 1024;
/** Of a command line and of all texts that it gives to shells. */
const MAX_TOTAL_LENGTH = 4 * MAX_TEXT_LENGTH;
const MAX_NESTING = 20;
/** `ld.so`, `ld-linux-x86-64.so.2`, `ld-musl-x86_64.so.1`. */
const LOADER = /(^|\/)ld[-.]([^/]*\.)?so[^/]*$/;
/** Debian installs variants of programs with these endings. */
const VARIANT = /(\.(basic|tiny|nox|gtk3?|distrib|openbsd|traditional)|-static)$/;
/** Characters that change the direction of a displayed text. */
const BIDIRECTIONAL = /[\u202a-\u202e\u2066-\u2069\u200e\u200f]/;

const PROGRAM_HANDLERS: ReadonlyMap<string, CallHandler> = new Map(
  Object.entries({
    ...RUNNER_HANDLERS,
    ...OUTPUT_HANDLERS,
    ...OTHER_CALLER_HANDLERS,
    ...WRAPPER_HANDLERS,
    ...FILE_CALLER_HANDLERS,
    ...INTERPRETER_HANDLERS,
    ...OPTION_CHECKS,
    ...STREAM_EDITOR_HANDLERS,
  }),
);
const BUILTINS: ReadonlyMap<string, CallHandler> = new Map(Object.entries(BUILTIN_HANDLERS));

type MutableCall = { -readonly [Key in keyof SimpleCommand]: SimpleCommand[Key] };

export class CallInterpreter {
  readonly calls: MutableCall[] = [];
  readonly #facts: ShellFacts;
  #depth = 0;
  #totalLength = 0;
  /** Whether the text that is being interpreted is for bash. */
  #isBash = true;

  constructor(facts: ShellFacts) {
    this.#facts = facts;
  }

  /** `caller` is the program that gives the text to a shell. */
  interpretText(text: string, isBash: boolean, caller: string | undefined): void {
    this.#totalLength += text.length;
    if (text.length > MAX_TEXT_LENGTH || this.#totalLength > MAX_TOTAL_LENGTH)
      this.#problem('The command line is too long to be understood.');
    else if (this.#depth >= MAX_NESTING) this.#problem('The command line is nested too deeply.');
    else {
      this.#checkCharacters(text);
      const commands = this.#parse(text, isBash);
      const outer = this.#isBash;
      this.#isBash = isBash;
      this.#depth += 1;
      for (const command of commands) this.#interpret(command, caller);
      this.#depth -= 1;
      this.#isBash = outer;
    }
  }

  /** All commands are read before the first is interpreted, because a function can be defined after its first use. */
  #parse(text: string, isBash: boolean): readonly RawCommand[] {
    const first = this.#facts.commands.length;
    try {
      CommandParser.parse(text, this.#facts, { isBash, depth: this.#depth });
    } catch (error) {
      if (!(error instanceof ShellSyntaxError)) throw error;
      this.#problem(error.message);
    }
    return this.#facts.commands.splice(first);
  }

  #checkCharacters(text: string): void {
    if (hasControlCharacters(text)) this.#problem('The command line contains control characters.');
    if (BIDIRECTIONAL.test(text))
      this.#problem('The command line contains characters that change the direction of text.');
    if (!text.isWellFormed()) this.#problem('The command line is not valid Unicode.');
  }

  #problem(sentence: string): void {
    this.#facts.problems.add(sentence);
  }

  #interpret(command: RawCommand, caller: string | undefined): void {
    for (const name of command.words.length === 0 ? command.assignments : []) this.#facts.variables.add(name);
    const words = command.words.map(({ value, source, canSplit }): ShellWord => ({ value, source, canSplit }));
    this.#addCall({ source: command.source, words, assignments: command.assignments, caller }, command.input);
  }

  #addCall(call: MutableCall, input: HereText | undefined): void {
    const [first, ...args] = call.words;
    if (!first) return;
    if (this.calls.length < MAX_COMMANDS) {
      this.calls.push(call);
      if (first.value !== undefined) this.#callProgram(first.value, args, call, input);
      else this.#problem(`The name of a program is known only when the command runs: ${first.source.slice(0, 60)}`);
    } else this.#problem('The command line has too many commands.');
  }

  #callProgram(written: string, args: readonly ShellWord[], call: MutableCall, input: HereText | undefined): void {
    if (/[^ -~]/.test(written)) this.#problem('The name of a program contains unusual characters.');
    // An option or an assignment that was not read before the name.
    if (/^-|=/.test(written) || written === '') this.#problem('The name of a program is not understood.');
    if (LOADER.test(written)) this.#problem('The loader of programs starts another program.');
    if (/^\/(proc|dev)\//.test(written)) this.#problem('The name of a program names another file.');
    if (this.#facts.functions.has(written)) this.#problem(`The name ${written} is defined as a function.`);
    const name = normalizeName(written);
    const handler = BUILTINS.get(written) ?? PROGRAM_HANDLERS.get(name);
    const context = this.#createContext(call, name);
    if (name.startsWith('git-')) context.run([toWord('git'), toWord(name.slice('git-'.length)), ...args]);
    else handler?.({ name, args, input }, context);
    const isChecked = Object.hasOwn(OPTION_CHECKS, name);
    if ((handler && !isChecked) || PLAIN_PROGRAMS.has(name)) return;
    call.code ??= [...args.map(({ value, source }) => value ?? source), input?.text ?? ''].join('\n');
  }

  #createContext(call: MutableCall, name: string): CallContext {
    return {
      facts: this.#facts,
      problem: (sentence) => this.#problem(sentence),
      run: (words, assignments = []) => this.#run(words, [...call.assignments, ...assignments], name),
      runText: (text, isBash = this.#isBash) => this.interpretText(text, isBash, name),
      setCode: (code) => {
        call.code = code;
      },
    };
  }

  #run(words: readonly ShellWord[], assignments: readonly string[], caller: string): void {
    if (this.#depth >= MAX_NESTING) this.#problem('The command line is nested too deeply.');
    else {
      this.#depth += 1;
      const source = words.map((word) => word.source).join(' ');
      this.#addCall({ source, words, assignments, caller }, undefined);
      this.#depth -= 1;
    }
  }
}

/** Newline and tab are allowed. A carriage return is part of a word for the shell, but not visible. */
function hasControlCharacters(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if ((code < 0x20 && code !== 0x09 && code !== 0x0a) || code === 0x7f) return true;
  }
  return false;
}

/** `/usr/bin/python3.11` → `python`. */
function normalizeName(written: string): string {
  const base = written.slice(written.lastIndexOf('/') + 1).toLowerCase();
  const program = (base.endsWith('.exe') ? base.slice(0, -4) : base).replace(VARIANT, '');
  let end = program.length;
  while (end > 1 && '0123456789.'.includes(program[end - 1] ?? '')) end -= 1;
  const withoutVersion = program.slice(0, end);
  return PROGRAM_HANDLERS.has(program) || PLAIN_PROGRAMS.has(program) ? program : withoutVersion;
}
