// Ground floor: looking for expressions in a text that grows, without holding up whoever lets it grow.

export interface Pattern {
  readonly name: string;
  readonly expression: string;
  /** Beside those that looking for it needs. */
  readonly flags?: string | undefined;
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

/** Whether each expression is found in its text; `undefined` when one takes too long. What is no expression is found in any. */
export type TryPatterns = (
  pairs: readonly { readonly expression: string; readonly text: string }[],
) => Promise<readonly (boolean | undefined)[]>;
