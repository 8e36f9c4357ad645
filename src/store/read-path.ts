// Reads a log backward from the leaf along the parent links, to where the context starts: the root, or the first entry that
// the latest compaction keeps. Parses only entries on this path.
import type { OpenFile } from '../contracts/ports.ts';
import type { LogDamage, PathEntry } from '../contracts/session-store.ts';
import { type EntryHead, hasSecondEntry, parseHead, parseLine } from './entry-line.ts';
import type { RawLine } from './raw-line.ts';
import { readLinesBackward, readLinesBackwardSync } from './read-lines-backward.ts';
import { createNameSearch, type NameResult } from './session-name.ts';
import { looksLikeMessage, UnreadLine } from './unread-line.ts';

/** Replacement parents for entries whose parent is missing, by getEntryKey. */
export type SubstituteParents = ReadonlyMap<string, string | null>;

/** Key of an entry: its id and the offset of its line. An id may occur twice in a damaged file. */
export function getEntryKey(start: number, id: string): string {
  return `${start} ${id}`;
}

export interface PathResult {
  /** Oldest first. */
  readonly path: readonly PathEntry[];
  /** Grows when unread messages are parsed. */
  readonly damage: readonly LogDamage[];
  /** `undefined` when the lines that were read do not contain a name. */
  readonly name: NameResult | undefined;
  /** All lines from this offset to the end were examined. */
  readonly scannedFrom: number;
  /** A parent was not found before its child. */
  readonly isBroken: boolean;
}

export async function readPath(
  file: OpenFile,
  { from, end, substitutes }: { from: number; end: number; substitutes?: SubstituteParents },
): Promise<PathResult> {
  const lines = readLinesBackward(file, from, end);
  const reader = new PathReader(substitutes);
  for (let batch = await lines.next(); batch; batch = await lines.next()) {
    const scannedFrom = reader.readBatch(batch);
    if (scannedFrom !== undefined) return reader.result(scannedFrom);
  }
  return reader.result(from);
}

/** The same, but synchronous. Only for a log without damage. */
export function readPathSync(file: OpenFile, { from, end }: { from: number; end: number }): PathResult {
  const reader = new PathReader(undefined);
  for (const batch of readLinesBackwardSync(file, from, end)) {
    const scannedFrom = reader.readBatch(batch);
    if (scannedFrom !== undefined) return reader.result(scannedFrom);
  }
  return reader.result(from);
}

class PathReader {
  /** Set when the file is known to be damaged. Lines are then examined more closely. */
  readonly #substitutes: SubstituteParents | undefined;
  readonly #names = createNameSearch();
  /** Newest first. */
  readonly #path: PathEntry[] = [];
  readonly #damage: LogDamage[] = [];
  /** The id to find next; `undefined` before the leaf is found, `null` after the root. */
  #nextId: string | null | undefined;
  #firstKeptId: string | undefined;
  #compactionIndex = -1;
  /** Index in #path of the newest entry with a substitute parent after the compaction. */
  #brokenIndex = -1;
  #hasReachedFirstKept = false;

  constructor(substitutes: SubstituteParents | undefined) {
    this.#substitutes = substitutes;
  }

  /** Returns the offset of the line that completes the path, or `undefined` when the path continues. */
  readBatch(batch: readonly RawLine[]): number | undefined {
    for (const line of batch) {
      this.#readLine(line);
      if (this.#nextId === null || this.#hasReachedFirstKept) return line.start;
    }
    return undefined;
  }

  #readLine(line: RawLine): void {
    const head = parseHead(line);
    if (head && head.id === this.#nextId && this.#canStayUnread(head, line)) {
      this.#addEntry(new UnreadLine(head, line, this.#damage), head.parentId, line.start);
      return;
    }
    if (head && this.#nextId !== undefined && head.id !== this.#nextId && !this.#hasSecondEntry(line)) {
      this.#names.visitLine(head, line);
      return;
    }
    const { entry, problem } = parseLine(line);
    if (problem !== undefined) this.#damage.push({ offset: line.start, message: problem });
    if (entry) this.#names.visitEntry(entry);
    if (entry && (this.#nextId === undefined || entry.id === this.#nextId))
      this.#addEntry(entry, entry.parentId, line.start);
    if (head && head.id === this.#nextId && head.id !== entry?.id) this.#skipUnreadable(head, line.start);
  }

  /** A message that looks complete is parsed later, when the conversation is read. */
  #canStayUnread(head: EntryHead, line: RawLine): boolean {
    return this.#substitutes === undefined && head.id !== this.#firstKeptId && looksLikeMessage(head, line);
  }

  #hasSecondEntry({ bytes }: RawLine): boolean {
    return this.#substitutes !== undefined && bytes !== undefined && hasSecondEntry(bytes);
  }

  result(scannedFrom: number): PathResult {
    const isBroken = typeof this.#nextId === 'string' && !this.#hasReachedFirstKept;
    if (this.#firstKeptId !== undefined && !this.#hasReachedFirstKept && !isBroken) this.#truncateAtBreak();
    return { path: this.#path.toReversed(), damage: this.#damage, name: this.#names.found, scannedFrom, isBroken };
  }

  #addEntry(entry: PathEntry, parentId: string | null, start: number): void {
    this.#path.push(entry);
    if (entry.type === 'compaction' && this.#firstKeptId === undefined) {
      this.#firstKeptId = entry.firstKeptEntryId;
      this.#compactionIndex = this.#path.length - 1;
    }
    this.#hasReachedFirstKept = entry.id === this.#firstKeptId;
    this.#moveToParent({ id: entry.id, parentId }, start);
  }

  /** The entry is on the path but cannot be parsed. Its parent is known from the head. */
  #skipUnreadable(head: EntryHead, start: number): void {
    if (head.id === this.#firstKeptId) this.#setFirstKept(this.#path.length - 1);
    this.#moveToParent(head, start);
  }

  #moveToParent({ id, parentId }: { id: string; parentId: string | null }, start: number): void {
    const substitute = this.#substitutes?.get(getEntryKey(start, id));
    this.#nextId = substitute === undefined ? parentId : substitute;
    if (substitute === undefined) return;
    this.#damage.push({ offset: start, message: describeLostParent(id, parentId, substitute) });
    if (this.#firstKeptId !== undefined && this.#brokenIndex < 0) this.#brokenIndex = this.#path.length - 1;
  }

  /** The first kept entry is lost. The kept part then starts at the entry with the substitute parent. */
  #truncateAtBreak(): void {
    if (this.#brokenIndex < 0) return;
    this.#path.length = this.#brokenIndex + 1;
    this.#setFirstKept(this.#brokenIndex);
  }

  #setFirstKept(position: number): void {
    const compaction = this.#path[this.#compactionIndex];
    const first = this.#path[position];
    if (compaction?.type !== 'compaction' || !first) return;
    this.#path[this.#compactionIndex] = { ...compaction, firstKeptEntryId: first.id };
    this.#hasReachedFirstKept = true;
  }
}

function describeLostParent(id: string, parentId: string | null, substitute: string | null): string {
  const consequence =
    substitute === null ? 'the conversation starts there' : `the conversation continues from ${substitute}`;
  return `the parent ${parentId} of entry ${id} was not found before it; ${consequence}`;
}
