// First floor, core: where a conversation is cut when its beginning becomes a summary. Pure.
import type { AgentMessage, SessionEntry } from '../../protocol/index.ts';
import { firstKept, messageOf } from '../tree/context-path.ts';
import { estimateTokens } from './tokens.ts';

export interface Cut {
  firstKeptEntryId: string;
  /** What becomes the summary. */
  summarised: AgentMessage[];
  /** The beginning of the turn that the cut goes through; summarised by itself. */
  turnPrefix: AgentMessage[];
  /** The summary of the compaction before this one, to be carried on. */
  previousSummary: string | undefined;
  previousDetails: unknown;
}

/** How much of what is kept a message takes up. */
export type Weigh = (message: AgentMessage) => number;

/** `undefined` when nothing would be gained: everything fits into what is kept. */
export function findCut(
  path: readonly SessionEntry[],
  keepRecent: number,
  weigh: Weigh = estimateTokens,
): Cut | undefined {
  const previous = path.findLast((entry) => entry.type === 'compaction');
  const entries = path.slice(firstKept(path)).filter((entry) => entry.type !== 'compaction');
  const kept = keepFrom(entries, keepRecent, weigh);
  if (kept <= 0) return undefined;
  const turn = turnStart(entries, kept);
  const summarised = entries.slice(0, turn).flatMap(messageOf);
  const turnPrefix = entries.slice(turn, kept).flatMap(messageOf);
  if (summarised.length === 0 && turnPrefix.length === 0) return undefined;
  return {
    firstKeptEntryId: (entries[kept] as SessionEntry).id,
    summarised,
    turnPrefix,
    previousSummary: previous?.summary,
    previousDetails: previous?.details,
  };
}

/** From the newest entry backwards until enough is kept, then on to the next entry at which a cut is allowed. */
function keepFrom(entries: readonly SessionEntry[], keepRecent: number, weigh: Weigh): number {
  let weight = 0;
  let index = entries.length;
  while (index > 0 && weight < keepRecent) {
    index--;
    weight += messageOf(entries[index] as SessionEntry).reduce((sum, message) => sum + weigh(message), 0);
  }
  if (index === 0) return 0;
  // The entry that crossed the line is itself kept; what cannot stand first is left to the summary.
  let cut = index;
  while (cut < entries.length && !mayBegin(entries, cut)) cut++;
  if (cut === entries.length) return 0;
  // Entries that are no messages (a model change, a label) stay with what follows them.
  while (cut > 0 && messageOf(entries[cut - 1] as SessionEntry).length === 0) cut--;
  return cut;
}

/** A tool result whose call is before the cut would be lost; every provider refuses it without the call. */
function mayBegin(entries: readonly SessionEntry[], cut: number): boolean {
  if (messageOf(entries[cut] as SessionEntry).length === 0) return false;
  for (let at = cut; at < entries.length; at++) {
    const [message] = messageOf(entries[at] as SessionEntry);
    if (message?.role === 'toolResult') return false;
    if (message?.role === 'assistant') return true;
  }
  return true;
}

/** Where the turn begins that the cut falls into; the cut itself when it falls between turns. */
function turnStart(entries: readonly SessionEntry[], cut: number): number {
  const first = entries.slice(cut).flatMap(messageOf)[0];
  if (first === undefined || isPrompt(first)) return cut;
  const start = entries.slice(0, cut).findLastIndex((entry) => messageOf(entry).some(isPrompt));
  return start < 0 ? cut : start;
}

/** Where a turn may begin: what the model is given as the user's words. */
function isPrompt({ role }: AgentMessage): boolean {
  return role !== 'assistant' && role !== 'toolResult';
}
