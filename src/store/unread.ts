// The store's unread messages: on the path by what their lines begin with, read when somebody wants to know what was said.
import type { LogDamage, SketchedEntry, UnreadMessage } from '../contracts/store.ts';
import type { SessionEntry } from '../protocol/entry.ts';
import { type EntryHead, readLine } from './entry-line.ts';
import type { RawLine } from './line.ts';

const SPOKEN = new Set(['user', 'assistant', 'toolResult', 'bashExecution']);
const BRACE = 0x7d;

/** Whether a line can be taken for a message of the usual kind by its two ends. */
export function looksWhole({ type, role }: EntryHead, { bytes }: RawLine): boolean {
  return type === 'message' && role !== undefined && SPOKEN.has(role) && bytes?.at(-1) === BRACE;
}

/** What is wrong with it is told to `damage` when it is read, once. */
export function unread({ id, role = '' }: EntryHead, line: RawLine, damage: LogDamage[]): UnreadMessage {
  let entry: { is: SessionEntry | undefined } | undefined;
  return {
    type: 'unread',
    id,
    role,
    read() {
      if (entry) return entry.is;
      const { entry: found, problem } = readLine(line);
      if (problem !== undefined) damage.push({ offset: line.start, message: problem });
      entry = { is: found?.id === id ? found : undefined };
      return entry.is;
    },
    mentions: (words) => line.bytes?.includes(words) ?? false,
  };
}

export function readAll(sketch: readonly SketchedEntry[]): SessionEntry[] {
  return sketch.flatMap((entry) => (entry.type === 'unread' ? (entry.read() ?? []) : entry));
}
