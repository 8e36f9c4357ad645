// First floor, llm: how one line of the phrase table is written.
import type { Intent } from './intent.ts';
import { QUOTE, type Quote } from './quoting.ts';

export interface Rule {
  form: RegExp;
  /** The intents meant, or `undefined` to let a later rule try. */
  read(part: (name: string) => string | undefined, quotes: readonly Quote[]): readonly Intent[] | undefined;
}

const FRAGMENTS: Readonly<Record<string, string>> = {
  QUOTE,
  /** A quote or one bare word. */
  WORD: `(?:${QUOTE}|[^\\s,;]+)`,
  IN: '(?:in|inside|within|under|from|of)',
};

/** A phrase: matched as a whole, upper and lower case alike. A blank stands for any white space, ` ?` for perhaps some. */
export function phrase(source: string, read: Rule['read']): Rule {
  const filled = source.replace(/<(QUOTE|WORD|IN)>/g, (_, name: string) => FRAGMENTS[name] as string);
  // The empty named group makes `groups` exist for phrases without parts of their own.
  const spaced = filled.replaceAll(' ?', '\\s*').replaceAll(' ', '\\s+');
  return { form: new RegExp(`^(?<_>)(?:${spaced})$`, 'isu'), read };
}

/** A phrase that always means the same. */
export function fixed(intent: Intent, source: string): Rule {
  return phrase(source, () => [intent]);
}
