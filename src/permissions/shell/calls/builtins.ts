// Builtins of the shell that run a text, define names or change how the shell reads commands.
import type { ShellWord } from '../parsed-command.ts';
import { isSafeValue } from '../syntax/shell-facts.ts';
import { noteArithmeticName, noteVariable } from '../variables.ts';
import { type Call, type CallContext, type CallHandler, getValues, reportOptions } from './call-context.ts';
import { type OptionTable, readOptions } from './read-options.ts';

const SAFE_SET_OPTIONS = ['errexit', 'nounset', 'pipefail', 'xtrace', 'verbose', 'noclobber', 'errtrace', 'functrace'];
const SAFE_SHOPT_OPTIONS = ['nullglob', 'globstar', 'dotglob', 'failglob', 'nocaseglob', 'inherit_errexit', 'lastpipe'];

function refuse(reason: string): CallHandler {
  return (call, context) => context.problem(`The command ${call.name} ${reason}.`);
}

const runEval: CallHandler = (call, context) => {
  const args = call.args[0]?.value === '--' ? call.args.slice(1) : call.args;
  const values = getValues(args);
  const text = values?.join(' ');
  if (text !== undefined) context.runText(text);
  // A text that bash cannot parse also changes how bash reads the commands after eval, so only simple texts are accepted.
  if (text === undefined || /[^\w\s./=:@%+,;&|-]/.test(text))
    context.problem('The text that eval runs is not understood.');
};

const runTrap: CallHandler = (call, context) => {
  const [first, second] = call.args[0]?.value === '--' ? call.args.slice(1) : call.args;
  if (!first || first.value === '-p' || first.value === '-l') return;
  if (first.value === undefined) context.problem('The text that trap runs is not known.');
  else if (second && first.value !== '' && first.value !== '-') context.runText(first.value);
};

/** `exec`, `command` and `builtin`: the rest is a call. */
function runOperands(table: OptionTable, onlyLooksUp = ''): CallHandler {
  return (call, context) => {
    const read = readOptions(call.args, table);
    if (!read) reportOptions(call, context);
    else if (![...onlyLooksUp].some((letter) => read.values.has(letter))) context.run(read.operands);
  };
}

const runSet: CallHandler = (call, context) => {
  for (const [index, word] of call.args.entries()) {
    const text = word.value;
    if (text === undefined) return reportOptions(call, context);
    if (text === '--' || text === '-') return noteArguments(call.args.slice(index + 1), context);
    if (SAFE_SET_OPTIONS.includes(text) && /^[-+][a-z]*o$/i.test(call.args[index - 1]?.value ?? '')) continue;
    if (/^[-+][euxvCET]*o?$/.test(text) && text.length > 1) continue;
    if (!/^[-+]/.test(text)) return noteArguments(call.args.slice(index), context);
    context.problem('An option of set changes how commands are read.');
  }
};

function noteArguments(words: readonly ShellWord[], context: CallContext): void {
  if (!words.every(isSafeValue)) context.facts.hasUnsafeValues = true;
}

const runShopt: CallHandler = (call, context) => {
  const values = getValues(call.args);
  const isSafe = values?.every((value) => /^-[supq]+$/.test(value) || SAFE_SHOPT_OPTIONS.includes(value));
  if (!isSafe) context.problem('The command shopt changes how commands are read.');
};

/** Arguments are names or assignments. A subscript in a name would be evaluated. */
function assignNames(words: readonly ShellWord[], value: 'none' | 'unknown', call: Call, context: CallContext): void {
  for (const word of words) {
    const match = /^([A-Za-z_]\w*)(\+?=|$)/.exec(word.value ?? word.source);
    if (!match?.[1] || (word.value === undefined && word.canSplit && !word.source.includes('=')))
      reportOptions(call, context);
    else if (value === 'unknown') noteVariable(context.facts, match[1], undefined);
    else if (match[2]) noteVariable(context.facts, match[1], getAssignedValue(word, match[0].length));
  }
}

function getAssignedValue(word: ShellWord, start: number): ShellWord | undefined {
  if (word.value === undefined) return undefined;
  return { value: word.value.slice(start), source: word.source, canSplit: false };
}

const runDeclare: CallHandler = (call, context) => {
  const read = readOptions(
    call.args.map((word) =>
      /^\+[a-zA-Z]+$/.test(word.value ?? '') ? { ...word, value: word.value?.replace('+', '-') } : word,
    ),
    { flags: 'aAgilrtuxpfF' },
  );
  if (!read) return reportOptions(call, context);
  if (read.values.has('i')) context.facts.hasArithmeticNames = true;
  if (call.name === 'export' && read.values.has('f'))
    context.problem('The command export passes a function to programs.');
  if (read.values.has('f') || read.values.has('F')) return;
  context.facts.hasArrays ||= read.values.has('a') || read.values.has('A');
  for (const word of read.operands) noteDeclaredValue(word, call, context);
  assignNames(read.operands, 'none', call, context);
};

/** Arrays that bash sets. */
const ARRAYS = /^(BASH_\w+|DIRSTACK|FUNCNAME|GROUPS|MAPFILE|PIPESTATUS|COPROC|COMP\w+)\b/;

/** For an array, bash reads a quoted value such as `'($(rm x))'` as a list, and expands it. */
function noteDeclaredValue({ value, source }: ShellWord, call: Call, context: CallContext): void {
  const { facts } = context;
  if (ARRAYS.test(source)) facts.hasArrays = true;
  if (value === undefined) facts.hasUnknownDeclarations ||= !/^\w+\+?=?$/.test(source);
  else if (/^[^=]*=\s*\(/.test(value)) reportOptions(call, context);
}

/** Builtins that store a text in the variables that are their operands. */
function assignOperands(table: OptionTable, first = 0, valueOption?: string): CallHandler {
  return (call, context) => {
    const read = readOptions(call.args, table);
    if (!read) return reportOptions(call, context);
    const option = valueOption === undefined ? undefined : read.values.get(valueOption);
    if (call.name === 'mapfile' || call.name === 'readarray' || read.values.has('a')) context.facts.hasArrays = true;
    const names = valueOption === 'v' ? [] : read.operands.slice(first);
    assignNames(option ? [option, ...names] : names, 'unknown', call, context);
  };
}

const runUnset: CallHandler = (call, context) => {
  const read = readOptions(call.args, { flags: 'fvn' });
  if (read) assignNames(read.operands, 'unknown', call, context);
  else reportOptions(call, context);
};

const runLet: CallHandler = (call, context) => {
  context.facts.hasArithmeticNames = true;
  const isSimple = getValues(call.args)?.every((value) => /^[\w\s+\-*/%=<>!&|()]+$/.test(value));
  if (isSimple)
    for (const word of call.args)
      for (const name of word.value?.match(/[A-Za-z_]\w*/g) ?? []) noteLetName(context, name);
  else reportOptions(call, context);
};

function noteLetName({ facts }: CallContext, name: string): void {
  noteArithmeticName(facts, name);
  noteVariable(facts, name, { value: '0', source: '', canSplit: false });
}

/** `test -v 'a[…]'` evaluates the subscript. */
const runTest: CallHandler = (call, context) => {
  for (const [index, word] of call.args.entries()) {
    const previous = call.args[index - 1]?.value;
    if ((previous === '-v' || previous === '-R') && !/^\w+$/.test(word.value ?? '')) reportOptions(call, context);
    // An unknown word can be `-v`, and the next word a subscript with a command in it.
    const next = call.args[index + 1];
    if (word.canSplit || (word.value === undefined && next && next.value === undefined))
      context.facts.hasArithmeticNames = true;
  }
};

/** `%n` assigns to the variable that an argument names. `-v` does so for the next word, or for the rest of the word. */
const runPrintf: CallHandler = (call, context) => {
  const [first, ...rest] = call.args[0]?.value === '--' ? call.args.slice(1) : call.args;
  if (/^-v/.test(first?.value ?? '')) return assignOperands({ values: 'v' }, 0, 'v')(call, context);
  if (first?.value === undefined && first?.canSplit) return reportOptions(call, context);
  if (!first || rest.length === 0) return;
  const isComputed = first.value === undefined && !isPartlyWritten(first.source);
  const assigns = /%[-+ #0-9.*'hjlLtz]*n/.test((first.value ?? '').replaceAll('%%', ''));
  if (isComputed || (assigns && !getValues(rest))) reportOptions(call, context);
  if (assigns || first.value === undefined)
    for (const { value } of rest)
      if (/^[A-Za-z_]\w*$/.test(value ?? '')) noteVariable(context.facts, value ?? '', undefined);
};

/** `"$color%s"`: with the text after the variable, the word is neither `-v` nor a format that the variable alone decides. */
function isPartlyWritten(source: string): boolean {
  return !/\$\(|`/.test(source) && /[^\w"'${}]/.test(source);
}

const changesParsing = refuse('changes what later commands mean');
const runsCallbacks = refuse('can run a text that is not known');

export const BUILTIN_HANDLERS: Readonly<Record<string, CallHandler>> = {
  eval: runEval,
  trap: runTrap,
  exec: runOperands({ flags: 'cl', values: 'a' }),
  command: runOperands({ flags: 'pvV' }, 'vV'),
  builtin: runOperands({}),
  source: refuse('runs a file that is not read'),
  '.': refuse('runs a file that is not read'),
  alias: changesParsing,
  unalias: changesParsing,
  enable: changesParsing,
  set: runSet,
  shopt: runShopt,
  hash: (call, context) => {
    if (call.args.some((word) => word.value !== '-r')) changesParsing(call, context);
  },
  declare: runDeclare,
  typeset: runDeclare,
  local: runDeclare,
  export: runDeclare,
  readonly: runDeclare,
  printf: runPrintf,
  read: assignOperands({ flags: 'ers', values: 'adinNptu' }, 0, 'a'),
  mapfile: assignOperands({ flags: 't', values: 'dnOsu' }),
  readarray: assignOperands({ flags: 't', values: 'dnOsu' }),
  getopts: assignOperands({}, 1),
  wait: assignOperands({ flags: 'fn', values: 'p' }, Number.POSITIVE_INFINITY, 'p'),
  unset: runUnset,
  let: runLet,
  test: runTest,
  '[': runTest,
  complete: runsCallbacks,
  compgen: runsCallbacks,
  compopt: runsCallbacks,
  bind: runsCallbacks,
  fc: runsCallbacks,
  jobs: (call, context) => {
    if (call.args.some((word) => word.value === undefined || /^-.*x/.test(word.value))) runsCallbacks(call, context);
  },
};
