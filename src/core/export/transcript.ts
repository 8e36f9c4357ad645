// Prepares the entries of a session for rendering: messages, anchors, labels, and which result belongs to which call. Pure.
import { type EntryIndex, indexEntries } from '../../protocol/entry-index.ts';
import type { AgentMessage, SessionEntry } from '../../protocol/index.ts';
import { entryToMessages } from '../tree/context-path.ts';
import type { SubagentTranscript } from './load-subagents.ts';
import type { MarkupRenderers } from './markup-batch.ts';
import { type MatchedResults, matchResults } from './match-results.ts';

export interface Transcript {
  readonly index: EntryIndex;
  /** The message of each entry; `undefined` for entries without one. */
  readonly messages: readonly (AgentMessage | undefined)[];
  /** The HTML id of each entry. Only the session of the page has them, not its subagents. */
  readonly anchors: readonly string[] | undefined;
  readonly labels: ReadonlyMap<number, string>;
  readonly results: MatchedResults;
  readonly subagents: ReadonlyMap<string, SubagentTranscript>;
}

/** Renders the parts of a page. */
export interface PageRenderers extends MarkupRenderers {
  /** `undefined` for entries that are not shown on their own. */
  entry(transcript: Transcript, position: number): string | undefined;
}

export interface TranscriptOptions {
  readonly subagents?: ReadonlyMap<string, SubagentTranscript> | undefined;
  readonly hasAnchors: boolean;
}

export function createTranscript(entries: readonly SessionEntry[], options: TranscriptOptions): Transcript {
  const index = indexEntries(entries);
  const messages = entries.map((entry) => entryToMessages(entry)[0]);
  return {
    index,
    messages,
    anchors: options.hasAnchors ? createAnchors(index) : undefined,
    labels: collectLabels(index),
    results: matchResults(messages, index.parentPositions),
    subagents: options.subagents ?? new Map(),
  };
}

/** Entry ids come from the log and are not trusted. An unsafe or duplicate id is replaced by the position. */
function createAnchors({ entries, findPosition }: EntryIndex): string[] {
  return entries.map(({ id }, position) => {
    const isSafeId = /^[\w-]{1,64}$/.test(id) && findPosition(id) === position;
    return isSafeId ? `e-${id}` : `n-${position}`;
  });
}

function collectLabels({ entries, findPosition }: EntryIndex): Map<number, string> {
  const labels = new Map<number, string>();
  for (const entry of entries) {
    if (entry.type !== 'label') continue;
    const position = findPosition(entry.targetId);
    if (entry.label) labels.set(position, entry.label);
    else labels.delete(position);
  }
  return labels;
}
