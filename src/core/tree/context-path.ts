// First floor, core: from the entries of a line of conversation to its messages. Pure.
import type { AgentMessage, SessionEntry } from '../../protocol/index.ts';

/** What the model would be given: the newest summary first, then what it kept, then what came after it. */
export function messagesOf(path: readonly SessionEntry[]): AgentMessage[] {
  const at = path.findLastIndex((entry) => entry.type === 'compaction');
  const compaction = path[at];
  if (compaction?.type !== 'compaction') return path.flatMap(messageOf);
  const kept = path.findIndex((entry) => entry.id === compaction.firstKeptEntryId);
  const before = kept < 0 ? [] : path.slice(kept, at);
  return [compaction, ...before, ...path.slice(at + 1)].flatMap(messageOf);
}

/** The message that an entry stands for, if it stands for one. */
export function messageOf(entry: SessionEntry): AgentMessage[] {
  const timestamp = Date.parse(entry.timestamp);
  switch (entry.type) {
    case 'message':
      return [entry.message];
    case 'custom_message':
      return [
        {
          role: 'custom',
          customType: entry.customType,
          content: entry.content as Extract<AgentMessage, { role: 'custom' }>['content'],
          display: entry.display !== false,
          ...(entry.details === undefined ? {} : { details: entry.details }),
          timestamp,
        },
      ];
    case 'compaction':
      return [{ role: 'compactionSummary', summary: entry.summary, tokensBefore: entry.tokensBefore, timestamp }];
    case 'branch_summary':
      return [{ role: 'branchSummary', summary: entry.summary, fromId: entry.fromId, timestamp }];
    default:
      return [];
  }
}
