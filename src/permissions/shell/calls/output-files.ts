// Options and operands by which programs that mostly read write a file. Each such file is a part of its own, like a redirection.
import type { ShellWord } from '../parsed-command.ts';
import { noteRedirection } from '../syntax/shell-facts.ts';
import { type CallContext, type CallHandler, toWord } from './call-context.ts';

const FIND_OUTPUTS = ['-fprint', '-fprint0', '-fprintf', '-fls'];

export function noteFindOutputs(args: readonly ShellWord[], context: CallContext): void {
  for (const [index, { value = '' }] of args.entries()) {
    if (FIND_OUTPUTS.includes(value)) noteOutput(args[index + 1], context);
    if (value === '-delete') context.problem('The action -delete of find removes files.');
  }
}

/** `-o FILE`, `-oFILE`, `-uo FILE`, `--output=FILE`, `--output FILE`. Long options may be abbreviated. */
export function noteOutputOption(args: readonly ShellWord[], context: CallContext, letter = 'o'): void {
  for (const [index, { value = '' }] of args.entries()) {
    const [name = ''] = value.split('=', 1);
    const at = value.indexOf(letter);
    if (name.startsWith('--ou') && '--output'.startsWith(name))
      noteOutput(name === value ? args[index + 1] : toWord(value.slice(name.length + 1)), context);
    else if (letter !== '' && /^-[a-zA-Z]/.test(value) && at > 0)
      noteOutput(at === value.length - 1 ? args[index + 1] : toWord(value.slice(at + 1)), context);
  }
}

/** The second operand is written. */
const noteSecondOperand: CallHandler = (call, context) => {
  const end = call.args.findIndex(({ value }) => value === '--');
  const isOption = ({ value = '' }: ShellWord, index: number) =>
    value.startsWith('-') && value !== '-' && (end < 0 || index <= end);
  noteOutput(call.args.filter((word, index) => !isOption(word, index)).at(1), context);
};

function noteOutput(word: ShellWord | undefined, { facts }: CallContext): void {
  if (word && word.value !== '-' && word.value !== '/dev/null') noteRedirection(facts, 'write', word);
}

export const OUTPUT_HANDLERS: Readonly<Record<string, CallHandler>> = {
  tree: (call, context) => noteOutputOption(call.args, context),
  uniq: noteSecondOperand,
  xxd: noteSecondOperand,
};
