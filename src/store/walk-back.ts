// The store's way back: from the end of the log along the parents to where the context begins. Reads no entry that is not
// on the way. Knows what a compaction is; nothing else about conversations.
import type { OpenFile } from '../contracts/ports.ts';
import type { EntryOnPath, LogDamage } from '../contracts/store.ts';
import { type EntryHead, headOf, isFused, readLine } from './entry-line.ts';
import type { RawLine } from './line.ts';
import { linesBackward, linesBackwardNow } from './lines-backward.ts';
import { createNameSearch, type NameFound } from './session-name.ts';
import { looksWhole, UnreadLine } from './unread.ts';

/** Parents for entries whose own could not be found, by placeKey. */
export type Substitutes = ReadonlyMap<string, string | null>;

/** An entry by its id and the offset of its line: ids may come twice in a damaged file. */
export function placeKey(start: number, id: string): string {
  return `${start} ${id}`;
}

export interface Way {
  /** Oldest first. */
  readonly path: readonly EntryOnPath[];
  /** Grows when unread messages are read. */
  readonly damage: readonly LogDamage[];
  /** Absent when nothing that was read says it. */
  readonly name: NameFound | undefined;
  /** Everything from here to the end was looked at. */
  readonly seenFrom: number;
  /** The way broke off: this parent is nowhere before its child. */
  readonly lost: boolean;
}

export async function walkBack(
  file: OpenFile,
  { from, end, substitutes }: { from: number; end: number; substitutes?: Substitutes },
): Promise<Way> {
  const lines = linesBackward(file, from, end);
  const walker = new Walker(substitutes);
  for (let batch = await lines.next(); batch; batch = await lines.next()) {
    const seenFrom = walker.meetUntilThere(batch);
    if (seenFrom !== undefined) return walker.result(seenFrom);
  }
  return walker.result(from);
}

/** The same while everything waits, for a log in which nothing was lost. */
export function walkBackNow(file: OpenFile, { from, end }: { from: number; end: number }): Way {
  const walker = new Walker(undefined);
  for (const batch of linesBackwardNow(file, from, end)) {
    const seenFrom = walker.meetUntilThere(batch);
    if (seenFrom !== undefined) return walker.result(seenFrom);
  }
  return walker.result(from);
}

class Walker {
  /** Given when the file is known to be damaged: then it is also looked at more closely. */
  readonly #substitutes: Substitutes | undefined;
  readonly #names = createNameSearch();
  /** Newest first. */
  readonly #path: EntryOnPath[] = [];
  readonly #damage: LogDamage[] = [];
  /** The id that is looked for; `undefined` before the leaf is found, `null` behind the root. */
  #wanted: string | null | undefined;
  #firstKept: string | undefined;
  #compactionAt = -1;
  /** Position in the path of the newest entry whose parent was replaced, after the compaction was met. */
  #brokenAt = -1;
  #reachedKept = false;

  constructor(substitutes: Substitutes | undefined) {
    this.#substitutes = substitutes;
  }

  /** Where the line begins with which the way is at its end; `undefined` when it goes on. */
  meetUntilThere(batch: readonly RawLine[]): number | undefined {
    for (const line of batch) {
      this.#meet(line);
      if (this.#wanted === null || this.#reachedKept) return line.start;
    }
    return undefined;
  }

  #meet(line: RawLine): void {
    const head = headOf(line);
    if (head && head.id === this.#wanted && this.#canWait(head, line)) {
      this.#take(new UnreadLine(head, line, this.#damage), head.parentId, line.start);
      return;
    }
    if (head && this.#wanted !== undefined && head.id !== this.#wanted && !this.#hidesAnother(line)) {
      this.#names.meet(head, line);
      return;
    }
    const { entry, problem } = readLine(line);
    if (problem !== undefined) this.#damage.push({ offset: line.start, message: problem });
    if (entry) this.#names.read(entry);
    if (entry && (this.#wanted === undefined || entry.id === this.#wanted))
      this.#take(entry, entry.parentId, line.start);
    if (head && head.id === this.#wanted && head.id !== entry?.id) this.#pass(head, line.start);
  }

  /** A message that is whole, as far as one can see: what it says is for whoever reads the conversation. */
  #canWait(head: EntryHead, line: RawLine): boolean {
    return this.#substitutes === undefined && head.id !== this.#firstKept && looksWhole(head, line);
  }

  #hidesAnother({ bytes }: RawLine): boolean {
    return this.#substitutes !== undefined && bytes !== undefined && isFused(bytes);
  }

  result(seenFrom: number): Way {
    const lost = typeof this.#wanted === 'string' && !this.#reachedKept;
    if (this.#firstKept !== undefined && !this.#reachedKept && !lost) this.#cutWhereBroken();
    return { path: this.#path.toReversed(), damage: this.#damage, name: this.#names.found, seenFrom, lost };
  }

  #take(entry: EntryOnPath, parentId: string | null, start: number): void {
    this.#path.push(entry);
    if (entry.type === 'compaction' && this.#firstKept === undefined) {
      this.#firstKept = entry.firstKeptEntryId;
      this.#compactionAt = this.#path.length - 1;
    }
    this.#reachedKept = entry.id === this.#firstKept;
    this.#follow({ id: entry.id, parentId }, start);
  }

  /** On the way, but unreadable: its place in the tree is known all the same. */
  #pass(head: EntryHead, start: number): void {
    if (head.id === this.#firstKept) this.#keepFrom(this.#path.length - 1);
    this.#follow(head, start);
  }

  #follow({ id, parentId }: { id: string; parentId: string | null }, start: number): void {
    const substitute = this.#substitutes?.get(placeKey(start, id));
    this.#wanted = substitute === undefined ? parentId : substitute;
    if (substitute === undefined) return;
    this.#damage.push({ offset: start, message: lostParent(id, parentId, substitute) });
    if (this.#firstKept !== undefined && this.#brokenAt < 0) this.#brokenAt = this.#path.length - 1;
  }

  /** The first kept entry was among what is lost: what is left of the kept ones begins where the way was mended. */
  #cutWhereBroken(): void {
    if (this.#brokenAt < 0) return;
    this.#path.length = this.#brokenAt + 1;
    this.#keepFrom(this.#brokenAt);
  }

  #keepFrom(position: number): void {
    const compaction = this.#path[this.#compactionAt];
    const first = this.#path[position];
    if (compaction?.type !== 'compaction' || !first) return;
    this.#path[this.#compactionAt] = { ...compaction, firstKeptEntryId: first.id };
    this.#reachedKept = true;
  }
}

function lostParent(id: string, parentId: string | null, substitute: string | null): string {
  const where = substitute === null ? 'the conversation begins there' : `the conversation goes on from ${substitute}`;
  return `entry ${id} follows ${parentId}, which is nowhere before it; ${where}`;
}
