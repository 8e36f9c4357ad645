// The store's reader from the beginning of a file: lines in order, in bounded memory. Must not know what they say.
import { LF } from '../base/lines.ts';
import type { OpenFile } from '../contracts/ports.ts';
import { isBlank, LONGEST_LINE, piece, type RawLine, STEP } from './line.ts';

/** Hands over the lines between two offsets, in batches. An unfinished last line counts. */
export async function* linesForward(
  file: OpenFile,
  from: number,
  end: number,
  longest = LONGEST_LINE,
): AsyncGenerator<readonly RawLine[]> {
  let begun: Buffer[] = [];
  let lineStart = from;
  for (let position = from; position < end; ) {
    const chunk = await piece(file, position, Math.min(STEP, end - position));
    const lines: RawLine[] = [];
    let next = 0;
    for (let at = chunk.indexOf(LF); at >= 0; at = chunk.indexOf(LF, next)) {
      add(lines, lineStart, position + at, begun, chunk.subarray(next, at), longest);
      begun = [];
      next = at + 1;
      lineStart = position + next;
    }
    position += chunk.length;
    if (position - lineStart > longest) begun = [];
    else if (next < chunk.length) begun.push(chunk.subarray(next));
    if (position === end) add(lines, lineStart, end, begun, chunk.subarray(chunk.length), longest);
    yield lines;
  }
}

function add(into: RawLine[], start: number, end: number, begun: Buffer[], last: Buffer, longest: number): void {
  const length = end - start;
  if (length > longest) {
    into.push({ start, length, bytes: undefined });
    return;
  }
  const bytes = begun.length === 0 ? last : Buffer.concat([...begun, last], length);
  if (!isBlank(bytes)) into.push({ start, length, bytes });
}
