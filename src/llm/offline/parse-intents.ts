// Parses the text of a message into a list of intents.
import { conversationRules } from './conversation-rules.ts';
import { fileRules } from './file-rules.ts';
import type { Intent } from './intent.ts';
import { stripPoliteness } from './phrases.ts';
import { maskQuotes, type Quote, unmaskQuotes } from './quoting.ts';
import { readOnlyRules } from './read-only-rules.ts';
import type { Rule } from './rule.ts';
import { abbreviate } from './text-format.ts';

// Longer texts are pasted material. Searching it for requests would be unreliable and slow.
const MAX_SENTENCE = 2000;
const MAX_PARTS = 60;
/** White space outside quotes is collapsed, so that long runs do not slow down the rules. */
const SPACES = /\s+/g;
const LIST_MARKERS = /^[ \t]*(?:[-*•]|\d+[.)])\s+/gm;
const SEPARATORS = /\s*[;\n]+\s*|\s*,\s*|[.!?]+\s+|\s+(?:and then|and|then|&&)\s+/gi;

interface Range {
  start: number;
  end: number;
}

/** The intents of a text. Empty for an empty text; `unclear` for text that no rule matches. */
export function parseIntents(text: string): readonly Intent[] {
  const masked = maskQuotes(text.trim());
  const sentence = masked.text.replace(LIST_MARKERS, '').replaceAll('’', "'").replace(SPACES, collapseSpace);
  if (sentence === '') return [];
  const parts = sentence.length > MAX_SENTENCE ? [] : splitAtSeparators(sentence);
  if (parts.length === 0 || parts.length > MAX_PARTS) return [{ kind: 'unclear', request: abbreviate(text) }];
  return splitClauses(sentence, parts, masked.quotes).flatMap((clause) => parseClause(clause, masked.quotes));
}

function collapseSpace(run: string): string {
  return run.includes('\n') ? '\n' : ' ';
}

/**
 * Splits a sentence into requests. "and" also occurs inside requests, so a separator counts only when the text after it is
 * a request by itself. Otherwise the part is joined to the previous one, if the result is a request.
 */
function splitClauses(sentence: string, parts: readonly Range[], quotes: readonly Quote[]): string[] {
  const ranges: Range[] = [];
  const isRequestRange = (start: number, end: number) => isRequest(sentence.slice(start, end), quotes);
  parts.forEach((part, index) => {
    const last = ranges.at(-1);
    const next = parts[index + 1];
    const isSeparateRequest =
      isRequestRange(part.start, part.end) || (next !== undefined && isRequestRange(part.start, next.end));
    if (!last || isSeparateRequest) ranges.push({ ...part });
    else if (isRequestRange(last.start, part.end) || !isRequestRange(last.start, last.end)) last.end = part.end;
    else ranges.push({ ...part });
  });
  return ranges.map(({ start, end }) => sentence.slice(start, end));
}

function splitAtSeparators(sentence: string): Range[] {
  const ranges: Range[] = [];
  let start = 0;
  for (const separator of sentence.matchAll(SEPARATORS)) {
    if (separator.index > start) ranges.push({ start, end: separator.index });
    start = separator.index + separator[0].length;
  }
  if (start < sentence.length) ranges.push({ start, end: sentence.length });
  return ranges;
}

function matchIntents(clause: string, quotes: readonly Quote[]): readonly Intent[] | undefined {
  return matchClause(stripPoliteness(clause), quotes) ?? matchClause(clause.trim(), quotes);
}

function isRequest(clause: string, quotes: readonly Quote[]): boolean {
  return matchIntents(clause, quotes)?.every((intent) => intent.kind !== 'unclear') ?? false;
}

function parseClause(clause: string, quotes: readonly Quote[]): readonly Intent[] {
  const intents = matchIntents(clause, quotes);
  const request = abbreviate(unmaskQuotes(clause, quotes));
  if (!intents) return [{ kind: 'unclear', request }];
  return intents.map((intent) => (intent.kind === 'unclear' ? { ...intent, request } : intent));
}

const RULES: readonly Rule[] = [...conversationRules, ...fileRules, ...readOnlyRules];

/** The intents of a clause without politeness; `undefined` when no rule matches. */
function matchClause(clause: string, quotes: readonly Quote[]): readonly Intent[] | undefined {
  for (const { pattern, toIntents } of RULES) {
    const groups = pattern.exec(clause)?.groups;
    const intents = groups && toIntents((name) => groups[name], quotes);
    if (intents) return intents;
  }
  return undefined;
}
