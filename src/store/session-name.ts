// The store's search for the session's name: the newest one given anywhere in the log. Knows the two entries that say it.
import { isRecord } from '../base/json.ts';
import { LF } from '../base/lines.ts';
import type { OpenFile } from '../contracts/ports.ts';
import type { SessionEntry } from '../protocol/entry.ts';
import { type EntryHead, readLine } from './entry-line.ts';
import { lineEnds, openingOf, piece, piecesBackward, type RawLine } from './line.ts';

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

function mayName({ type }: EntryHead, line: RawLine): boolean {
  if (type === 'session_info') return true;
  return type === 'custom' && openingOf(line, 256).includes(`"${CHECKPOINT}"`);
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

const BEGINNING = Buffer.from('{"type":"session_info"');
/** A name's line is short; what is longer is something else that begins like it. */
const LONGEST = 64 * 1024;

/**
 * The newest name given between two offsets, the first of which is the beginning of a line. Looks at how lines begin and
 * reads none that begins otherwise.
 */
export async function findName(file: OpenFile, from: number, end: number): Promise<string | undefined> {
  const pieces = piecesBackward(file, from, end, { passing: true });
  /** How the piece after this one begins, for lines that begin on the edge. */
  let after: Buffer = Buffer.alloc(0);
  for (let next = await pieces(); next; next = await pieces()) {
    const { bytes, start } = next;
    const begins = (at: number) => startsWith(bytes, after, at);
    const ends = lineEnds(bytes);
    for (let index = ends.length - 1; index >= 0; index -= 1) {
      const at = (ends[index] as number) + 1;
      const name = begins(at) ? await nameAt(file, start + at, end) : undefined;
      if (name !== undefined) return name;
    }
    if (start === from && begins(0)) return nameAt(file, start, end);
    after = Buffer.from(bytes.subarray(0, BEGINNING.length));
  }
  return undefined;
}

function startsWith(bytes: Buffer, after: Buffer, at: number): boolean {
  const stop = at + BEGINNING.length;
  // Most lines are told apart by the first letter of their kind.
  if (stop <= bytes.length && bytes[at + 9] !== BEGINNING[9]) return false;
  const whole = stop <= bytes.length ? bytes.subarray(at, stop) : Buffer.concat([bytes.subarray(at), after]);
  return whole.subarray(0, BEGINNING.length).equals(BEGINNING);
}

async function nameAt(file: OpenFile, start: number, end: number): Promise<string | undefined> {
  const bytes = await piece(file, start, Math.min(LONGEST, end - start));
  const at = bytes.indexOf(LF);
  const line = bytes.subarray(0, at < 0 ? bytes.length : at);
  const { entry } = readLine({ start, length: line.length, bytes: line });
  return entry && nameIn(entry)?.name;
}
