// First floor, core: a line of conversation as the beginning of another one. Pure.
import type { EntryBody, SessionEntry } from '../../protocol/index.ts';
import { freshIds } from '../tree/fresh-id.ts';
import { QUEUE_ENTRY, restored } from './restored.ts';

export interface Places {
  /** The id of the next entry. */
  id(): string;
  timestamp: string;
}

/** The line, what is to be said about it, and an empty queue: what waited there is still waiting there. */
export function copyOf(line: readonly SessionEntry[], about: readonly EntryBody[], places: Places): SessionEntry[] {
  const copy = [...line];
  const freshId = freshIds(
    line.map(({ id }) => id),
    () => places.id(),
  );
  for (const { type, ...rest } of [...about, ...withoutQueue(line)]) {
    const place = { id: freshId(), parentId: copy.at(-1)?.id ?? null, timestamp: places.timestamp };
    copy.push({ type, ...place, ...rest } as SessionEntry);
  }
  return copy;
}

function withoutQueue(line: readonly SessionEntry[]): EntryBody[] {
  const { queued } = restored(line);
  if (queued.length === 0) return [];
  return [{ type: 'custom', customType: QUEUE_ENTRY, data: { op: 'clear', ids: queued.map((item) => item.id) } }];
}
