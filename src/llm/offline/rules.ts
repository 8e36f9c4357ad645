// The table of rules that map English phrases to intents. The first rule that matches and returns intents wins.

import { conversationRules } from './conversation-rules.ts';
import { fileRules } from './file-rules.ts';
import type { Intent } from './intent.ts';
import type { Quote } from './quoting.ts';
import { readOnlyRules } from './read-only-rules.ts';
import type { Rule } from './rule.ts';

const RULES: readonly Rule[] = [...conversationRules, ...fileRules, ...readOnlyRules];

/** The intents of a clause without politeness; `undefined` when no rule matches. */
export function matchClause(clause: string, quotes: readonly Quote[]): readonly Intent[] | undefined {
  for (const { pattern, toIntents } of RULES) {
    const groups = pattern.exec(clause)?.groups;
    const intents = groups && toIntents((name) => groups[name], quotes);
    if (intents) return intents;
  }
  return undefined;
}
