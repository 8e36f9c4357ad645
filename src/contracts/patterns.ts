// Ground floor: looking for expressions in a text that grows, without holding up whoever lets it grow.

export interface Pattern {
  readonly name: string;
  readonly expression: string;
}

export interface PatternNews {
  /** These are in the text. */
  found(names: readonly string[]): void;
  /** This expression took too long, and is not looked for any more. */
  lost(name: string): void;
}

export interface PatternWatch {
  /** A new text begins, in which only these are looked for. */
  begin(names: readonly string[]): void;
  feed(text: string): void;
  /** Resolves when everything so far was looked at, or given up. */
  settled(): Promise<void>;
  close(): void;
}

export type WatchPatterns = (patterns: readonly Pattern[], news: PatternNews) => PatternWatch;
