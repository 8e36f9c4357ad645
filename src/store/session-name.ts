// The store's search for the session's name: the newest one given anywhere in the log. Knows the two entries that say it.
import { isRecord } from '../base/json.ts';
import type { OpenFile } from '../contracts/ports.ts';
import type { SessionEntry } from '../protocol/entry.ts';
import { type EntryHead, headOf, readLine } from './entry-line.ts';
import { LF, piece, type RawLine, STEP } from './line.ts';

/**
 * Written after each compaction, so that what was said before it need not be looked for. `data.name` is the name that the
 * session had then; without it, the session had none.
 */
export const CHECKPOINT = 'parley.checkpoint';

export interface NameFound {
  readonly name: string | undefined;
}

export interface NameSearch {
  readonly found: NameFound | undefined;
  /** An entry that nobody read, met on the way from the end to the beginning. */
  meet(head: EntryHead, line: RawLine): void;
  read(entry: SessionEntry): void;
}

export function createNameSearch(): NameSearch {
  let found: NameFound | undefined;
  const read = (entry: SessionEntry | undefined) => {
    if (!found && entry) found = nameIn(entry);
  };
  return {
    get found() {
      return found;
    },
    meet(head, line) {
      if (!found && mayName(head, line)) read(readLine(line).entry);
    },
    read,
  };
}

function nameIn(entry: SessionEntry): NameFound | undefined {
  if (entry.type === 'session_info') return isName(entry.name) ? { name: entry.name } : undefined;
  if (entry.type !== 'custom' || entry.customType !== CHECKPOINT || !isRecord(entry.data)) return undefined;
  return { name: isName(entry.data.name) ? entry.data.name : undefined };
}

function mayName({ type }: EntryHead, { bytes }: RawLine): boolean {
  if (type === 'session_info') return true;
  return type === 'custom' && bytes !== undefined && bytes.subarray(0, 256).includes(`"${CHECKPOINT}"`);
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

const WORDS = '"type":"session_info"';
/** A name's line is short; what is longer is something else that contains the words. */
const LONGEST = 64 * 1024;

/**
 * The newest name given between two offsets, the first of which is the beginning of a line. Looks for the bytes that such
 * an entry begins with and reads no other line.
 */
export async function findName(file: OpenFile, from: number, end: number): Promise<string | undefined> {
  for (let stop = end; stop > from; ) {
    const start = Math.max(from, stop - STEP);
    // A little more on both sides, so that words on the edge are seen whole and with the line end before them.
    const base = Math.max(from, start - 2);
    const bytes = await piece(file, base, Math.min(end, stop + WORDS.length) - base);
    for (let at = lastBefore(bytes, stop - base); at >= start - base; at = lastBefore(bytes, at)) {
      const name = beginsLine(bytes, at) ? await nameAt(file, base + at - 1, end) : undefined;
      if (name !== undefined) return name;
    }
    stop = start;
  }
  return undefined;
}

/** The last place before `limit` where the words begin; -1 when there is none. */
function lastBefore(bytes: Buffer, limit: number): number {
  return limit <= 0 ? -1 : bytes.lastIndexOf(WORDS, limit - 1, 'latin1');
}

/** Whether the words stand right behind the brace that begins a line. */
function beginsLine(bytes: Buffer, at: number): boolean {
  return at === 1 || (at > 1 && bytes[at - 2] === LF);
}

async function nameAt(file: OpenFile, start: number, end: number): Promise<string | undefined> {
  const bytes = await piece(file, start, Math.min(LONGEST, end - start));
  const at = bytes.indexOf(LF);
  const line = at < 0 ? bytes : bytes.subarray(0, at);
  if (headOf(line)?.type !== 'session_info') return undefined;
  const { entry } = readLine({ start, length: line.length, bytes: line });
  return entry && nameIn(entry)?.name;
}
