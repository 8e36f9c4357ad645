// sed and awk: their programs can start other programs and write files. Only simple programs are accepted.
import { type CallContext, type CallHandler, canBeOption, reportOptions } from './call-context.ts';
import { readOptions } from './read-options.ts';

/** Returns whether every command of the program only edits and prints text. */
function isHarmlessSedProgram(program: string): boolean {
  let position = 0;
  const peek = () => program[position] ?? '';
  const skip = (characters: string) => {
    while (peek() !== '' && characters.includes(peek())) position += 1;
  };
  /** After the opening delimiter, up to the closing one. Whether a bracket expression can contain the delimiter depends on the version. */
  const skipPart = (delimiter: string, isRegex = true): boolean => {
    const start = position;
    while (peek() !== delimiter) {
      if (peek() === '' || peek() === '\n' || (peek() === '[' && delimiter !== '/')) return false;
      position += peek() === '\\' ? 2 : 1;
    }
    position += 1;
    return !isRegex || hasClosedBrackets(program.slice(start, position - 1));
  };
  const skipAddress = (): boolean => {
    if (peek() === '/') {
      position += 1;
      if (!skipPart('/')) return false;
      skip('IM');
    } else skip('0123456789$~+');
    return true;
  };
  const skipSubstitution = (): boolean => {
    const delimiter = peek();
    if (!/^[^\w\s\\]$/.test(delimiter)) return false;
    position += 1;
    if (!skipPart(delimiter) || !skipPart(delimiter, false)) return false;
    skip('gpiI0123456789');
    return true;
  };
  while (position < program.length) {
    skip(' \t\n;');
    if (!skipAddress()) return false;
    skip(' \t');
    if (peek() === ',') {
      position += 1;
      skip(' \t');
      if (!skipAddress()) return false;
    }
    skip(' \t!');
    const command = peek();
    position += 1;
    if (command === '') break;
    if (command === 's' ? !skipSubstitution() : !'{}=dDgGhHlnNpPqQxz'.includes(command)) return false;
    if (command === 'q' || command === 'Q' || command === 'l') skip(' 0123456789');
    skip(' \t');
    if (command !== '{' && peek() !== '' && !';\n}'.includes(peek())) return false;
  }
  return true;
}

/** Whether every bracket expression ends inside the regular expression, in every way to read it. */
function hasClosedBrackets(regex: string): boolean {
  for (let at = 0; at < regex.length; at += 1) {
    if (regex[at] === '\\') at += 1;
    else if (regex[at] === '[') {
      at += regex[at + 1] === '^' ? 2 : 1;
      if (regex[at] === ']') at += 1;
      for (; regex[at] !== ']'; at += 1) {
        if (at >= regex.length || regex.startsWith('\\]', at)) return false;
        if (regex[at] !== '[' || !':.='.includes(regex[at + 1] ?? ' ')) continue;
        const close = regex.indexOf(`${regex[at + 1]}]`, at + 2);
        if (close < 0) return false;
        at = close + 1;
      }
    }
  }
  return true;
}

const checkSed: CallHandler = (call, context) => {
  const read = readOptions(call.args, {
    flags: 'nErsuz',
    values: 'el',
    optionalValues: 'i',
    longFlags: [
      'quiet',
      'silent',
      'regexp-extended',
      'separate',
      'unbuffered',
      'null-data',
      'posix',
      'sandbox',
      'in-place',
      'debug',
    ],
    longValues: ['expression', 'in-place', 'line-length'],
  });
  if (call.args.length === 1 && ['--version', '--help'].includes(call.args[0]?.value ?? '')) return;
  if (!read) return reportOptions(call, context);
  const isOption = (text = '') => text.startsWith('-') && text !== '-';
  // Options can follow operands, and several -e are joined by newlines.
  const scripts = call.args.flatMap((word, index) =>
    ['-e', '--expression'].includes(word.value ?? '') ? [call.args[index + 1]?.value] : [],
  );
  const [first, ...files] = read.operands;
  const hasExpression = read.values.has('e') || read.values.has('expression');
  const isPlain = hasExpression
    ? scripts.length > 0 && call.args.every((word) => !/^(-[a-zA-Z]+e|-e.|--expression=)/.test(word.value ?? ''))
    : true;
  const programs = hasExpression ? scripts : [first?.value];
  const rest = hasExpression ? read.operands : files;
  if (!isPlain || rest.some((word) => isOption(word.value) || canBeOption(word))) return reportOptions(call, context);
  if (!programs.every((program) => program !== undefined && isHarmlessSedProgram(program)))
    context.problem('The program of sed is not understood. It could run commands or write files.');
};

const checkAwk: CallHandler = (call, context) => {
  if (call.args.length === 1 && ['--version', '--help', '-W'].includes(call.args[0]?.value ?? '')) return;
  const read = readOptions(call.args, { values: 'Fv', longValues: ['field-separator', 'assign'] });
  const program = read?.operands[0]?.value;
  if (program === undefined) reportOptions(call, context);
  else checkAwkProgram(program, context);
};

function checkAwkProgram(program: string, context: CallContext): void {
  const withoutOr = program.replaceAll('||', '');
  const writes = program.includes('print') && program.includes('>');
  if (/system|getline|[|@\\]/.test(withoutOr.replaceAll(/\\[nt"/.]/g, '')) || writes)
    context.problem('The program of awk can run commands or write files.');
}

export const STREAM_EDITOR_HANDLERS: Readonly<Record<string, CallHandler>> = {
  sed: checkSed,
  gsed: checkSed,
  awk: checkAwk,
  gawk: checkAwk,
  mawk: checkAwk,
  nawk: checkAwk,
};
