// Parses simple commands: assignments, words and redirections.
import { noteAssignment } from '../variables.ts';
import type { PendingHereDocument } from './here-documents.ts';
import { type HereText, MAX_COMMANDS, noteRedirection, type ParsedWord } from './shell-facts.ts';
import { METACHARACTERS, WordParser } from './word-parser.ts';

const DECLARATIONS = ['declare', 'typeset', 'local', 'export', 'readonly'];
const REDIRECTIONS = ['&>>', '&>', '<<<', '<<-', '<<', '<&', '<>', '<', '>>', '>&', '>|', '>'];
const MAX_LITERAL = 10;

export abstract class SimpleCommandParser extends WordParser {
  /** Here-documents whose bodies begin at the next newline. */
  protected pending: PendingHereDocument[] = [];
  /** How many here-documents of the enclosing commands wait for their bodies. */
  protected outerPending = 0;

  protected abstract readPendingDocument(document: PendingHereDocument): void;

  /** Blanks and a comment. */
  protected skipBlanks(): void {
    while (this.peek() === ' ' || this.peek() === '\t') this.next();
    if (this.peek() !== '#') return;
    const newline = this.text.indexOf('\n', this.position);
    this.position = newline < 0 ? this.text.length : newline;
  }

  /** Blanks, comments, newlines, and the here-documents that follow a newline. */
  protected skipLines(): void {
    for (;;) {
      this.skipBlanks();
      if (!this.accept('\n')) return;
      if (this.outerPending > 0) this.fail('A here-document begins inside another command.');
      const documents = this.pending;
      this.pending = [];
      for (const document of documents) this.readPendingDocument(document);
    }
  }

  /** The next word if it is short and consists of plain characters only; it is not consumed. Otherwise empty. */
  protected peekLiteral(): string {
    const { position, end } = this;
    let literal = '';
    for (;;) {
      const character = this.peek();
      if (character === '' || METACHARACTERS.includes(character)) break;
      if ('\\\'"$`'.includes(character) || literal.length > MAX_LITERAL) {
        literal = '';
        break;
      }
      literal += this.next();
    }
    this.position = position;
    this.end = end;
    return literal;
  }

  /** Returns a name when the text begins the definition of a function; its `()` is consumed. */
  protected parseSimpleCommand(): string | undefined {
    const words: ParsedWord[] = [];
    const assignments: string[] = [];
    let input: HereText | undefined;
    this.peek();
    const start = this.position;
    this.end = start;
    for (;;) {
      this.skipBlanks();
      const redirection = this.#parseRedirection();
      if (redirection !== undefined) {
        input = redirection.input ?? input;
        continue;
      }
      const character = this.peek();
      const isProcess = this.isNext('<(') || this.isNext('>(');
      if (character === '' || (METACHARACTERS.includes(character) && !isProcess)) break;
      const assigned = words.length === 0 ? this.#parseAssignment() : undefined;
      if (assigned !== undefined) {
        assignments.push(assigned);
        continue;
      }
      const word = this.readWord();
      words.push(this.#completeDeclaration(words[0], word));
      if (words.length > 1 || assignments.length > 0) continue;
      this.skipBlanks();
      if (this.peek() === '(') return this.#parseFunctionName(word);
    }
    if (this.end === start) this.fail('A command is missing.');
    if (this.facts.commands.length >= MAX_COMMANDS) this.fail('The command line has too many commands.');
    const source = this.text.slice(start, this.end);
    this.facts.commands.push({ source, words, assignments, input });
    return undefined;
  }

  #parseFunctionName(word: ParsedWord): string {
    this.accept('(');
    this.skipBlanks();
    this.expect(')');
    if (!word.isLiteral) this.fail('The name of a function is not understood.');
    return word.source;
  }

  /** `declare a=(…)`: only these commands accept a list in an argument. */
  #completeDeclaration(first: ParsedWord | undefined, word: ParsedWord): ParsedWord {
    if (this.text[this.position] !== '(' || !first?.isLiteral || !DECLARATIONS.includes(first.source)) return word;
    const name = /^([A-Za-z_]\w*)\+?=$/.exec(word.source)?.[1];
    if (name === undefined) return word;
    this.#parseArray(name);
    return { ...word, value: undefined };
  }

  /** Returns the name of the variable, or `undefined` when the next word is not an assignment. */
  #parseAssignment(): string | undefined {
    const { position, end } = this;
    const name = /[A-Za-z_]/.test(this.peek()) ? this.takeWhile(/[A-Za-z0-9_]/) : '';
    const isElement = name !== '' && this.accept('[');
    if (isElement) {
      this.requireBash('arrays');
      this.facts.hasArrays = true;
      this.readArithmetic(']');
    }
    const isAssignment = name !== '' && (this.accept('+=') || this.accept('='));
    if (!isAssignment) {
      if (isElement) this.fail('A subscript is not understood.');
      this.position = position;
      this.end = end;
      return undefined;
    }
    if (this.peek() === '(') this.#parseArray(name);
    else if (this.peek() === '' || METACHARACTERS.includes(this.peek())) this.#noteEmptyValue(name);
    else noteAssignment(this.facts, name, this.readWord());
    return name;
  }

  #noteEmptyValue(name: string): void {
    if (this.isNext('<(') || this.isNext('>(')) noteAssignment(this.facts, name, this.readWord());
    else noteAssignment(this.facts, name, { value: '', source: '', canSplit: false });
  }

  #parseArray(name: string): void {
    this.requireBash('arrays');
    this.facts.hasArrays = true;
    this.accept('(');
    noteAssignment(this.facts, name, { value: '', source: '', canSplit: false });
    for (;;) {
      this.skipLines();
      if (this.accept(')')) return;
      if (this.peek() === '[') this.fail('A subscript is not understood.');
      noteAssignment(this.facts, name, this.readWord());
    }
  }

  /** After a compound command. */
  protected parseRedirections(): void {
    do this.skipBlanks();
    while (this.#parseRedirection() !== undefined);
  }

  #parseRedirection(): { input: HereText | undefined } | undefined {
    const { position, end } = this;
    const descriptor = this.takeWhile(/[0-9]/);
    const operator = this.#acceptRedirectionOperator(descriptor);
    if (operator === undefined) {
      if (this.peek() === '{' && /^\{\w+(\[[^\]\s]*\])?\}[<>]/.test(this.text.slice(position, position + 200)))
        this.fail('A redirection to a variable is not understood.');
      this.position = position;
      this.end = end;
      return undefined;
    }
    this.skipBlanks();
    if (operator === '<<' || operator === '<<-') return { input: this.#beginHereDocument(operator, descriptor) };
    const target = this.readWord();
    if (operator === '<<<') {
      this.requireBash('<<<');
      const text = target.value === undefined ? undefined : `${target.value}\n`;
      return { input: descriptor === '' || descriptor === '0' ? { text } : undefined };
    }
    this.#noteRedirection(operator, target);
    return { input: undefined };
  }

  #acceptRedirectionOperator(descriptor: string): string | undefined {
    if (!'&<>'.includes(this.peek()) || this.isNext('<(') || this.isNext('>(')) return undefined;
    const operator = REDIRECTIONS.find((one) => this.isNext(one));
    if (operator === undefined || (descriptor !== '' && operator.startsWith('&'))) return undefined;
    if (operator.startsWith('&')) this.requireBash('&>');
    this.accept(operator);
    return operator;
  }

  #beginHereDocument(operator: '<<' | '<<-', descriptor: string): HereText | undefined {
    const delimiter = this.readWord();
    if (delimiter.value === undefined || /[$`\n]/.test(delimiter.source))
      this.fail('The delimiter of a here-document is not understood.');
    const here: HereText = { text: undefined };
    const isQuoted = /['"\\]/.test(delimiter.source);
    this.pending.push({ delimiter: delimiter.value, isQuoted, stripsTabs: operator === '<<-', here });
    return descriptor === '' || descriptor === '0' ? here : undefined;
  }

  #noteRedirection(operator: string, target: ParsedWord): void {
    if (target.isProcess) return;
    const { value } = target;
    const isDuplication = operator === '>&' || operator === '<&';
    if (isDuplication && value !== undefined && /^([0-9]+-?|-)$/.test(value)) return;
    if (isDuplication) {
      if (operator === '<&') this.fail('A redirection is not understood.');
      this.requireBash('>& with a file');
    }
    if (value === '/dev/null') return;
    if (value?.startsWith('/dev/tcp/') || value?.startsWith('/dev/udp/'))
      this.facts.problems.add('A redirection opens a network connection.');
    noteRedirection(this.facts, operator === '<' ? 'read' : 'write', target);
    if (operator === '<>') noteRedirection(this.facts, 'read', target);
  }
}
