// First floor, core: from the entries of a line of conversation to its messages. Pure.
import type { Digest, SketchedEntry, UnreadMessage } from '../../contracts/index.ts';
import type { AgentMessage, SessionEntry } from '../../protocol/index.ts';
import { soundMessage } from './sound-message.ts';

/** What the model would be given: the newest summary first, then what it kept, then what came after it. */
export function messagesOf(path: readonly SessionEntry[]): AgentMessage[] {
  return inContext(path).flatMap(messageOf);
}

/** How many that are, without reading what nobody has read yet. No compaction may come after a digest. */
export function countOf(path: readonly SketchedEntry[]): number {
  return inContext(path).reduce((sum, entry) => sum + countIn(entry), 0);
}

function countIn(entry: SketchedEntry): number {
  if (isDigest(entry)) return entry.messages;
  return isUnread(entry) ? 1 : messageOf(entry).length;
}

export function isUnread(entry: SketchedEntry): entry is UnreadMessage {
  return entry.type === 'unread';
}

export function isDigest(entry: SketchedEntry): entry is Digest {
  return entry.type === 'digest';
}

function inContext<T extends SketchedEntry>(path: readonly T[]): readonly T[] {
  const at = path.findLastIndex((entry) => entry.type === 'compaction');
  const compaction = path[at];
  if (!compaction) return path;
  // An older summary among what was kept is part of the newest one.
  const before = path.slice(firstKept(path), at).filter((entry) => entry.type !== 'compaction');
  return [compaction, ...before, ...path.slice(at + 1)];
}

/** Where the part of a line begins that still counts; the newest compaction itself when what it kept is not there. */
export function firstKept(path: readonly SketchedEntry[]): number {
  const at = path.findLastIndex((entry) => entry.type === 'compaction');
  const compaction = path[at];
  if (compaction?.type !== 'compaction') return 0;
  const kept = path.findIndex((entry) => !isDigest(entry) && entry.id === compaction.firstKeptEntryId);
  return kept < 0 || kept > at ? at : kept;
}

/** The message that an entry stands for, if it stands for one. */
export function messageOf(entry: SessionEntry): AgentMessage[] {
  const message = spokenBy(entry);
  const sound = message && soundMessage(message);
  return sound ? [sound] : [];
}

function spokenBy(entry: SessionEntry): AgentMessage | undefined {
  switch (entry.type) {
    case 'message':
      return entry.message;
    case 'custom_message': {
      const { customType, display, details } = entry;
      const content = entry.content as Extract<AgentMessage, { role: 'custom' }>['content'];
      const said = { role: 'custom' as const, customType, content, display: display !== false };
      return { ...said, ...(details === undefined ? {} : { details }), timestamp: Date.parse(entry.timestamp) };
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
