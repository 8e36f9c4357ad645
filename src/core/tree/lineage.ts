// First floor, core: which entry follows which, also where a log was damaged. Pure.
import type { SessionEntry } from '../../protocol/index.ts';

export interface Lineage {
  readonly entries: readonly SessionEntry[];
  /** For each entry the position of the one that it follows; -1 for a beginning. */
  readonly parents: readonly number[];
  /** The position of an entry, the newest one where an id comes twice; -1 when there is none. */
  find(id: string | null): number;
  /** From the beginning to this position. */
  pathTo(position: number): SessionEntry[];
}

/**
 * A parent stands before its child; so nothing can follow itself, whatever the ids say. One that is not there any more is
 * replaced by the entry before, as when a damaged log is gone on with: what was said is not lost with one line.
 */
export function lineageOf(entries: readonly SessionEntry[]): Lineage {
  const positions = new Map<string, number>();
  const parents = entries.map(({ id, parentId }, position) => {
    const parent = parentId === null ? -1 : (positions.get(parentId) ?? position - 1);
    positions.set(id, position);
    return parent;
  });
  return {
    entries,
    parents,
    find: (id) => (id === null ? -1 : (positions.get(id) ?? -1)),
    pathTo(position) {
      const path: SessionEntry[] = [];
      for (let at = position; at >= 0; at = parents[at] ?? -1) path.push(entries[at] as SessionEntry);
      return path.reverse();
    },
  };
}
