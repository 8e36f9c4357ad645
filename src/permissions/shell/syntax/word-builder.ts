// Collects the parts of one word and decides whether its value is known.
import type { ParsedWord } from './shell-facts.ts';

export class WordBuilder {
  #value = '';
  #isKnown = true;
  #canSplit = false;
  #isLiteral = true;
  #parts = 0;
  #kind: 'number' | 'process' | undefined;
  /** Progress of an unquoted `{ … , … }` or `{ … .. … }`. */
  #brace: 'none' | 'open' | 'separated' = 'none';
  #last = '';
  #hasBracket = false;
  #hasSubstitution = false;

  /** A character outside quotes. */
  addPlain(character: string): void {
    this.#parts += 1;
    const isWordStart = this.#value === '' && this.#isKnown && this.#parts === 1;
    if (character === '*' || character === '?') this.addUnknown(true);
    if (character === '[') this.#hasBracket = true;
    if (character === ']' && this.#hasBracket) this.addUnknown(true);
    if (character === '~' && (isWordStart || this.#last === ':' || this.#last === '=')) this.addUnknown(false);
    if (character === '{' && this.#brace === 'none') this.#brace = 'open';
    if (this.#brace === 'open' && (character === ',' || (character === '.' && this.#last === '.')))
      this.#brace = 'separated';
    if (character === '}' && this.#brace === 'separated') this.addUnknown(true);
    this.#last = character;
    this.#value += character;
  }

  /** Text from quotes or escapes. */
  addQuoted(text: string): void {
    this.#parts += 1;
    this.#isLiteral = false;
    // A bracket expression that contains quoted characters is still a pattern.
    if (this.#hasBracket && text.includes(']')) this.addUnknown(true);
    this.#last = '';
    this.#value += text;
  }

  addUnknown(canSplit: boolean, kind?: 'number' | 'process'): void {
    this.#parts += 1;
    this.#isKnown = false;
    this.#isLiteral = false;
    this.#canSplit ||= canSplit;
    this.#kind = this.#parts === 1 ? kind : undefined;
    this.#last = '';
  }

  /** The output of a command. */
  addSubstitution(canSplit: boolean): void {
    this.#hasSubstitution = true;
    this.addUnknown(canSplit);
  }

  get hasSubstitution(): boolean {
    return this.#hasSubstitution;
  }

  isEmpty(): boolean {
    return this.#parts === 0;
  }

  build(source: string): ParsedWord {
    if (this.#parts !== 1) this.#kind = undefined;
    return {
      value: this.#isKnown ? this.#value : undefined,
      source,
      canSplit: !this.#isKnown && this.#canSplit,
      isNumber: this.#kind === 'number',
      isLiteral: this.#isLiteral,
      isProcess: this.#kind === 'process',
      hasSubstitution: this.#hasSubstitution,
    };
  }
}
