// Finds damaged lines right after the header, which reading back from the leaf does not reach.
import type { OpenFile } from '../contracts/ports.ts';
import type { LogDamage } from '../contracts/session-store.ts';
import { parseHead, parseLine } from './entry-line.ts';
import { findLineEnds, isBlankLine, readChunk } from './raw-line.ts';

/** Limits the cost: reading all lines would take as long as reading the whole history. */
const WINDOW_BYTES = 4096;
const OPENING_BRACE = 0x7b;

/** Returns the unreadable lines from `from` up to `limit`. The lines after `limit` have been read already. */
export async function findEarlyDamage(file: OpenFile, from: number, limit: number): Promise<LogDamage[]> {
  if (limit <= from) return [];
  const bytes = await readChunk(file, from, Math.min(WINDOW_BYTES, limit - from));
  const damage: LogDamage[] = [];
  let start = 0;
  for (const end of findLineEnds(bytes)) {
    const message = findLineProblem(bytes.subarray(start, end), from + start);
    if (message !== undefined) damage.push({ offset: from + start, message });
    start = end + 1;
  }
  // Only the beginning of a line that ends beyond the window is known. Entries are objects.
  const isTruncated = start < bytes.length;
  if (isTruncated && bytes[start] !== OPENING_BRACE)
    damage.push({ offset: from + start, message: 'a line is not an entry' });
  return damage;
}

function findLineProblem(bytes: Buffer, start: number): string | undefined {
  if (isBlankLine(bytes)) return undefined;
  const line = { start, length: bytes.length, bytes };
  return parseHead(line) ? undefined : parseLine(line).problem;
}
