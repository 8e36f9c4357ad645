// The store's look at the lines behind the header, which the way back from the leaf does not reach. Reads a few kilobytes at most.
import type { OpenFile } from '../contracts/ports.ts';
import type { LogDamage } from '../contracts/store.ts';
import { headOf, readLine } from './entry-line.ts';
import { isBlank, lineEnds, piece } from './line.ts';

/** More would cost what the history costs. */
const WINDOW = 4096;
const BRACE = 0x7b;

/** What cannot be read among the first lines of a log, up to `until`, from where on the rest has been read. */
export async function earlyDamage(file: OpenFile, from: number, until: number): Promise<LogDamage[]> {
  if (until <= from) return [];
  const bytes = await piece(file, from, Math.min(WINDOW, until - from));
  const damage: LogDamage[] = [];
  let start = 0;
  for (const end of lineEnds(bytes)) {
    const message = problemIn(bytes.subarray(start, end), from + start);
    if (message !== undefined) damage.push({ offset: from + start, message });
    start = end + 1;
  }
  // Of a line that ends beyond the window only the beginning is known: entries are objects.
  const isCut = start < bytes.length;
  if (isCut && bytes[start] !== BRACE) damage.push({ offset: from + start, message: 'a line is not an entry' });
  return damage;
}

function problemIn(bytes: Buffer, start: number): string | undefined {
  if (isBlank(bytes)) return undefined;
  const line = { start, length: bytes.length, bytes };
  return headOf(line) ? undefined : readLine(line).problem;
}
