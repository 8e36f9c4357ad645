// The hall: argv cut into flags and words, by the rules of Node's own `parseArgs`, which would take a start longer to load
// than to be asked. Knows which flags take a value, not what any of them means.

export interface FlagWord {
  readonly kind: 'option';
  readonly name: string;
  /** Where it stands in argv. */
  readonly index: number;
  readonly value: string | undefined;
  /** Whether the value stands in the same word (`--name=value`, `-nvalue`). */
  readonly inlineValue: boolean | undefined;
}

export type Word =
  | FlagWord
  | { readonly kind: 'positional'; readonly index: number; readonly value: string }
  | { readonly kind: 'option-terminator'; readonly index: number };

export interface Spelling {
  readonly takesValue: boolean;
  readonly short?: string | undefined;
}

export function cutWords(argv: readonly string[], flags: Readonly<Record<string, Spelling>>): Word[] {
  const long = new Map(Object.entries(flags));
  const short = new Map([...long].flatMap(([name, flag]) => (flag.short ? [[flag.short, name] as const] : [])));
  const words: Word[] = [];
  let index = 0;
  const push = (name: string, value?: string) =>
    words.push({ kind: 'option', name, index, value, inlineValue: value === undefined ? undefined : true });
  const pushWithNext = (name: string) => {
    const next = long.get(name)?.takesValue ? argv[index + 1] : undefined;
    if (next === undefined) {
      push(name);
      return;
    }
    words.push({ kind: 'option', name, index, value: next, inlineValue: false });
    index++;
  };
  for (; index < argv.length; index++) {
    const word = argv[index] ?? '';
    if (word === '--') {
      words.push({ kind: 'option-terminator', index });
      const rest = argv.slice(index + 1);
      return [...words, ...rest.map((value, at) => ({ kind: 'positional', index: index + 1 + at, value }) as const)];
    }
    const equals = word.includes('=', 3) ? word.indexOf('=') : -1;
    if (word.length < 2 || !word.startsWith('-')) words.push({ kind: 'positional', index, value: word });
    else if (word.startsWith('--')) {
      if (equals < 0) pushWithNext(word.slice(2));
      else push(word.slice(2, equals), word.slice(equals + 1));
    } else {
      cutLetters(word, (letter) => short.get(letter) ?? letter);
    }
  }
  return words;

  /** `-abc`: flags of one letter each, the last of which may take a value, from the same word or the next. */
  function cutLetters(word: string, nameOf: (letter: string) => string): void {
    const letters = word.slice(1);
    for (let at = 0; at < letters.length; at++) {
      const name = nameOf(letters.charAt(at));
      const rest = letters.slice(at + 1);
      const takesRest = rest !== '' && long.get(name)?.takesValue === true;
      if (takesRest) push(name, rest);
      else if (rest === '') pushWithNext(name);
      else push(name);
      if (takesRest) return;
    }
  }
}
