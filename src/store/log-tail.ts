// Examines the end of a log for an incomplete line that a crash left. Read-only; the first append repairs the file.
import { isRecord } from '../base/json.ts';
import { LF } from '../base/line-splitter.ts';
import type { OpenFile } from '../contracts/ports.ts';
import type { LogDamage } from '../contracts/session-store.ts';
import { CHUNK_BYTES, MAX_LINE_BYTES, readChunk } from './raw-line.ts';

export interface LogTail {
  /** End of the valid part. Bytes after it are truncated before an append. */
  readonly validEnd: number;
  /** The last valid line has no line end. */
  readonly lacksFinalNewline: boolean;
  readonly damage?: LogDamage;
}

/** Searches no further back than `from`, where the header ends. */
export async function readTail(file: OpenFile, from: number, size: number): Promise<LogTail> {
  if ((await readChunk(file, size - 1, 1))[0] === LF) return { validEnd: size, lacksFinalNewline: false };
  // A header without a line end.
  if (size === from) return { validEnd: size, lacksFinalNewline: true };
  const start = await findLastLineStart(file, from, size);
  const length = size - start;
  // A line that is too long to parse is kept. Readers skip it.
  if (length > MAX_LINE_BYTES || isJsonObject(await readChunk(file, start, length)))
    return { validEnd: size, lacksFinalNewline: true };
  const message = `the last line is incomplete after ${length} bytes`;
  return { validEnd: start, lacksFinalNewline: false, damage: { offset: start, message } };
}

async function findLastLineStart(file: OpenFile, from: number, size: number): Promise<number> {
  for (let stop = size; stop > from; ) {
    const start = Math.max(from, stop - CHUNK_BYTES);
    const at = (await readChunk(file, start, stop - start)).lastIndexOf(LF);
    if (at >= 0) return start + at + 1;
    stop = start;
  }
  return from;
}

function isJsonObject(line: Buffer): boolean {
  try {
    return isRecord(JSON.parse(line.toString('utf8')));
  } catch {
    return false;
  }
}
