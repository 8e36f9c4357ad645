// Programs that start the program in their arguments, with the options that come before it.
import type { ShellWord } from '../parsed-command.ts';
import { noteAssignment } from '../variables.ts';
import { type CallContext, type CallHandler, getValues, reportOptions, toWord } from './call-context.ts';
import { type OptionTable, readOptions } from './read-options.ts';

/** `skipped`: how many operands come before the program. `startsShell`: without a program it starts a shell. */
function runAfterOptions(table: OptionTable, skipped = 0, startsShell = false): CallHandler {
  return (call, context) => {
    const read = readOptions(call.args, table);
    const before = read?.operands.slice(0, skipped) ?? [];
    if (!read || before.some((word) => word.canSplit)) reportOptions(call, context);
    else if (startsShell && read.operands.length <= skipped) runShellOnly(call, context);
    else context.run(read.operands.slice(skipped));
  };
}

/** Assignments before the program, as in `env A=b program`. */
function runAfterAssignments(words: readonly ShellWord[], context: CallContext): void {
  const names: string[] = [];
  let index = 0;
  for (; index < words.length; index += 1) {
    const word = words[index];
    const match = /^([^=]*)=/.exec(word?.value ?? word?.source ?? '');
    if (!word || match?.[1] === undefined || (word.value === undefined && word.canSplit)) break;
    // Functions of bash are passed in variables such as `BASH_FUNC_name%%`.
    if (!/^[A-Za-z_]\w*$/.test(match[1])) context.problem('A variable with an unusual name is set.');
    names.push(match[1]);
    const value = word.value?.slice(match[0].length);
    noteAssignment(context.facts, match[1], value === undefined ? undefined : { ...word, value });
  }
  context.run(words.slice(index), names);
}

const runEnv: CallHandler = (call, context) => {
  const read = readOptions(call.args, {
    flags: 'i0v',
    values: 'uCS',
    longFlags: ['ignore-environment', 'null', 'debug'],
    longValues: ['unset', 'chdir', 'split-string'],
  });
  if (!read) return reportOptions(call, context);
  const split = read.values.get('S') ?? read.values.get('split-string');
  const operands = read.operands[0]?.value === '-' ? read.operands.slice(1) : read.operands;
  if (!split) return runAfterAssignments(operands, context);
  // The text is split like a simple shell word list; quotes, escapes and variables in it have rules of their own.
  if (split.value === undefined || /[^\w\s./=:@%+,-]/.test(split.value)) return reportOptions(call, context);
  // Its words take the place of the option, so that options after it belong to the program.
  const isAttached = !['-S', '--split-string'].includes(call.args[0]?.value ?? '');
  const optionCount = call.args.length - read.operands.length;
  if (read.values.size > 1 || optionCount !== (isAttached ? 1 : 2)) return reportOptions(call, context);
  const words = split.value
    .split(/\s/)
    .filter((text) => text !== '')
    .map(toWord);
  if (words[0]?.value?.startsWith('-')) return reportOptions(call, context);
  runAfterAssignments([...words, ...operands], context);
};

const runSudo: CallHandler = (call, context) => {
  const read = readOptions(call.args, {
    flags: 'AbEHKknPSVvl',
    values: 'CDghpRTuU',
    longFlags: ['askpass', 'background', 'preserve-env', 'set-home', 'non-interactive', 'stdin', 'list', 'validate'],
    longValues: ['user', 'group', 'chdir', 'prompt', 'host'],
  });
  if (read) runAfterAssignments(read.operands, context);
  else reportOptions(call, context);
};

/** `su`, `runuser`, `script` and `flock` give the text of `-c` to a shell. */
function runTextOption(table: OptionTable, names: readonly string[], otherwise: CallHandler): CallHandler {
  return (call, context) => {
    // These programs accept options after operands too.
    const ordered = [...call.args].filter((word) => word.value !== '-');
    const at = ordered.findIndex((word) => /^-[a-z]*c$/.test(word.value ?? '') || word.value === '--command');
    const read = readOptions(at < 0 ? ordered : ordered.slice(at), table);
    const text = names.map((name) => read?.values.get(name)).find((word) => word !== undefined);
    const textOptions = ordered.filter((word) => /^(-[a-zA-Z]*c|--c)/.test(word.value ?? ''));
    const hasUnknown = ordered.some((word) => word.value === undefined && word !== text);
    const hasOther = ordered.some((word) => /^(--command=|-[a-zA-Z]*c.|-[a-zA-Z]*s|--s)/.test(word.value ?? ''));
    if (!read || hasUnknown || hasOther || textOptions.length > 1) reportOptions(call, context);
    else if (!text) otherwise(call, context);
    else if (text.value === undefined) context.problem(`The text that ${call.name} runs is not known.`);
    else context.runText(text.value, false);
  };
}

const runShellOnly: CallHandler = (call, context) => context.problem(`The program ${call.name} starts a shell.`);

const FLOCK = {
  flags: 'seuxnoF',
  values: 'wEc',
  longFlags: ['shared', 'exclusive', 'unlock', 'nonblock', 'nb', 'close', 'no-fork', 'verbose'],
  longValues: ['wait', 'timeout', 'conflict-exit-code', 'command'],
};

const runFlock: CallHandler = (call, context) => {
  const read = readOptions(call.args, FLOCK);
  const [, option, text] = read?.operands ?? [];
  if (!read || read.values.has('c') || read.values.has('command') || read.operands[0]?.canSplit)
    reportOptions(call, context);
  else if (option?.value !== '-c' && option?.value !== '--command') context.run(read.operands.slice(1));
  else if (text?.value === undefined) reportOptions(call, context);
  else context.runText(text.value, false);
};

/** The words are joined and given to a shell. */
const runWatch: CallHandler = (call, context) => {
  const read = readOptions(call.args, {
    flags: 'bdegptxcC',
    values: 'n',
    longFlags: ['beep', 'errexit', 'chgexit', 'no-title', 'exec', 'color', 'precise', 'differences'],
    longValues: ['interval'],
  });
  if (!read) return reportOptions(call, context);
  if (read.values.has('x') || read.values.has('exec')) return context.run(read.operands);
  const values = getValues(read.operands);
  if (values) context.runText(values.join(' '), false);
  else reportOptions(call, context);
};

const runNice: CallHandler = (call, context) => {
  const isNumber = ({ value }: ShellWord) => /^--?[0-9]+$/.test(value ?? '');
  const start = call.args.findIndex((word) => !isNumber(word));
  const args = start < 0 ? [] : call.args.slice(start);
  runAfterOptions({ values: 'n', longValues: ['adjustment'] })({ ...call, args }, context);
};

const runStrace: CallHandler = (call, context) => {
  const read = readOptions(call.args, {
    flags: 'cCdfFhiknqrtTvVxyYwZz',
    values: 'aeIoOpPsSuUXb',
    longFlags: ['follow-forks', 'summary-only', 'summary'],
    longValues: ['trace', 'output', 'string-limit'],
  });
  const output = read?.values.get('o') ?? read?.values.get('output');
  // Output that begins with `|` or `!` is given to a shell.
  if (!read || (output && !/^[^|!]/.test(output.value ?? ''))) return reportOptions(call, context);
  context.run(read.operands);
};

const runArchitecture: CallHandler = (call, context) => {
  const [first, ...rest] = call.args;
  const isNamed = call.name === 'setarch' && /^[a-z]\w*$/.test(first?.value ?? '');
  runAfterOptions(
    { flags: 'BFILRSTXZv3', longFlags: ['3gb', '4gb', 'addr-no-randomize', 'verbose'] },
    0,
    true,
  )(isNamed ? { ...call, args: rest } : call, context);
};

/** Other names of setarch. */
const ARCHITECTURES = ['linux32', 'linux64', 'uname26', 'i386', 'i486', 'i586', 'i686', 'x86_64', 'aarch64', 'arm64'];

const runApplet: CallHandler = (call, context) => {
  if (call.args[0]?.value?.startsWith('-')) reportOptions(call, context);
  else context.run(call.args);
};

export const WRAPPER_HANDLERS: Readonly<Record<string, CallHandler>> = {
  env: runEnv,
  sudo: runSudo,
  doas: runAfterOptions({ flags: 'n', values: 'Cu' }),
  su: runTextOption(
    { flags: 'lmpfP', values: 'cgG', longValues: ['command', 'group'], longFlags: ['login'] },
    ['c', 'command'],
    runShellOnly,
  ),
  script: runTextOption(
    { flags: 'aefqt', values: 'cEIBOTmo', longFlags: ['append', 'return', 'flush', 'quiet'], longValues: ['command'] },
    ['c', 'command'],
    runShellOnly,
  ),
  nohup: runAfterOptions({}),
  nice: runNice,
  ionice: runAfterOptions({ flags: 't', values: 'cn', longFlags: ['ignore'], longValues: ['class', 'classdata'] }),
  timeout: runAfterOptions(
    {
      flags: 'vf',
      values: 'ks',
      longFlags: ['foreground', 'preserve-status', 'verbose'],
      longValues: ['kill-after', 'signal'],
    },
    1,
  ),
  gtimeout: runAfterOptions(
    { flags: 'v', values: 'ks', longFlags: ['foreground', 'preserve-status'], longValues: ['kill-after', 'signal'] },
    1,
  ),
  stdbuf: runAfterOptions({ values: 'ioe', longValues: ['input', 'output', 'error'] }),
  setsid: runAfterOptions({ flags: 'cfw', longFlags: ['ctty', 'fork', 'wait'] }),
  setarch: runArchitecture,
  ...Object.fromEntries(ARCHITECTURES.map((name) => [name, runArchitecture])),
  chroot: runAfterOptions({ longFlags: ['skip-chdir'], longValues: ['userspec', 'groups'] }, 1, true),
  unshare: runAfterOptions(
    {
      flags: 'imnpuUCTfrc',
      values: 'RwSG',
      longFlags: ['fork', 'map-root-user', 'net', 'pid', 'user', 'mount', 'uts', 'ipc', 'mount-proc'],
    },
    0,
    true,
  ),
  nsenter: runAfterOptions(
    {
      flags: 'aFZ',
      values: 'tSG',
      optionalValues: 'mnpuUiCTrw',
      longFlags: ['all', 'mount', 'net', 'pid', 'user', 'uts', 'ipc'],
      longValues: ['target'],
    },
    0,
    true,
  ),
  flock: runFlock,
  watch: runWatch,
  strace: runStrace,
  time: runAfterOptions({
    flags: 'pva',
    values: 'fo',
    longFlags: ['portability', 'verbose', 'append'],
    longValues: ['format', 'output'],
  }),
  busybox: runApplet,
  toybox: runApplet,
};
