// Validates JSON against an untrusted schema. Its regular expressions are tested with a time limit, because a bad one may never finish.
import type { TestPatterns } from '../../contracts/index.ts';
import { type CheckResult, checkJson } from './json-schema.ts';

export interface PatternOptions {
  readonly testPatterns: TestPatterns;
  /** Called once per expression and round. An expression that timed out counts as a match. */
  onTimeout(expression: string): void;
}

/** Like `checkJson`. Works in rounds: each round tests the expressions that the check reached for the first time. */
export async function checkJsonAsync(schema: unknown, value: unknown, options: PatternOptions): Promise<CheckResult> {
  const knownMatches = new Map<string, Map<string, boolean>>();
  for (;;) {
    const pending: { expression: string; text: string }[] = [];
    const matchesPattern = (expression: string, text: string) => {
      const knownMatch = knownMatches.get(expression)?.get(text);
      if (knownMatch === undefined) pending.push({ expression, text });
      return knownMatch ?? true;
    };
    const checked = checkJson(schema, value, matchesPattern);
    if (pending.length === 0) return checked;
    const matches = await options.testPatterns(pending);
    const timedOut = new Set<string>();
    for (const [at, { expression, text }] of pending.entries()) {
      if (matches[at] === undefined) timedOut.add(expression);
      knownMatches.set(
        expression,
        (knownMatches.get(expression) ?? new Map<string, boolean>()).set(text, matches[at] ?? true),
      );
    }
    timedOut.forEach(options.onTimeout);
  }
}
