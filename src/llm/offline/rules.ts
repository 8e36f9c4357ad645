// First floor, llm: the table from English phrases to intents. First match wins; a rule may decline what it matched.
import type { Intent } from './intent.ts';
import type { Quote } from './quoting.ts';
import type { Rule } from './rule.ts';
import { conversationRules } from './rules-conversation.ts';
import { fileRules } from './rules-files.ts';
import { lookingRules } from './rules-looking.ts';

const RULES: readonly Rule[] = [...conversationRules, ...fileRules, ...lookingRules];

/** What one clause asks for, its politeness already taken off; `undefined` when no rule knows it. */
export function matchClause(clause: string, quotes: readonly Quote[]): readonly Intent[] | undefined {
  for (const { form, read } of RULES) {
    const groups = form.exec(clause)?.groups;
    const intents = groups && read((name) => groups[name], quotes);
    if (intents) return intents;
  }
  return undefined;
}
