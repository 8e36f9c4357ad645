// The store's look at the end of a log: what a crash may have left there. Only looks; the first append makes it good.
import { isRecord } from '../base/json.ts';
import { LF } from '../base/lines.ts';
import type { OpenFile } from '../contracts/ports.ts';
import type { LogDamage } from '../contracts/store.ts';
import { LONGEST_LINE, piece, STEP } from './line.ts';

export interface Tail {
  /** What counts ends here; what lies beyond goes before anything is appended. */
  readonly good: number;
  /** The last line that counts has no line end yet. */
  readonly unterminated: boolean;
  readonly damage?: LogDamage;
}

/** Looks no further back than `from`, where the header ends. */
export async function tailOf(file: OpenFile, from: number, size: number): Promise<Tail> {
  if ((await piece(file, size - 1, 1))[0] === LF) return { good: size, unterminated: false };
  // A header without a line end.
  if (size === from) return { good: size, unterminated: true };
  const start = await lastLineStart(file, from, size);
  const length = size - start;
  // Too long to be looked at: it stays as it is, a line that readers pass over.
  if (length > LONGEST_LINE || isWhole(await piece(file, start, length))) return { good: size, unterminated: true };
  const message = `the last line broke off after ${length} bytes`;
  return { good: start, unterminated: false, damage: { offset: start, message } };
}

async function lastLineStart(file: OpenFile, from: number, size: number): Promise<number> {
  for (let stop = size; stop > from; ) {
    const start = Math.max(from, stop - STEP);
    const at = (await piece(file, start, stop - start)).lastIndexOf(LF);
    if (at >= 0) return start + at + 1;
    stop = start;
  }
  return from;
}

function isWhole(line: Buffer): boolean {
  try {
    return isRecord(JSON.parse(line.toString('utf8')));
  } catch {
    return false;
  }
}
