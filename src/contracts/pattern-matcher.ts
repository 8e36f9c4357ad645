// Matches regular expressions against growing text, without blocking the caller.

export interface Pattern {
  readonly name: string;
  readonly expression: string;
  /** Additional flags of the regular expression. */
  readonly flags?: string | undefined;
}

export interface PatternListener {
  /** Called with the names of the patterns that matched. */
  onMatch(names: readonly string[]): void;
  /** Called when a pattern took too long. It is not matched any more. */
  onTimeout(name: string): void;
}

export interface PatternMatcher {
  /** Starts a new text, in which only these patterns are matched. */
  reset(names: readonly string[]): void;
  feed(text: string): void;
  /** Resolves when the text so far is matched, or matching has timed out. */
  waitUntilSettled(): Promise<void>;
  close(): void;
}

export type CreatePatternMatcher = (patterns: readonly Pattern[], listener: PatternListener) => PatternMatcher;

/** Whether each expression matches its text; `undefined` when it takes too long. An invalid expression matches any text. */
export type TestPatterns = (
  pairs: readonly { readonly expression: string; readonly text: string }[],
) => Promise<readonly (boolean | undefined)[]>;
