// Shells and language interpreters whose arguments or input are program text.
import { isSafeValue } from '../syntax/shell-facts.ts';
import { type Call, type CallContext, type CallHandler, reportOptions } from './call-context.ts';

const SET_OPTIONS = ['errexit', 'nounset', 'pipefail', 'xtrace', 'verbose', 'noexec'];
const LONG_SHELL_FLAGS = ['--norc', '--noprofile', '--login', '--verbose'];
const INFORMATION = ['--version', '--help', '-V', '-h', '-v', '-version'];

interface ShellArguments {
  readonly isText: boolean;
  /** Index of the first operand. */
  readonly operand: number;
}

/** Returns `undefined` when an option is not known. */
function readShellArguments({ args }: Call): ShellArguments | undefined {
  let isText = false;
  let index = 0;
  for (; index < args.length; index += 1) {
    const text = args[index]?.value;
    if (text === undefined) return isText ? { isText, operand: index } : undefined;
    if (text === '--' || text === '-') return { isText, operand: index + 1 };
    if (LONG_SHELL_FLAGS.includes(text)) continue;
    if (!/^[-+]/.test(text)) break;
    if (!/^[-+][euxvnhbmCETlpco]+$/.test(text)) return undefined;
    isText ||= text.startsWith('-') && text.includes('c');
    for (const letter of text) {
      if (letter !== 'o') continue;
      index += 1;
      if (!SET_OPTIONS.includes(args[index]?.value ?? '')) return undefined;
    }
  }
  return { isText, operand: index };
}

function runShell(isBash: boolean): CallHandler {
  return (call, context) => {
    if (call.args.length === 1 && INFORMATION.slice(0, 2).includes(call.args[0]?.value ?? '')) return;
    const read = readShellArguments(call);
    if (!read) return reportOptions(call, context);
    const word = call.args[read.operand];
    const text = read.isText ? word?.value : word ? undefined : call.input?.text;
    if (text === undefined) context.problem(`The program ${call.name} runs a text that is not known.`);
    else context.runText(text, isBash);
    if (!call.args.slice(read.operand + 1).every(isSafeValue)) context.facts.hasUnsafeValues = true;
  };
}

const runOtherShell: CallHandler = (call, context) =>
  context.problem(`The syntax of the shell ${call.name} is not understood.`);

interface InterpreterOptions {
  /** Letters of options whose value is program text. */
  readonly code: string;
  /** Letters of options with another value. */
  readonly values: string;
  readonly longCode?: readonly string[];
  /** The rest of a cluster of letters after one of these is its value: `-i.bak`. */
  readonly attached?: string;
}

function runInterpreter(options: InterpreterOptions): CallHandler {
  return (call, context) => {
    const texts: string[] = [];
    let hasFile = false;
    for (let index = 0; index < call.args.length && !hasFile; index += 1) {
      const text = call.args[index]?.value;
      if (text === undefined) return context.problem(`The program text of ${call.name} is not known.`);
      if (text === '-' || text === '--' || !text.startsWith('-')) {
        hasFile = text !== '-' && (text !== '--' || call.args.length > index + 1);
        break;
      }
      const option = findOption(text, options);
      if (option === undefined) continue;
      const next = option.rest ?? call.args[index + 1]?.value;
      if (option.rest === undefined) index += 1;
      if (!option.isCode) {
        hasFile ||= option.letter === 'm' && call.name === 'python';
        continue;
      }
      if (next === undefined) return context.problem(`The program text of ${call.name} is not known.`);
      texts.push(next);
    }
    const isInformation = call.args.length === 1 && INFORMATION.includes(call.args[0]?.value ?? '');
    if (texts.length === 0 && !hasFile && !isInformation) readInput(call, texts, context);
    // Options can be combined in more ways than are read here, so all arguments count as program text.
    if (call.args.some((word) => word.value?.startsWith('-'))) texts.push(...call.args.map((word) => word.value ?? ''));
    if (texts.length > 0) context.setCode(texts.join('\n'));
  };
}

function readInput(call: Call, texts: string[], context: CallContext): void {
  if (call.input?.text === undefined) context.problem(`The program ${call.name} runs a text that is not known.`);
  else texts.push(call.input.text);
}

interface FoundOption {
  readonly letter: string;
  readonly isCode: boolean;
  /** The value, when it is attached. */
  readonly rest: string | undefined;
}

function findOption(text: string, options: InterpreterOptions): FoundOption | undefined {
  if (text.startsWith('--')) {
    const equals = text.indexOf('=');
    const name = equals < 0 ? text.slice(2) : text.slice(2, equals);
    if (!options.longCode?.includes(name)) return undefined;
    return { letter: name, isCode: true, rest: equals < 0 ? undefined : text.slice(equals + 1) };
  }
  for (let at = 1; at < text.length; at += 1) {
    const letter = text[at] ?? '';
    if (options.attached?.includes(letter)) return undefined;
    const isCode = options.code.includes(letter);
    if (isCode || options.values.includes(letter)) return { letter, isCode, rest: text.slice(at + 1) || undefined };
  }
  return undefined;
}

const NODE = { code: 'ep', values: 'rC', longCode: ['eval', 'print'] };

export const INTERPRETER_HANDLERS: Readonly<Record<string, CallHandler>> = {
  bash: runShell(true),
  rbash: runOtherShell,
  sh: runShell(false),
  dash: runShell(false),
  ash: runShell(false),
  ...Object.fromEntries(
    [
      'zsh',
      'fish',
      'ksh',
      'mksh',
      'csh',
      'tcsh',
      'pwsh',
      'powershell',
      'cmd',
      'nu',
      'xonsh',
      'elvish',
      'rc',
      'es',
      'yash',
      'oil',
      'osh',
      'ysh',
    ].map((name) => [name, runOtherShell]),
  ),
  python: runInterpreter({ code: 'c', values: 'mWX' }),
  pypy: runInterpreter({ code: 'c', values: 'mWX' }),
  node: runInterpreter(NODE),
  nodejs: runInterpreter(NODE),
  perl: runInterpreter({ code: 'eE', values: 'I', attached: 'iCdDFlmMVx0' }),
  ruby: runInterpreter({ code: 'e', values: 'CEIr', attached: 'iFKTWx0' }),
  php: runInterpreter({
    code: 'rBRE',
    values: 'cdfFSt',
    longCode: ['run', 'process-code', 'process-begin', 'process-end'],
  }),
  lua: runInterpreter({ code: 'e', values: 'l' }),
  luajit: runInterpreter({ code: 'e', values: 'ljbO' }),
  julia: runInterpreter({ code: 'eE', values: 'LJpt', longCode: ['eval', 'print'] }),
  rscript: runInterpreter({ code: 'e', values: '' }),
  tclsh: runInterpreter({ code: '', values: '' }),
};
