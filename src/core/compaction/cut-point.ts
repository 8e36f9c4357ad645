// Finds the entry at which a compaction cuts the conversation. Pure.
import type { AgentMessage, SessionEntry } from '../../protocol/index.ts';
import { entryToMessages, findFirstKeptIndex } from '../tree/context-path.ts';
import { estimateTokens } from './tokens.ts';

export interface CutPoint {
  firstKeptEntryId: string;
  messagesToSummarize: AgentMessage[];
  /** The part before the cut of the turn that the cut splits. It is summarised separately. */
  turnPrefixMessages: AgentMessage[];
  /** The summary of the previous compaction; the new summary includes it. */
  previousSummary: string | undefined;
  previousDetails: unknown;
}

/** The size of a message, in the unit of `keepRecent`. */
export type MessageMeasure = (message: AgentMessage) => number;

/** `undefined` if there is nothing to cut: the whole conversation fits into `keepRecent`. */
export function findCutPoint(
  path: readonly SessionEntry[],
  keepRecent: number,
  measure: MessageMeasure = estimateTokens,
): CutPoint | undefined {
  const previous = path.findLast((entry) => entry.type === 'compaction');
  const entries = path.slice(findFirstKeptIndex(path)).filter((entry) => entry.type !== 'compaction');
  const firstKept = findFirstKept(entries, keepRecent, measure);
  if (firstKept <= 0) return undefined;
  const turnStart = findTurnStart(entries, firstKept);
  const messagesToSummarize = entries.slice(0, turnStart).flatMap(entryToMessages);
  const turnPrefixMessages = entries.slice(turnStart, firstKept).flatMap(entryToMessages);
  if (messagesToSummarize.length === 0 && turnPrefixMessages.length === 0) return undefined;
  return {
    firstKeptEntryId: (entries[firstKept] as SessionEntry).id,
    messagesToSummarize,
    turnPrefixMessages,
    previousSummary: previous?.summary,
    previousDetails: previous?.details,
  };
}

/** Goes back from the newest entry until `keepRecent` is reached, then forward to the next entry at which a cut is allowed. */
function findFirstKept(entries: readonly SessionEntry[], keepRecent: number, measure: MessageMeasure): number {
  let size = 0;
  let index = entries.length;
  while (index > 0 && size < keepRecent) {
    index--;
    size += entryToMessages(entries[index] as SessionEntry).reduce((sum, message) => sum + measure(message), 0);
  }
  if (index === 0) return 0;
  // The entry that reached the limit is kept too. Entries that must not come first after a cut go into the summary.
  let cut = index;
  while (cut < entries.length && !canStartAt(entries, cut)) cut++;
  if (cut === entries.length) return 0;
  // Entries without a message (a model change, a label) stay with the entry after them.
  while (cut > 0 && entryToMessages(entries[cut - 1] as SessionEntry).length === 0) cut--;
  return cut;
}

/** False if a tool result after the cut has its call before the cut: providers refuse a result without its call. */
function canStartAt(entries: readonly SessionEntry[], cut: number): boolean {
  if (entryToMessages(entries[cut] as SessionEntry).length === 0) return false;
  for (let at = cut; at < entries.length; at++) {
    const [message] = entryToMessages(entries[at] as SessionEntry);
    if (message?.role === 'toolResult') return false;
    if (message?.role === 'assistant') return true;
  }
  return true;
}

/** The start of the turn that the cut splits; the cut itself if it is between turns. */
function findTurnStart(entries: readonly SessionEntry[], cut: number): number {
  const first = entries.slice(cut).flatMap(entryToMessages)[0];
  if (first === undefined || isPrompt(first)) return cut;
  const start = entries.slice(0, cut).findLastIndex((entry) => entryToMessages(entry).some(isPrompt));
  return start < 0 ? cut : start;
}

/** True for messages that the model receives in the role of the user. A turn starts with one. */
function isPrompt({ role }: AgentMessage): boolean {
  return role !== 'assistant' && role !== 'toolResult';
}
