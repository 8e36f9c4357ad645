// Reads the characters of a command line. Line continuations are removed everywhere except in raw text.
import { ShellSyntaxError } from './shell-facts.ts';

export class TextCursor {
  readonly text: string;
  position = 0;
  /** The position after the last character that was consumed. */
  end = 0;

  constructor(text: string) {
    this.text = text;
  }

  /** The next character; empty at the end of the text. */
  peek(): string {
    while (this.text[this.position] === '\\' && this.text[this.position + 1] === '\n') this.position += 2;
    return this.text[this.position] ?? '';
  }

  next(): string {
    this.peek();
    return this.nextRaw();
  }

  /** Does not remove line continuations. */
  nextRaw(): string {
    const character = this.text[this.position] ?? '';
    this.position += character.length;
    this.end = this.position;
    return character;
  }

  /** Consumes `expected` if it is next. */
  accept(expected: string): boolean {
    if (!this.isNext(expected)) return false;
    for (const _ of expected) this.next();
    return true;
  }

  isNext(expected: string): boolean {
    let at = this.position;
    for (let index = 0; index < expected.length; index += 1) {
      while (this.text[at] === '\\' && this.text[at + 1] === '\n') at += 2;
      if (this.text[at] !== expected[index]) return false;
      at += 1;
    }
    return true;
  }

  /** Consumes characters while they match. `pattern` tests one character. */
  takeWhile(pattern: RegExp): string {
    let taken = '';
    while (this.peek() !== '' && pattern.test(this.peek())) taken += this.next();
    return taken;
  }

  fail(message: string): never {
    throw new ShellSyntaxError(message);
  }

  expect(expected: string): void {
    if (!this.accept(expected)) this.fail(`The shell syntax is not understood: "${expected}" is missing.`);
  }
}
