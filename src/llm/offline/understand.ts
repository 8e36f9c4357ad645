// First floor, llm: a message's text to the intents in it, in order. Pure; knows neither history nor tools.
import { brief } from './cutting.ts';
import type { Intent } from './intent.ts';
import { bare } from './phrases.ts';
import { mask, type Quote, unmask } from './quoting.ts';
import { matchClause } from './rules.ts';

// Longer texts are pasted material; to look for requests in it would be guessing, and slow.
const LONGEST_SENTENCE = 2000;
const MOST_PARTS = 60;
/** White space outside of quotes says no more than one blank or one line break; without runs the rules need no time for them. */
const SPACES = /\s+/g;
const LIST_MARKERS = /^[ \t]*(?:[-*•]|\d+[.)])\s+/gm;
const JOINTS = /\s*[;\n]+\s*|\s*,\s*|[.!?]+\s+|\s+(?:and then|and|then|&&)\s+/gi;

interface Range {
  start: number;
  end: number;
}

/** What a text asks for. An empty text asks for nothing; what no rule knows comes back as `unclear`. */
export function understand(text: string): readonly Intent[] {
  const masked = mask(text.trim());
  const sentence = masked.text.replace(LIST_MARKERS, '').replaceAll('’', "'").replace(SPACES, oneSpace);
  if (sentence === '') return [];
  const parts = sentence.length > LONGEST_SENTENCE ? [] : atoms(sentence);
  if (parts.length === 0 || parts.length > MOST_PARTS) return [{ kind: 'unclear', words: brief(text) }];
  return clauses(sentence, parts, masked.quotes).flatMap((clause) => intentsOf(clause, masked.quotes));
}

function oneSpace(run: string): string {
  return run.includes('\n') ? '\n' : ' ';
}

/**
 * Where one request ends and the next begins. "and" also stands inside requests, so a joint counts only when what
 * follows it is a request by itself; otherwise the part belongs to the one before, if that still makes sense.
 */
function clauses(sentence: string, parts: readonly Range[], quotes: readonly Quote[]): string[] {
  const ranges: Range[] = [];
  const makesSense = (start: number, end: number) => isRequest(sentence.slice(start, end), quotes);
  parts.forEach((atom, index) => {
    const last = ranges.at(-1);
    const next = parts[index + 1];
    const standsAlone = makesSense(atom.start, atom.end) || (next !== undefined && makesSense(atom.start, next.end));
    if (!last || standsAlone) ranges.push({ ...atom });
    else if (makesSense(last.start, atom.end) || !makesSense(last.start, last.end)) last.end = atom.end;
    else ranges.push({ ...atom });
  });
  return ranges.map(({ start, end }) => sentence.slice(start, end));
}

function atoms(sentence: string): Range[] {
  const found: Range[] = [];
  let start = 0;
  for (const joint of sentence.matchAll(JOINTS)) {
    if (joint.index > start) found.push({ start, end: joint.index });
    start = joint.index + joint[0].length;
  }
  if (start < sentence.length) found.push({ start, end: sentence.length });
  return found;
}

function meaning(clause: string, quotes: readonly Quote[]): readonly Intent[] | undefined {
  return matchClause(bare(clause), quotes) ?? matchClause(clause.trim(), quotes);
}

function isRequest(clause: string, quotes: readonly Quote[]): boolean {
  return meaning(clause, quotes)?.every((intent) => intent.kind !== 'unclear') ?? false;
}

function intentsOf(clause: string, quotes: readonly Quote[]): readonly Intent[] {
  const intents = meaning(clause, quotes);
  const words = brief(unmask(clause, quotes));
  if (!intents) return [{ kind: 'unclear', words }];
  return intents.map((intent) => (intent.kind === 'unclear' ? { ...intent, words } : intent));
}
