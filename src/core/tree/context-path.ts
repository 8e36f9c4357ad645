// Selects the entries of a path that are in the model's context and converts them to messages. Pure.
import type { Digest, LazyPathEntry, UnreadMessage } from '../../contracts/index.ts';
import type { AgentMessage, SessionEntry } from '../../protocol/index.ts';
import { normalizeMessage } from './normalize-message.ts';

/** Order: the newest summary, the entries that its compaction kept, the entries after the compaction. */
export function buildContextMessages(path: readonly SessionEntry[]): AgentMessage[] {
  return selectContextEntries(path).flatMap(entryToMessages);
}

/** Counts the context messages without reading unread ones. The path must not contain a compaction after a digest. */
export function countContextMessages(path: readonly LazyPathEntry[]): number {
  return selectContextEntries(path).reduce((sum, entry) => sum + countEntryMessages(entry), 0);
}

function countEntryMessages(entry: LazyPathEntry): number {
  if (isDigest(entry)) return entry.messages;
  return isUnread(entry) ? 1 : entryToMessages(entry).length;
}

export function isUnread(entry: LazyPathEntry): entry is UnreadMessage {
  return entry.type === 'unread';
}

export function isDigest(entry: LazyPathEntry): entry is Digest {
  return entry.type === 'digest';
}

function selectContextEntries<T extends LazyPathEntry>(path: readonly T[]): readonly T[] {
  const at = path.findLastIndex((entry) => entry.type === 'compaction');
  const compaction = path[at];
  if (!compaction) return path;
  // Drop older summaries: the newest summary includes them.
  const before = path.slice(findFirstKeptIndex(path), at).filter((entry) => entry.type !== 'compaction');
  return [compaction, ...before, ...path.slice(at + 1)];
}

/** The index of the first entry in the model's context. If the first kept entry is missing: the newest compaction itself. */
export function findFirstKeptIndex(path: readonly LazyPathEntry[]): number {
  const at = path.findLastIndex((entry) => entry.type === 'compaction');
  const compaction = path[at];
  if (compaction?.type !== 'compaction') return 0;
  const firstKeptIndex = path.findIndex((entry) => !isDigest(entry) && entry.id === compaction.firstKeptEntryId);
  return firstKeptIndex < 0 || firstKeptIndex > at ? at : firstKeptIndex;
}

/** The message of an entry; empty if the entry has none. */
export function entryToMessages(entry: SessionEntry): AgentMessage[] {
  const message = readMessage(entry);
  const normalized = message && normalizeMessage(message);
  return normalized ? [normalized] : [];
}

function readMessage(entry: SessionEntry): AgentMessage | undefined {
  switch (entry.type) {
    case 'message':
      return entry.message;
    case 'custom_message': {
      const { customType, display, details } = entry;
      const content = entry.content as Extract<AgentMessage, { role: 'custom' }>['content'];
      const fields = { role: 'custom' as const, customType, content, display: display !== false };
      return { ...fields, ...(details === undefined ? {} : { details }), timestamp: Date.parse(entry.timestamp) };
    }
    case 'compaction': {
      const { summary, tokensBefore, timestamp } = entry;
      return { role: 'compactionSummary', summary, tokensBefore, timestamp: Date.parse(timestamp) };
    }
    case 'branch_summary': {
      const { summary, fromId, timestamp } = entry;
      return { role: 'branchSummary', summary, fromId, timestamp: Date.parse(timestamp) };
    }
    default:
      return undefined;
  }
}
