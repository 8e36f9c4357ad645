// Programs that only read, for the mode read-only. A program that is not listed, or a word that is not known, is not safe.
import { areHarmless } from './command-match.ts';
import type { Executables } from './executables.ts';
import type { SimpleCommand } from './shell/index.ts';

interface SafeProgram {
  /** Letters of options that write, run programs or change the system. */
  readonly letters?: string;
  /** Long options, and the tests of `find`. */
  readonly options?: readonly string[];
  /** How many words may not be options. */
  readonly maxOperands?: number;
  /** All arguments must match. */
  readonly onlyArguments?: RegExp;
  /** Replaces all other checks. */
  isSafe?(args: readonly string[]): boolean;
}

/** Every option of these programs only reads. */
const READERS =
  'cat cd cksum cmp comm cut df dirname basename du echo egrep expand false fgrep fold grep groups head hexdump id jq join ls md5sum nl ' +
  'nproc od paste printenv ps pwd readlink realpath rev seq sha1sum sha224sum sha256sum sha384sum sha512sum sleep stat strings ' +
  'sum tac tail tr true tty type uname unexpand uptime users wc which who whoami :';

const RESTRICTED: Readonly<Record<string, SafeProgram>> = {
  base64: { letters: 'oD', options: ['--output'] },
  // Operands without `+` set the clock.
  date: { letters: 's', options: ['--set'], onlyArguments: /^[-+]/ },
  diff: { letters: 'l', options: ['--paginate'] },
  env: { maxOperands: 0, onlyArguments: /^$/ },
  file: { letters: 'CzZS', options: ['--compile', '--uncompress', '--uncompress-noreport', '--no-sandbox'] },
  find: { options: ['-exec', '-execdir', '-ok', '-okdir', '-delete', '-fprint', '-fprint0', '-fprintf', '-fls'] },
  hostname: { maxOperands: 0, onlyArguments: /^$/ },
  // `-v` assigns a variable.
  printf: { letters: 'v' },
  rg: { letters: 'z', options: ['--pre', '--pre-glob', '--search-zip', '--hostname-bin'] },
  sed: { isSafe: isPrintingSed },
  sort: { letters: 'oT', options: ['--output', '--temporary-directory', '--compress-program'] },
  // Bash evaluates subscripts, which can run commands.
  test: { onlyArguments: /^[^[$`]*$/ },
  '[': { onlyArguments: /^[^[$`]*$/ },
  tree: { letters: 'oR', options: ['--output'] },
  uniq: { maxOperands: 1 },
  xxd: { letters: 'r', options: ['-revert'], maxOperands: 1 },
};

/** Whether the program only reads, and is not one that tools can have written. */
export async function isSafeCommand(command: SimpleCommand, executables: Executables): Promise<boolean> {
  const [program, ...args] = command.words;
  const name = program?.value;
  if (name === undefined || command.code !== undefined || !areHarmless(command.assignments)) return false;
  const isReader = READERS.split(' ').includes(name);
  const restricted = Object.hasOwn(RESTRICTED, name) ? RESTRICTED[name] : undefined;
  if (!isReader && !restricted) return false;
  if (restricted) {
    const values = args.flatMap(({ value }) => (value === undefined ? [] : [value]));
    if (values.length !== args.length || !hasSafeArguments(restricted, values)) return false;
  }
  const isBuiltin = command.caller === undefined && executables.isBuiltin(name);
  return isBuiltin || executables.isTrustedName(name);
}

function hasSafeArguments(program: SafeProgram, args: readonly string[]): boolean {
  if (program.isSafe) return program.isSafe(args);
  const { letters = '', options = [], maxOperands = Number.POSITIVE_INFINITY, onlyArguments } = program;
  if (countOperands(args) > maxOperands) return false;
  return args.every((arg) => {
    if (onlyArguments && !onlyArguments.test(arg)) return false;
    return !isForbiddenOption(arg, letters, options);
  });
}

/** `-` is an operand, and so is every word after `--`. */
function countOperands(args: readonly string[]): number {
  const end = args.indexOf('--');
  const options = (end < 0 ? args : args.slice(0, end)).filter((arg) => arg.startsWith('-') && arg !== '-').length;
  return args.length - options - (end < 0 ? 0 : 1);
}

/** Long options may be abbreviated, and letters may be combined. */
function isForbiddenOption(arg: string, letters: string, options: readonly string[]): boolean {
  if (!arg.startsWith('-') || arg === '-' || arg === '--') return false;
  const [name = ''] = arg.split('=');
  if (options.some((option) => option === name)) return true;
  if (arg.startsWith('--')) return options.some((option) => option.startsWith(name));
  return [...arg.slice(1)].some((letter) => letters.includes(letter));
}

/** `sed -n 10,20p FILE` prints lines. Other programs of sed can write files and run commands. */
function isPrintingSed(args: readonly string[]): boolean {
  const [option, program = '', ...files] = args;
  const isPrinting = /^(?:\d+|\$)?(?:,(?:\d+|\$))?p$/.test(program);
  return option === '-n' && isPrinting && files.every((file) => !file.startsWith('-'));
}
