// Finds substitute parents for entries of a damaged log whose parent is missing. Reads every line once.
import type { OpenFile } from '../contracts/ports.ts';
import { type EntryHead, hasSecondEntry, parseHead, parseLine } from './entry-line.ts';
import type { RawLine } from './raw-line.ts';
import { readLinesForward } from './read-lines-forward.ts';
import { getEntryKey, type SubstituteParents } from './read-path.ts';

/**
 * The substitute is the last readable entry before the damage that most likely contained the missing parent. If there is no
 * such damage, it is the entry before the child.
 */
export async function findSubstituteParents(file: OpenFile, from: number, end: number): Promise<SubstituteParents> {
  const substitutes = new Map<string, string | null>();
  const present = new Set<string>();
  /** Children of the same missing parent get the same substitute. */
  const byLostParent = new Map<string, string | null>();
  let previous: string | null = null;
  /** The entry before damage to which no missing parent has been assigned yet. */
  let beforeDamage: string | null | undefined;

  const addLink = ({ id, parentId }: EntryLink, start: number) => {
    if (parentId !== null && !present.has(parentId)) {
      const known = byLostParent.get(parentId);
      const guess: string | null = beforeDamage === undefined ? previous : beforeDamage;
      const substitute = known === undefined ? guess : known;
      if (known === undefined) beforeDamage = undefined;
      byLostParent.set(parentId, substitute);
      substitutes.set(getEntryKey(start, id), substitute);
    }
    present.add(id);
    previous = id;
  };
  for await (const batch of readLinesForward(file, from, end)) {
    for (const line of batch) {
      const links = parseEntryLinks(line);
      if (links.length === 0) beforeDamage = previous;
      for (const link of links) addLink(link, line.start);
    }
  }
  return substitutes;
}

type EntryLink = Pick<EntryHead, 'id' | 'parentId'>;

/** A line that lost its line end may contain two entries: the one at its start and the next one. */
function parseEntryLinks(line: RawLine): EntryLink[] {
  const head = parseHead(line);
  if (head && line.bytes && !hasSecondEntry(line.bytes)) return [head];
  const { entry } = parseLine(line);
  const links: EntryLink[] = head ? [head] : [];
  if (entry && entry.id !== head?.id) links.push({ id: entry.id, parentId: entry.parentId });
  return links;
}
