// Parses `for`, `select`, `case` and the expressions in `[[ ]]`.
import { noteVariable } from '../variables.ts';
import { isSafeValue, namesShellText } from './shell-facts.ts';
import { SimpleCommandParser } from './simple-command-parser.ts';

export abstract class CompoundParser extends SimpleCommandParser {
  /** Up to the end of the text, `)`, `;;` or a closing word. Returns how many commands there are. */
  protected abstract parseList(): number;
  /** A list up to one of these words, which is consumed and returned. */
  protected abstract parseBody(...closers: string[]): string;

  protected parseFor(): void {
    this.skipBlanks();
    if (this.accept('((')) {
      this.requireBash('for ((');
      this.readArithmetic(';');
      this.readArithmetic(';');
      this.readArithmetic(')');
      this.expect(')');
      this.skipBlanks();
      this.accept(';');
    } else this.#parseForWords();
    this.skipLines();
    if (this.peekLiteral() !== 'do') this.failNear();
    this.accept('do');
    this.parseBody('done');
  }

  #parseForWords(): void {
    const name = this.readWord();
    if (!name.isLiteral || !/^[A-Za-z_]\w*$/.test(name.source)) this.failNear();
    this.skipLines();
    if (this.peekLiteral() === 'in') {
      this.accept('in');
      for (;;) {
        this.skipBlanks();
        if (this.accept(';') || this.peek() === '\n') return;
        noteVariable(this.facts, name.source, this.readWord());
      }
    }
    noteVariable(this.facts, name.source, undefined);
    this.accept(';');
  }

  protected parseCase(): void {
    this.skipBlanks();
    this.readWord();
    this.skipLines();
    if (this.peekLiteral() !== 'in') this.failNear();
    this.accept('in');
    for (;;) {
      this.skipLines();
      if (this.peekLiteral() === 'esac') break;
      this.accept('(');
      do {
        this.skipBlanks();
        this.readWord();
        this.skipBlanks();
      } while (this.accept('|'));
      this.expect(')');
      this.parseList();
      this.skipBlanks();
      if (!this.accept(';;&') && !this.accept(';;') && !this.accept(';&')) break;
    }
    this.skipLines();
    if (this.peekLiteral() !== 'esac') this.failNear();
    this.accept('esac');
  }

  /** After `[[`. */
  protected parseTest(): void {
    let previous = '';
    let isArithmetic = false;
    let isUnsafe = false;
    let hasRegex = false;
    for (;;) {
      this.skipLines();
      if (this.peekLiteral() === ']]') break;
      const operator = ['&&', '||', '(', ')', '<', '>'].find((one) => this.isNext(one));
      if (operator !== undefined && !this.isNext('<(') && !this.isNext('>(')) {
        if (previous === '=~' || (operator === '(' && hasRegex)) this.fail('A regular expression is not understood.');
        this.accept(operator);
        previous = operator;
        continue;
      }
      const word = this.readWord();
      isArithmetic ||= /^-(eq|ne|lt|le|gt|ge)$/.test(word.source);
      isUnsafe ||=
        word.hasSubstitution || (word.value !== undefined && !isSafeValue(word)) || namesShellText(word.source);
      if ((previous === '-v' || previous === '-R') && !/^\w+$/.test(word.value ?? ''))
        this.fail('A subscript is not understood.');
      hasRegex ||= word.source === '=~';
      previous = word.source;
    }
    this.accept(']]');
    this.facts.hasArithmeticNames ||= isArithmetic;
    this.facts.hasUnsafeValues ||= isArithmetic && isUnsafe;
  }
}
