// Reads the lines of a file in order, with bounded memory.
import { LF } from '../base/line-splitter.ts';
import type { OpenFile } from '../contracts/ports.ts';
import { CHUNK_BYTES, isBlankLine, MAX_LINE_BYTES, type RawLine, readChunk } from './raw-line.ts';

/** Yields the lines between two offsets in batches. A last line without a line end is included. */
export async function* readLinesForward(
  file: OpenFile,
  from: number,
  end: number,
  maxLineBytes = MAX_LINE_BYTES,
): AsyncGenerator<readonly RawLine[]> {
  let partialLine: Buffer[] = [];
  let lineStart = from;
  for (let position = from; position < end; ) {
    const chunk = await readChunk(file, position, Math.min(CHUNK_BYTES, end - position));
    const lines: RawLine[] = [];
    let next = 0;
    for (let at = chunk.indexOf(LF); at >= 0; at = chunk.indexOf(LF, next)) {
      pushLine(lines, lineStart, position + at, partialLine, chunk.subarray(next, at), maxLineBytes);
      partialLine = [];
      next = at + 1;
      lineStart = position + next;
    }
    position += chunk.length;
    if (position - lineStart > maxLineBytes) partialLine = [];
    else if (next < chunk.length) partialLine.push(chunk.subarray(next));
    if (position === end) pushLine(lines, lineStart, end, partialLine, chunk.subarray(chunk.length), maxLineBytes);
    yield lines;
  }
}

function pushLine(
  into: RawLine[],
  start: number,
  end: number,
  partialLine: Buffer[],
  last: Buffer,
  maxLineBytes: number,
): void {
  const length = end - start;
  if (length > maxLineBytes) {
    into.push({ start, length, bytes: undefined });
    return;
  }
  const bytes = partialLine.length === 0 ? last : Buffer.concat([...partialLine, last], length);
  if (!isBlankLine(bytes)) into.push({ start, length, bytes });
}
