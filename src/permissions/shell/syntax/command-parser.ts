// Parses command lines: lists, pipelines, conditions, groups and functions.
import { CompoundParser } from './compound-parser.ts';
import { type PendingHereDocument, readHereDocument } from './here-documents.ts';
import type { ParserOptions } from './nested-parser.ts';
import type { ShellFacts } from './shell-facts.ts';
import { WordBuilder } from './word-builder.ts';

/** Words that end a list of commands. */
const CLOSING_WORDS = ['then', 'elif', 'else', 'fi', 'do', 'done', 'esac', '}', 'in', ']]'];

export class CommandParser extends CompoundParser {
  static parse(text: string, facts: ShellFacts, options: ParserOptions): void {
    new CommandParser(text, facts, options).#parseAll();
  }

  #parseAll(): void {
    this.parseList();
    if (this.peek() !== '') this.failNear();
    if (this.pending.length > 0) this.fail('A here-document is not closed.');
  }

  protected override parseNested(text: string): void {
    CommandParser.parse(text, this.facts, { ...this.options, depth: this.depth });
  }

  protected override parseSubstitution(): void {
    const outer = this.pending;
    this.pending = [];
    this.outerPending += outer.length;
    this.parseList();
    this.expect(')');
    if (this.pending.length > 0) this.fail('A here-document begins after the end of its substitution.');
    this.outerPending -= outer.length;
    this.pending = outer;
  }

  protected override readPendingDocument(document: PendingHereDocument): void {
    const body = readHereDocument(this, document);
    document.here.text = document.isQuoted ? body : this.#expandBody(body);
  }

  #expandBody(body: string): string | undefined {
    const parser = new CommandParser(body, this.facts, { ...this.options, depth: this.depth });
    const word = new WordBuilder();
    while (parser.peek() !== '') parser.readQuotedPart(word, '');
    return word.build('').value;
  }

  /** Up to the end of the text, `)`, `;;` or a closing word. Returns how many commands there are. */
  protected override parseList(): number {
    for (let count = 0; ; count += 1) {
      this.skipLines();
      const character = this.peek();
      if (character === '' || character === ')' || this.isNext(';;') || this.isNext(';&')) return count;
      if (CLOSING_WORDS.includes(this.peekLiteral())) return count;
      this.#parseAndOr();
      this.skipBlanks();
      if (this.isNext(';;') || this.isNext(';&')) continue;
      if (this.accept(';') || this.accept('&')) continue;
      const next = this.peek();
      if (next !== '\n' && next !== '' && next !== ')') this.failNear();
    }
  }

  protected override parseBody(...closers: string[]): string {
    if (this.parseList() === 0) this.fail('A compound command is empty.');
    const closer = this.peekLiteral();
    if (!closers.includes(closer)) this.fail(`The shell syntax is not understood: "${closers[0]}" is missing.`);
    this.accept(closer);
    return closer;
  }

  #parseAndOr(): void {
    for (;;) {
      this.#parsePipeline();
      this.skipBlanks();
      if (!this.accept('&&') && !this.accept('||')) return;
      this.skipLines();
    }
  }

  #parsePipeline(): void {
    this.#parsePrefixes();
    for (;;) {
      this.nest(() => this.#parseCommand());
      this.skipBlanks();
      if (this.isNext('||')) return;
      if (this.accept('|&')) this.requireBash('|&');
      else if (!this.accept('|')) return;
      this.skipLines();
    }
  }

  /** `!` and `time`. */
  #parsePrefixes(): void {
    for (;;) {
      this.skipBlanks();
      const literal = this.peekLiteral();
      if (literal === 'time') {
        this.requireBash('time');
        this.accept('time');
        this.skipBlanks();
        if (this.peekLiteral() === '-p') this.accept('-p');
        this.skipBlanks();
        if (this.peek() === '-') this.fail('The options of time are not understood.');
      } else if (literal === '!') this.accept('!');
      else return;
    }
  }

  #parseCommand(): void {
    this.skipBlanks();
    const literal = this.peekLiteral();
    const compound = this.#findCompound(literal);
    if (compound) {
      if (['select', '[[', 'function'].includes(literal)) this.requireBash(literal);
      this.accept(literal);
      compound();
      this.parseRedirections();
    } else if (literal === '' && this.peek() === '(') this.#parseParentheses();
    else if (['!', 'time', 'coproc', ...CLOSING_WORDS].includes(literal)) this.failNear();
    else {
      const functionName = this.parseSimpleCommand();
      if (functionName !== undefined) this.#parseFunctionBody(functionName);
    }
  }

  /** The parser for what follows a reserved word. */
  #findCompound(literal: string): (() => void) | undefined {
    switch (literal) {
      case 'if':
        return () => this.#parseIf();
      case 'while':
      case 'until':
        return () => {
          this.parseBody('do');
          this.parseBody('done');
        };
      case 'for':
      case 'select':
        return () => this.parseFor();
      case 'case':
        return () => this.parseCase();
      case '{':
        return () => this.parseBody('}');
      case '[[':
        return () => this.parseTest();
      case 'function':
        return () => this.#parseFunctionKeyword();
      default:
        return undefined;
    }
  }

  #parseParentheses(): void {
    if (this.accept('((')) {
      this.requireBash('((');
      this.readArithmetic(')');
      this.expect(')');
    } else {
      this.accept('(');
      if (this.parseList() === 0) this.fail('A subshell is empty.');
      this.expect(')');
    }
    this.parseRedirections();
  }

  #parseIf(): void {
    this.parseBody('then');
    for (;;) {
      const closer = this.parseBody('fi', 'elif', 'else');
      if (closer === 'fi') return;
      if (closer === 'else') {
        this.parseBody('fi');
        return;
      }
      this.parseBody('then');
    }
  }

  #parseFunctionKeyword(): void {
    this.skipBlanks();
    const name = this.readWord();
    this.skipBlanks();
    if (this.accept('(')) {
      this.skipBlanks();
      this.expect(')');
    }
    if (!name.isLiteral) this.failNear();
    this.#parseFunctionBody(name.source);
  }

  /** The body must be a compound command, so that it cannot be confused with the next command. */
  #parseFunctionBody(name: string): void {
    if (!/^[A-Za-z_][\w-]*$/.test(name)) this.failNear();
    this.facts.functions.add(name);
    this.skipLines();
    const literal = this.peekLiteral();
    const isCompound = ['{', 'if', 'while', 'until', 'for', 'case'].includes(literal) || this.peek() === '(';
    if (!isCompound) this.failNear();
    this.nest(() => this.#parseCommand());
  }
}
