// The store's second look at a damaged log: whom to follow where a parent is gone. Looks at every line, once.
import type { OpenFile } from '../contracts/ports.ts';
import { type EntryHead, headOf, isFused, readLine } from './entry-line.ts';
import type { RawLine } from './line.ts';
import { linesForward } from './lines-forward.ts';
import { placeKey, type Substitutes } from './walk-back.ts';

/**
 * An entry that hangs on nothing is hung on the readable entry before the damage that most likely took its parent. When no
 * damage is left to blame, on the one before itself.
 */
export async function substitutesFor(file: OpenFile, from: number, end: number): Promise<Substitutes> {
  const substitutes = new Map<string, string | null>();
  const present = new Set<string>();
  /** One parent that is gone may have several children: they stay together. */
  const byLostParent = new Map<string, string | null>();
  let previous: string | null = null;
  /** The entry before damage that has no lost entry to its name yet. */
  let beforeDamage: string | null | undefined;

  const place = ({ id, parentId }: Place, start: number) => {
    if (parentId !== null && !present.has(parentId)) {
      const known = byLostParent.get(parentId);
      const guess: string | null = beforeDamage === undefined ? previous : beforeDamage;
      const substitute = known === undefined ? guess : known;
      if (known === undefined) beforeDamage = undefined;
      byLostParent.set(parentId, substitute);
      substitutes.set(placeKey(start, id), substitute);
    }
    present.add(id);
    previous = id;
  };
  for await (const batch of linesForward(file, from, end)) {
    for (const line of batch) {
      const places = placesIn(line);
      if (places.length === 0) beforeDamage = previous;
      for (const of of places) place(of, line.start);
    }
  }
  return substitutes;
}

type Place = Pick<EntryHead, 'id' | 'parentId'>;

/** A line that lost its end may hold two: what it says of itself first, and the entry behind. */
function placesIn(line: RawLine): Place[] {
  const head = headOf(line);
  if (head && line.bytes && !isFused(line.bytes)) return [head];
  const { entry } = readLine(line);
  const places: Place[] = head ? [head] : [];
  if (entry && entry.id !== head?.id) places.push({ id: entry.id, parentId: entry.parentId });
  return places;
}
