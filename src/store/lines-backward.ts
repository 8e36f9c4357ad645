// The store's reader from the end of a file: lines, last one first, as many as are asked for. Must not know what they say.
import type { OpenFile } from '../contracts/ports.ts';
import { isBlank, LineInPiece, LONGEST_LINE, lineEnds, pieceNow, piecesBackward, type RawLine, STEP } from './line.ts';

const FIRST_STEP = 64 * 1024;

export interface BackwardLines {
  /** The lines that begin in the piece before the last one, last line first; `undefined` when there is nothing before. */
  next(): Promise<RawLine[] | undefined>;
}

/** The lines between two offsets; the first one must be the beginning of a line. */
export function linesBackward(file: OpenFile, from: number, end: number, longest = LONGEST_LINE): BackwardLines {
  const pieces = piecesBackward(file, from, end, { firstStep: FIRST_STEP });
  const split = createSplit(from, longest);
  return {
    async next() {
      const piece = await pieces();
      return piece && split(piece.bytes, piece.start);
    },
  };
}

/** The same while everything waits. */
export function* linesBackwardNow(file: OpenFile, from: number, end: number): Generator<RawLine[]> {
  const split = createSplit(from, LONGEST_LINE);
  for (let stop = end; stop > from; ) {
    const start = Math.max(from, stop - STEP);
    yield split(pieceNow(file, start, stop - start), start);
    stop = start;
  }
}

/** Takes pieces, the last one first, and gives the lines that begin in each, last line first. */
function createSplit(from: number, longest: number): (bytes: Buffer, start: number) => RawLine[] {
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

  return (bytes, start) => {
    const lines: RawLine[] = [];
    const ends = lineEnds(bytes);
    const last = ends.at(-1);
    if (last !== undefined) finish(bytes.subarray(last + 1), start + last + 1, lines);
    for (let at = ends.length - 1; at > 0; at -= 1) {
      const line = new LineInPiece(
        bytes,
        (ends[at - 1] as number) + 1,
        ends[at] as number,
        start + (ends[at - 1] as number) + 1,
      );
      if (line.length > longest) lines.push({ start: line.start, length: line.length, bytes: undefined });
      else if (line.length > 1 || !isBlank(line.bytes)) lines.push(line);
    }
    const first = bytes.subarray(0, ends[0] ?? bytes.length);
    if (start === from) finish(first, start, lines);
    else hold(first);
    return lines;
  };
}

function joined(first: Buffer, rest: readonly Buffer[], length: number): Buffer {
  return rest.length === 0 ? first : Buffer.concat([first, ...rest.toReversed()], length);
}
