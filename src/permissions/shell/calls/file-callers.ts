// Programs that call another program for files or for lines of their input: find, fd, xargs, parallel.
import type { ShellWord } from '../parsed-command.ts';
import {
  type CallContext,
  type CallHandler,
  canBeOption,
  createUnknownWord,
  getValues,
  reportOptions,
} from './call-context.ts';
import { noteFindOutputs } from './output-files.ts';
import { readOptions } from './read-options.ts';

const FIND_ACTIONS = ['-exec', '-execdir', '-ok', '-okdir'];

const runFind: CallHandler = (call, context) => {
  // An unknown word could be `-exec` or `-delete`.
  if (call.args.some(canBeOption)) reportOptions(call, context);
  noteFindOutputs(call.args, context);
  for (let index = 0; index < call.args.length; index += 1) {
    if (!FIND_ACTIONS.includes(call.args[index]?.value ?? '')) continue;
    const rest = call.args.slice(index + 1);
    const end = rest.findIndex((one, at) => one.value === ';' || (one.value === '+' && rest[at - 1]?.value === '{}'));
    context.run(replaceMarker(end < 0 ? rest : rest.slice(0, end), '{}', rest[end]?.value === '+'));
    if (end < 0) return reportOptions(call, context);
    index += end + 1;
  }
};

/** Words that contain `marker` are known only when the program runs. */
function replaceMarker(words: readonly ShellWord[], marker: string, canSplit: boolean): readonly ShellWord[] {
  return words.map((word) => (word.value?.includes(marker) ? createUnknownWord(word.source, canSplit) : word));
}

const runFd: CallHandler = (call, context) => {
  if (call.args.some(canBeOption)) reportOptions(call, context);
  const isCluster = (word: ShellWord) => /^(--exec(-batch)?=|-[a-zA-Z]*[xX].)/.test(word.value ?? '');
  if (call.args.some(isCluster)) reportOptions(call, context);
  const isExec = (word: ShellWord) => /^(--exec(-batch)?|-[a-zA-Z]*[xX])$/.test(word.value ?? '');
  const at = call.args.findIndex(isExec);
  if (at < 0) return;
  // Only one of them starts the program: in `-tx`, `x` is the value of `-t`.
  if (call.args.filter(isExec).length > 1) reportOptions(call, context);
  const rest = call.args.slice(at + 1);
  const end = rest.findIndex((word) => word.value === ';');
  const inner = end < 0 ? rest : rest.slice(0, end);
  // Without a placeholder the path is appended.
  context.run([
    ...inner.map((word) => (/\{[/.]*\}/.test(word.value ?? '') ? createUnknownWord(word.source, true) : word)),
    createUnknownWord('{}', true),
  ]);
};

const runXargs: CallHandler = (call, context) => {
  const read = readOptions(call.args, {
    flags: '0rtxop',
    values: 'dEILnPsa',
    optionalValues: 'ile',
    longFlags: ['null', 'no-run-if-empty', 'verbose', 'exit', 'open-tty', 'interactive', 'replace'],
    longValues: ['delimiter', 'max-args', 'max-procs', 'max-chars', 'arg-file', 'replace'],
  });
  if (!read) return reportOptions(call, context);
  const { values, operands } = read;
  // Of these options the last one counts.
  const modes = ['I', 'i', 'replace', 'n', 'max-args', 'L', 'l'].filter((name) => values.has(name));
  const option = values.get('I') ?? values.get('i') ?? values.get('replace');
  if (option && (option.value === undefined || modes.length > 1)) return reportOptions(call, context);
  const words = option
    ? replaceMarker(operands, option.value || '{}', false)
    : [...operands, createUnknownWord('…', true)];
  if (operands.length > 0) context.run(words);
};

/** The command line is built from the words and given to a shell, so it is only shown. */
const runParallel: CallHandler = (call, context) => {
  reportOptions(call, context);
  const end = call.args.findIndex((word) => /^:::/.test(word.value ?? ''));
  const words = (end < 0 ? call.args : call.args.slice(0, end)).filter((word) => !word.value?.startsWith('-'));
  runJoined(words, context);
  for (const word of end < 0 ? [] : call.args.slice(end + 1)) if (words.length === 0) runJoined([word], context);
};

function runJoined(words: readonly ShellWord[], context: CallContext): void {
  const values = getValues(words);
  if (values && values.length > 0) context.runText(values.join(' '), false);
}

export const FILE_CALLER_HANDLERS: Readonly<Record<string, CallHandler>> = {
  find: runFind,
  gfind: runFind,
  fd: runFd,
  fdfind: runFd,
  xargs: runXargs,
  gxargs: runXargs,
  parallel: runParallel,
};
