// The store's reader from the end of a file: lines, last one first, as many as are asked for. Must not know what they say.
import type { OpenFile } from '../contracts/ports.ts';
import { isBlank, LF, LONGEST_LINE, piece, type RawLine, STEP } from './line.ts';

const FIRST_STEP = 64 * 1024;

export interface BackwardLines {
  /** The lines that begin in the piece before the last one, last line first; `undefined` when there is nothing before. */
  next(): Promise<RawLine[] | undefined>;
}

/** The lines between two offsets; the first one must be the beginning of a line. */
export function linesBackward(file: OpenFile, from: number, end: number, longest = LONGEST_LINE): BackwardLines {
  let position = end;
  let step = FIRST_STEP;
  /** The later parts of a line whose beginning lies further back, last part first. */
  let begun: Buffer[] = [];
  let begunBytes = 0;

  function hold(part: Buffer): void {
    begunBytes += part.length;
    if (begunBytes > longest) begun = [];
    else if (part.length > 0) begun.push(part);
  }

  function finish(first: Buffer, start: number, into: RawLine[]): void {
    const length = first.length + begunBytes;
    const bytes = length > longest ? undefined : joined(first, begun, length);
    begun = [];
    begunBytes = 0;
    if (bytes === undefined || !isBlank(bytes)) into.push({ start, length, bytes });
  }

  return {
    async next() {
      if (position <= from) return undefined;
      const start = Math.max(from, position - step);
      const chunk = await piece(file, start, position - start);
      position = start;
      step = STEP;
      const lines: RawLine[] = [];
      let stop = chunk.length;
      while (stop > 0) {
        const at = chunk.lastIndexOf(LF, stop - 1);
        if (at < 0) break;
        finish(chunk.subarray(at + 1, stop), start + at + 1, lines);
        stop = at;
      }
      if (start === from) finish(chunk.subarray(0, stop), start, lines);
      else hold(chunk.subarray(0, stop));
      return lines;
    },
  };
}

function joined(first: Buffer, rest: readonly Buffer[], length: number): Buffer {
  return rest.length === 0 ? first : Buffer.concat([first, ...rest.toReversed()], length);
}
