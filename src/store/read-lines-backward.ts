// Reads the lines of a file from the end, on demand.
import type { OpenFile } from '../contracts/ports.ts';
import {
  CHUNK_BYTES,
  ChunkLine,
  createBackwardChunkReader,
  findLineEnds,
  isBlankLine,
  MAX_LINE_BYTES,
  type RawLine,
  readChunkSync,
} from './raw-line.ts';

const FIRST_CHUNK_BYTES = 64 * 1024;

export interface BackwardLineReader {
  /** Returns the lines that start in the preceding chunk, last line first; `undefined` when there are no more. */
  next(): Promise<RawLine[] | undefined>;
}

/** Reads the lines between two offsets. `from` must be the start of a line. */
export function readLinesBackward(
  file: OpenFile,
  from: number,
  end: number,
  maxLineBytes = MAX_LINE_BYTES,
): BackwardLineReader {
  const readNextChunk = createBackwardChunkReader(file, from, end, { firstChunkBytes: FIRST_CHUNK_BYTES });
  const splitLines = createBackwardSplitter(from, maxLineBytes);
  return {
    async next() {
      const chunk = await readNextChunk();
      return chunk && splitLines(chunk.bytes, chunk.start);
    },
  };
}

/** The same, but synchronous. */
export function* readLinesBackwardSync(file: OpenFile, from: number, end: number): Generator<RawLine[]> {
  const splitLines = createBackwardSplitter(from, MAX_LINE_BYTES);
  for (let stop = end; stop > from; ) {
    const start = Math.max(from, stop - CHUNK_BYTES);
    yield splitLines(readChunkSync(file, start, stop - start), start);
    stop = start;
  }
}

/** Takes chunks, the last one first, and returns the lines that start in each, last line first. */
function createBackwardSplitter(from: number, maxLineBytes: number): (bytes: Buffer, start: number) => RawLine[] {
  /** Later parts of a line whose start is in an earlier chunk, last part first. */
  let partialLine: Buffer[] = [];
  let partialBytes = 0;

  function addPart(part: Buffer): void {
    partialBytes += part.length;
    if (partialBytes > maxLineBytes) partialLine = [];
    else if (part.length > 0) partialLine.push(part);
  }

  function emitLine(first: Buffer, start: number, into: RawLine[]): void {
    const length = first.length + partialBytes;
    const bytes = length > maxLineBytes ? undefined : joinParts(first, partialLine, length);
    partialLine = [];
    partialBytes = 0;
    if (bytes === undefined || !isBlankLine(bytes)) into.push({ start, length, bytes });
  }

  return (bytes, start) => {
    const lines: RawLine[] = [];
    const ends = findLineEnds(bytes);
    const last = ends.at(-1);
    if (last !== undefined) emitLine(bytes.subarray(last + 1), start + last + 1, lines);
    for (let at = ends.length - 1; at > 0; at -= 1) {
      const line = new ChunkLine(
        bytes,
        (ends[at - 1] as number) + 1,
        ends[at] as number,
        start + (ends[at - 1] as number) + 1,
      );
      if (line.length > maxLineBytes) lines.push({ start: line.start, length: line.length, bytes: undefined });
      else if (line.length > 1 || !isBlankLine(line.bytes)) lines.push(line);
    }
    const first = bytes.subarray(0, ends[0] ?? bytes.length);
    if (start === from) emitLine(first, start, lines);
    else addPart(first);
    return lines;
  };
}

function joinParts(first: Buffer, rest: readonly Buffer[], length: number): Buffer {
  return rest.length === 0 ? first : Buffer.concat([first, ...rest.toReversed()], length);
}
