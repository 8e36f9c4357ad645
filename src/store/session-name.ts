// Finds the name of a session: the last one set in the log.
import { isRecord } from '../base/json.ts';
import { LF } from '../base/line-splitter.ts';
import type { OpenFile } from '../contracts/ports.ts';
import type { SessionEntry } from '../protocol/session-entry.ts';
import { type EntryHead, parseLine } from './entry-line.ts';
import { createBackwardChunkReader, findLineEnds, getLinePrefix, type RawLine, readChunk } from './raw-line.ts';

/**
 * Written after each compaction, so that the entries before it need not be searched for a name. `data.name` is the name of
 * the session at that time; without it, the session had no name.
 */
export const CHECKPOINT_ENTRY = 'parley.checkpoint';

export interface NameResult {
  readonly name: string | undefined;
}

export interface NameSearch {
  readonly found: NameResult | undefined;
  /** Visits a line that was not parsed. Lines are visited from the end of the log to the start. */
  visitLine(head: EntryHead, line: RawLine): void;
  visitEntry(entry: SessionEntry): void;
}

export function createNameSearch(): NameSearch {
  let found: NameResult | undefined;
  const visitEntry = (entry: SessionEntry | undefined) => {
    if (!found && entry) found = getEntryName(entry);
  };
  return {
    get found() {
      return found;
    },
    visitLine(head, line) {
      if (!found && mayHoldName(head, line)) visitEntry(parseLine(line).entry);
    },
    visitEntry,
  };
}

function getEntryName(entry: SessionEntry): NameResult | undefined {
  if (entry.type === 'session_info') return isName(entry.name) ? { name: entry.name } : undefined;
  if (entry.type !== 'custom' || entry.customType !== CHECKPOINT_ENTRY || !isRecord(entry.data)) return undefined;
  return { name: isName(entry.data.name) ? entry.data.name : undefined };
}

function mayHoldName({ type }: EntryHead, line: RawLine): boolean {
  if (type === 'session_info') return true;
  return type === 'custom' && getLinePrefix(line, 256).includes(`"${CHECKPOINT_ENTRY}"`);
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

const NAME_LINE_START = Buffer.from('{"type":"session_info"');
/** A line with a name is short. A longer line is something else. */
const MAX_NAME_LINE_BYTES = 64 * 1024;

/**
 * Returns the last name set between two offsets. `from` must be the start of a line. Examines how each line starts and parses
 * only lines that start like a session_info entry.
 */
export async function findName(file: OpenFile, from: number, end: number): Promise<string | undefined> {
  const readNextChunk = createBackwardChunkReader(file, from, end, { reusesBuffers: true });
  /** The start of the following chunk, for a line start that is split between two chunks. */
  let nextChunkStart: Buffer = Buffer.alloc(0);
  for (let next = await readNextChunk(); next; next = await readNextChunk()) {
    const { bytes, start } = next;
    const isNameLine = (at: number) => startsWithNameLine(bytes, nextChunkStart, at);
    const ends = findLineEnds(bytes);
    for (let index = ends.length - 1; index >= 0; index -= 1) {
      const at = (ends[index] as number) + 1;
      const name = isNameLine(at) ? await readNameAt(file, start + at, end) : undefined;
      if (name !== undefined) return name;
    }
    if (start === from && isNameLine(0)) return readNameAt(file, start, end);
    nextChunkStart = Buffer.from(bytes.subarray(0, NAME_LINE_START.length));
  }
  return undefined;
}

function startsWithNameLine(bytes: Buffer, nextChunkStart: Buffer, at: number): boolean {
  const stop = at + NAME_LINE_START.length;
  // Fast check: the first character of the entry type excludes most lines.
  if (stop <= bytes.length && bytes[at + 9] !== NAME_LINE_START[9]) return false;
  const whole = stop <= bytes.length ? bytes.subarray(at, stop) : Buffer.concat([bytes.subarray(at), nextChunkStart]);
  return whole.subarray(0, NAME_LINE_START.length).equals(NAME_LINE_START);
}

async function readNameAt(file: OpenFile, start: number, end: number): Promise<string | undefined> {
  const bytes = await readChunk(file, start, Math.min(MAX_NAME_LINE_BYTES, end - start));
  const at = bytes.indexOf(LF);
  const line = bytes.subarray(0, at < 0 ? bytes.length : at);
  const { entry } = parseLine({ start, length: line.length, bytes: line });
  return entry && getEntryName(entry)?.name;
}
