// Indexes entries by id and parent. Tolerates damaged logs. Pure.
import type { SessionEntry } from './session-entry.ts';

export interface EntryIndex {
  readonly entries: readonly SessionEntry[];
  /** For each entry the position of its parent; -1 for a root. */
  readonly parentPositions: readonly number[];
  /** The position of an entry; the newest one if the id is not unique; -1 if there is none. */
  findPosition(id: string | null): number;
  /** The entries from the root to this position. */
  pathTo(position: number): SessionEntry[];
}

/**
 * A parent must come before its child in the log, so cycles are impossible. A missing parent is replaced by the entry directly
 * before the child: one lost line of a damaged log does not lose the rest of the conversation.
 */
export function indexEntries(entries: readonly SessionEntry[]): EntryIndex {
  const positions = new Map<string, number>();
  const parents = entries.map(({ id, parentId }, position) => {
    const parent = parentId === null ? -1 : (positions.get(parentId) ?? position - 1);
    positions.set(id, position);
    return parent;
  });
  return {
    entries,
    parentPositions: parents,
    findPosition: (id) => (id === null ? -1 : (positions.get(id) ?? -1)),
    pathTo(position) {
      const path: SessionEntry[] = [];
      for (let at = position; at >= 0; at = parents[at] ?? -1) path.push(entries[at] as SessionEntry);
      return path.reverse();
    },
  };
}
