// The store's second look at a damaged log: whom to follow where a parent is gone. Looks at every line, once.
import type { OpenFile } from '../contracts/ports.ts';
import { type EntryHead, headOf, readLine } from './entry-line.ts';
import type { RawLine } from './line.ts';
import { linesForward } from './lines-forward.ts';
import type { Substitutes } from './walk-back.ts';

/**
 * An entry that hangs on nothing is hung on the readable entry before the damage that most likely took its parent. When no
 * damage is left to blame, on the one before itself.
 */
export async function substitutesFor(file: OpenFile, from: number, end: number): Promise<Substitutes> {
  const substitutes = new Map<number, string | null>();
  const present = new Set<string>();
  /** One parent that is gone may have several children: they stay together. */
  const byLostParent = new Map<string, string | null>();
  let previous: string | null = null;
  /** The entry before damage that has no lost entry to its name yet. */
  let beforeDamage: string | null | undefined;

  const meet = (line: RawLine) => {
    const head = placeOf(line);
    if (!head) {
      beforeDamage = previous;
      return;
    }
    const { parentId } = head;
    if (parentId !== null && !present.has(parentId)) {
      const known = byLostParent.get(parentId);
      const guess: string | null = beforeDamage === undefined ? previous : beforeDamage;
      const substitute = known === undefined ? guess : known;
      if (known === undefined) beforeDamage = undefined;
      byLostParent.set(parentId, substitute);
      substitutes.set(line.start, substitute);
    }
    present.add(head.id);
    previous = head.id;
  };
  for await (const batch of linesForward(file, from, end)) batch.forEach(meet);
  return substitutes;
}

function placeOf(line: RawLine): EntryHead | undefined {
  return (line.bytes && headOf(line.bytes)) ?? readLine(line).entry;
}
