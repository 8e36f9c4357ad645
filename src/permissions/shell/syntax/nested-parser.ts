// What all parsers of shell text share: the collected facts, the limit of nesting, and which shell reads the text.
import type { ShellFacts } from './shell-facts.ts';
import { TextCursor } from './text-cursor.ts';

const MAX_NESTING = 40;

export interface ParserOptions {
  /** Otherwise only what all shells understand in the same way is accepted. */
  readonly isBash: boolean;
  readonly depth: number;
}

export abstract class NestedParser extends TextCursor {
  protected readonly facts: ShellFacts;
  protected readonly options: ParserOptions;
  protected depth: number;

  constructor(text: string, facts: ShellFacts, options: ParserOptions) {
    super(text);
    this.facts = facts;
    this.options = options;
    this.depth = options.depth;
  }

  /** Parses the commands up to `)`, which is consumed. */
  protected abstract parseSubstitution(): void;
  /** Parses commands in another text, one level deeper. */
  protected abstract parseNested(text: string): void;

  protected nest(parse: () => void): void {
    if (this.depth >= MAX_NESTING) this.fail('The command line is nested too deeply.');
    this.depth += 1;
    parse();
    this.depth -= 1;
  }

  protected requireBash(feature: string): void {
    if (!this.options.isBash) this.fail(`Not every shell understands ${feature}.`);
  }

  protected failNear(): never {
    this.fail(`The shell syntax is not understood near "${this.text.slice(this.position, this.position + 20)}".`);
  }
}
