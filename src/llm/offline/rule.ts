// Compiles the rules that map phrases to intents.
import type { Intent } from './intent.ts';
import { QUOTE_TOKEN, type Quote } from './quoting.ts';

export interface Rule {
  pattern: RegExp;
  /** The intents, or `undefined` to try the next rule. */
  toIntents(part: (name: string) => string | undefined, quotes: readonly Quote[]): readonly Intent[] | undefined;
}

const FRAGMENTS: Readonly<Record<string, string>> = {
  QUOTE: QUOTE_TOKEN,
  /** A quote or one bare word. */
  WORD: `(?:${QUOTE_TOKEN}|[^\\s,;]+)`,
  IN: '(?:in|inside|within|under|from|of)',
};

/** A phrase that must match the whole clause, ignoring case. A space matches any white space, ` ?` optional white space. */
export function createRule(source: string, toIntents: Rule['toIntents']): Rule {
  const expanded = source.replace(/<(QUOTE|WORD|IN)>/g, (_, name: string) => FRAGMENTS[name] as string);
  // The empty named group ensures that `groups` exists for phrases without named groups.
  const spaced = expanded.replaceAll(' ?', '\\s*').replaceAll(' ', '\\s+');
  return { pattern: new RegExp(`^(?<_>)(?:${spaced})$`, 'isu'), toIntents };
}

/** A phrase that always has the same intent. */
export function createFixedRule(intent: Intent, source: string): Rule {
  return createRule(source, () => [intent]);
}
