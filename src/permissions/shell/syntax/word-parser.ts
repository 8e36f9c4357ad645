// Parses words: quotes, escapes, variables, arithmetic and substitutions. Anything unusual is an error, so that nothing is misread.
import { noteArithmeticName, noteArithmeticSource, noteVariable } from '../variables.ts';
import { readAnsiCQuotes } from './ansi-c-quotes.ts';
import { NestedParser } from './nested-parser.ts';
import { MAX_WORDS, type ParsedWord } from './shell-facts.ts';
import { WordBuilder } from './word-builder.ts';

export const METACHARACTERS = ' \t\n|&;()<>';
const NAME_START = /[A-Za-z_]/;
const NAME_PART = /[A-Za-z0-9_]/;
/** Some versions of bash treat some of them as blanks, and a reader cannot see them. */
const UNUSUAL_SPACES = /[\u0085\u00a0\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff]/;

export abstract class WordParser extends NestedParser {
  /** Empty words are returned too; the caller checks that a word can start here. */
  protected readWord(): ParsedWord {
    this.facts.wordCount += 1;
    if (this.facts.wordCount > MAX_WORDS) this.fail('The command line has too many words.');
    const word = new WordBuilder();
    this.peek();
    const start = this.position;
    this.end = start;
    for (;;) {
      const character = this.peek();
      if (character === '') break;
      if (!METACHARACTERS.includes(character)) this.#readPart(word);
      else if (this.isNext('<(') || this.isNext('>(')) this.#readProcessSubstitution(word);
      else break;
    }
    if (word.isEmpty()) this.fail(`The shell syntax is not understood near "${this.text.slice(start, start + 20)}".`);
    return word.build(this.text.slice(start, this.end));
  }

  #readPart(word: WordBuilder): void {
    const character = this.next();
    if (character === '\\') {
      const escaped = this.nextRaw();
      if (escaped === '') this.fail('The command line ends with a backslash.');
      word.addQuoted(escaped);
    } else if (character === "'") word.addQuoted(this.#readSingleQuotes());
    else if (character === '"') this.#readDoubleQuotes(word);
    else if (character === '$') this.#readDollar(word, false);
    else if (character === '`') this.#readBackquotes(word, false);
    else {
      if (UNUSUAL_SPACES.test(character)) this.facts.problems.add('A space or an invisible character is not ASCII.');
      word.addPlain(character);
    }
  }

  #readSingleQuotes(): string {
    const close = this.text.indexOf("'", this.position);
    if (close < 0) this.fail('A quote is not closed.');
    const value = this.text.slice(this.position, close);
    this.position = close + 1;
    this.end = this.position;
    return value;
  }

  #readDoubleQuotes(word: WordBuilder): void {
    word.addQuoted('');
    while (!this.accept('"')) this.readQuotedPart(word, '"');
  }

  /** One part of a text in double quotes or of a here-document. `quote` is what a backslash can escape besides `$`, a backquote and itself. */
  protected readQuotedPart(word: WordBuilder, quote: '"' | ''): void {
    const character = this.next();
    if (character === '') this.fail('A quote is not closed.');
    if (character === '$') this.#readDollar(word, true);
    else if (character === '`') this.#readBackquotes(word, true);
    else if (character === '\\') {
      const escaped = this.text[this.position] ?? '';
      const isEscape = escaped !== '' && `$\`\\${quote}`.includes(escaped);
      word.addQuoted(isEscape ? this.nextRaw() : '\\');
    } else word.addQuoted(character);
  }

  #readProcessSubstitution(word: WordBuilder): void {
    this.requireBash('process substitution');
    this.next();
    this.next();
    this.nest(() => this.parseSubstitution());
    word.addUnknown(false, 'process');
  }

  /** After `$`. */
  #readDollar(word: WordBuilder, isQuoted: boolean): void {
    const character = this.peek();
    if (this.accept('((')) {
      this.nest(() => this.readArithmetic(')'));
      this.expect(')');
      word.addUnknown(!isQuoted, 'number');
    } else if (this.accept('(')) {
      this.nest(() => this.parseSubstitution());
      word.addSubstitution(!isQuoted);
    } else if (this.accept('{')) this.nest(() => this.#readParameter(word, isQuoted));
    else if (character === '[') this.fail('The arithmetic expansion $[…] is obsolete.');
    else if (NAME_START.test(character)) {
      this.takeWhile(NAME_PART);
      word.addUnknown(!isQuoted);
    } else if (character !== '' && '@*'.includes(character)) {
      this.next();
      word.addUnknown(true);
    } else if (character !== '' && '#?$!-0123456789'.includes(character)) {
      this.next();
      word.addUnknown(!isQuoted, '#?$!'.includes(character) ? 'number' : undefined);
    } else if (isQuoted) word.addQuoted('$');
    else if (character === "'" || character === '"') this.#readDollarQuotes(word);
    else word.addPlain('$');
  }

  #readDollarQuotes(word: WordBuilder): void {
    this.requireBash("$'…'");
    if (this.next() === "'") word.addQuoted(readAnsiCQuotes(this));
    else this.#readDoubleQuotes(word);
  }

  /** After the opening backquote. The text is parsed after one level of backslashes is removed. */
  #readBackquotes(word: WordBuilder, isQuoted: boolean): void {
    let text = '';
    for (;;) {
      const character = this.nextRaw();
      if (character === '') this.fail('A backquote is not closed.');
      if (character === '`') break;
      if (character !== '\\') {
        text += character;
        continue;
      }
      const escaped = this.nextRaw();
      if (escaped === '\n' || (escaped === '"' && isQuoted)) this.fail('A backslash in backquotes is not understood.');
      text += escaped !== '' && '$`\\'.includes(escaped) ? escaped : `\\${escaped}`;
    }
    // How many backslashes a quote needs in nested backquotes depends on the shell.
    if (text.includes('`') && /["'\\]/.test(text)) this.fail('Quotes in nested backquotes are not understood.');
    this.nest(() => this.parseNested(text));
    word.addSubstitution(!isQuoted);
  }

  /** After `${`. */
  #readParameter(word: WordBuilder, isQuoted: boolean): void {
    if (this.isNext('#}') || this.isNext('#-') || this.isNext('#:'))
      this.fail('A parameter expansion is not understood.');
    const isLength = this.accept('#');
    const name = NAME_START.test(this.peek()) ? this.takeWhile(NAME_PART) : this.takeWhile(/[0-9]/) || this.next();
    if (!/^([A-Za-z_]\w*|[0-9]+|[@*#?$_-])$/.test(name)) this.fail('A parameter expansion is not understood.');
    let isList = name === '@' || name === '*';
    if (this.peek() === '[' && this.accept('[')) {
      if (this.accept('@]') || this.accept('*]')) isList = true;
      else this.readArithmetic(']');
    }
    if (isLength) {
      this.expect('}');
      word.addUnknown(!isQuoted, 'number');
      return;
    }
    const hasList = this.#readParameterOperation(word, name, isQuoted);
    word.addUnknown(!isQuoted || isList || hasList);
  }

  /** Up to `}`. Returns whether the operand contains a list such as `$@`. */
  #readParameterOperation(word: WordBuilder, name: string, isQuoted: boolean): boolean {
    if (this.accept('}')) return false;
    const start = this.position;
    if (this.accept('@')) {
      const letter = this.next();
      if (!'QEAaKkuUL'.includes(letter) || letter === '')
        this.fail('A parameter expansion runs or reads another text.');
      this.expect('}');
      return true;
    }
    const isSlice = this.peek() === ':' && !/[-=+?]/.test(this.text[this.position + 1] ?? '');
    if (isSlice) {
      this.requireBash('substring expansion');
      this.accept(':');
      this.readArithmetic('}');
      return true;
    }
    if (!/[-:=+?#%/^,]/.test(this.peek())) this.fail('A parameter expansion is not understood.');
    if (/[/^,]/.test(this.peek())) this.requireBash('pattern substitution');
    if (this.isNext('=') || this.isNext(':=')) noteVariable(this.facts, name, undefined);
    this.next();
    const operand = new WordBuilder();
    while (!this.accept('}')) this.#readOperandPart(operand, isQuoted);
    if (operand.hasSubstitution) word.addSubstitution(!isQuoted);
    return this.text.slice(start, this.position).includes('@');
  }

  #readOperandPart(operand: WordBuilder, isQuoted: boolean): void {
    const character = this.peek();
    if (character === '') this.fail('A parameter expansion is not closed.');
    if (character === '{' || this.isNext('<(') || this.isNext('>('))
      this.fail('A parameter expansion is not understood.');
    if (!isQuoted) this.#readPart(operand);
    else if (character === "'" || character === '"' || character === '\\')
      this.fail('Quotes in a parameter expansion are not understood.');
    else this.readQuotedPart(operand, '"');
  }

  /** Up to `close`, which is consumed. Names in it are evaluated by the shell, and their values too. */
  protected readArithmetic(close: ')' | ']' | '}' | ';'): void {
    const word = new WordBuilder();
    let open = 0;
    for (;;) {
      const character = this.peek();
      if (open === 0 && this.accept(close)) return;
      if (NAME_START.test(character)) noteArithmeticName(this.facts, this.takeWhile(NAME_PART));
      else if (/[0-9]/.test(character)) this.takeWhile(/[0-9A-Za-z_#@]/);
      else if (character === '$' || character === '`') {
        this.facts.hasArithmeticNames = true;
        const start = this.position;
        this.readQuotedPart(word, '"');
        noteArithmeticSource(this.facts, this.text.slice(start, this.position));
        if (word.hasSubstitution) this.facts.hasUnsafeValues = true;
      } else if (character !== '' && ' \t\n+-*/%<>=!&|^~?:,()[].'.includes(character)) {
        if (character === '(' || character === '[') open += 1;
        if (character === ')' || character === ']') open -= 1;
        if (open < 0) this.fail('An arithmetic expression is not understood.');
        this.next();
      } else this.fail('An arithmetic expression is not understood.');
    }
  }
}
