// Splits argv into flags and positionals, by the rules of Node's `parseArgs`. Loading node:util would slow down the startup.

export interface FlagToken {
  readonly kind: 'option';
  readonly name: string;
  /** Index in argv. */
  readonly index: number;
  readonly value: string | undefined;
  /** True when the value is in the same argument (`--name=value`, `-nvalue`). */
  readonly inlineValue: boolean | undefined;
}

export type ArgumentToken =
  | FlagToken
  | { readonly kind: 'positional'; readonly index: number; readonly value: string }
  | { readonly kind: 'option-terminator'; readonly index: number };

export interface FlagSyntax {
  readonly takesValue: boolean;
  readonly short?: string | undefined;
}

export function tokenizeArguments(
  argv: readonly string[],
  flags: Readonly<Record<string, FlagSyntax>>,
): ArgumentToken[] {
  const long = new Map(Object.entries(flags));
  const short = new Map([...long].flatMap(([name, flag]) => (flag.short ? [[flag.short, name] as const] : [])));
  const tokens: ArgumentToken[] = [];
  let index = 0;
  const push = (name: string, value?: string) =>
    tokens.push({ kind: 'option', name, index, value, inlineValue: value === undefined ? undefined : true });
  const pushWithNext = (name: string) => {
    const next = long.get(name)?.takesValue ? argv[index + 1] : undefined;
    if (next === undefined) {
      push(name);
      return;
    }
    tokens.push({ kind: 'option', name, index, value: next, inlineValue: false });
    index++;
  };
  for (; index < argv.length; index++) {
    const argument = argv[index] ?? '';
    if (argument === '--') {
      tokens.push({ kind: 'option-terminator', index });
      const rest = argv.slice(index + 1);
      return [...tokens, ...rest.map((value, at) => ({ kind: 'positional', index: index + 1 + at, value }) as const)];
    }
    const equals = argument.includes('=', 3) ? argument.indexOf('=') : -1;
    if (argument.length < 2 || !argument.startsWith('-')) tokens.push({ kind: 'positional', index, value: argument });
    else if (argument.startsWith('--')) {
      if (equals < 0) pushWithNext(argument.slice(2));
      else push(argument.slice(2, equals), argument.slice(equals + 1));
    } else {
      tokenizeShortFlags(argument, (letter) => short.get(letter) ?? letter);
    }
  }
  return tokens;

  /** `-abc`: flags of one letter each. The last one may take a value, from the same argument or the next. */
  function tokenizeShortFlags(argument: string, getName: (letter: string) => string): void {
    const letters = argument.slice(1);
    for (let at = 0; at < letters.length; at++) {
      const name = getName(letters.charAt(at));
      const rest = letters.slice(at + 1);
      const takesRest = rest !== '' && long.get(name)?.takesValue === true;
      if (takesRest) push(name, rest);
      else if (rest === '') pushWithNext(name);
      else push(name);
      if (takesRest) return;
    }
  }
}
