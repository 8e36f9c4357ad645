// Cuts a log into pieces that are stored as rows: lines with their line ends, and parts of lines that are too long for a row.
import { LF } from '../../base/line-splitter.ts';

export interface LogPiece {
  readonly bytes: Buffer;
  /** False for a part of a longer line. */
  readonly isLine: boolean;
  /** The first part of a line, or a whole line. */
  readonly beginsLine: boolean;
}

/** Larger than the lines of images. Rows are limited to 1 GB. */
const MAX_PIECE_BYTES = 32 * 1024 * 1024;

/** The bytes of all pieces are those of all chunks. Holds one chunk and one piece in memory. */
export async function* cutLog(
  chunks: AsyncIterable<Buffer>,
  maxPieceBytes = MAX_PIECE_BYTES,
): AsyncGenerator<readonly LogPiece[]> {
  let begun: Buffer[] = [];
  let begunBytes = 0;
  let beginsLine = true;
  const take = (rest: Buffer, isEnd: boolean): LogPiece => {
    const bytes = begun.length === 0 ? rest : Buffer.concat([...begun, rest]);
    const piece = { bytes, isLine: beginsLine && isEnd, beginsLine };
    begun = [];
    begunBytes = 0;
    beginsLine = isEnd;
    return piece;
  };
  for await (const chunk of chunks) {
    const pieces: LogPiece[] = [];
    let next = 0;
    for (let at = chunk.indexOf(LF); at >= 0; at = chunk.indexOf(LF, next)) {
      pieces.push(take(chunk.subarray(next, at + 1), true));
      next = at + 1;
    }
    if (next < chunk.length) {
      begun.push(chunk.subarray(next));
      begunBytes += chunk.length - next;
      if (begunBytes >= maxPieceBytes) pieces.push(take(Buffer.alloc(0), false));
    }
    yield pieces;
  }
  // A last line without a line end.
  if (begunBytes > 0) yield [take(Buffer.alloc(0), true)];
}
