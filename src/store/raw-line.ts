// Reads raw lines and chunks of a file.
import { LF } from '../base/line-splitter.ts';
import type { OpenFile } from '../contracts/ports.ts';

/** Longer lines are never held in memory. Twice the limit for a line from a host. */
export const MAX_LINE_BYTES = 128 * 1024 * 1024;

/** The size of one read; the same as the step size of the file port. */
export const CHUNK_BYTES = 256 * 1024;

export interface RawLine {
  /** Offset in the file. */
  readonly start: number;
  readonly length: number;
  /** Without the line end; `undefined` when the line is too long to read. */
  readonly bytes: Buffer | undefined;
}

/** A line inside a chunk. Its buffer view is created on demand, because most lines are examined only at their start. */
export class ChunkLine implements RawLine {
  readonly start: number;
  readonly length: number;
  readonly #chunk: Buffer;
  readonly #from: number;

  constructor(chunk: Buffer, from: number, to: number, start: number) {
    this.start = start;
    this.length = to - from;
    this.#chunk = chunk;
    this.#from = from;
  }

  get bytes(): Buffer {
    return this.#chunk.subarray(this.#from, this.#from + this.length);
  }

  get lastByte(): number | undefined {
    return this.#chunk[this.#from + this.length - 1];
  }

  /** Returns the first bytes as latin1 characters. */
  readPrefix(length: number): string {
    return this.#chunk.toString('latin1', this.#from, this.#from + Math.min(length, this.length));
  }
}

/** Returns the first bytes of any line as latin1 characters; empty for a line that is too long to read. */
export function getLinePrefix(line: RawLine, length: number): string {
  if (line instanceof ChunkLine) return line.readPrefix(length);
  return line.bytes?.toString('latin1', 0, length) ?? '';
}

export function getLastByte(line: RawLine): number | undefined {
  return line instanceof ChunkLine ? line.lastByte : line.bytes?.at(-1);
}

/** Offsets of the line ends of a chunk. Searches forward, because that search is vectorized. */
export function findLineEnds(chunk: Buffer): number[] {
  const ends: number[] = [];
  for (let at = chunk.indexOf(LF); at >= 0; at = chunk.indexOf(LF, at + 1)) ends.push(at);
  return ends;
}

/** Reads a chunk. Throws when the file ends before it. */
export async function readChunk(file: OpenFile, start: number, length: number, into?: Uint8Array): Promise<Buffer> {
  return requireFullChunk(await file.read(start, length, into), start, length);
}

export function readChunkSync(file: OpenFile, start: number, length: number): Buffer {
  return requireFullChunk(file.readSync(start, length), start, length);
}

function requireFullChunk(read: Uint8Array, start: number, length: number): Buffer {
  if (read.length < length) throw new Error(`unexpected end of file at byte ${start + read.length}`);
  return Buffer.from(read.buffer, read.byteOffset, read.byteLength);
}

/**
 * Reads the chunks between two offsets, the last one first. The next chunk is read in advance. With `reusesBuffers`, a chunk
 * is valid only until the next one is requested.
 */
export function createBackwardChunkReader(
  file: OpenFile,
  from: number,
  end: number,
  { firstChunkBytes = CHUNK_BYTES, reusesBuffers = false }: { firstChunkBytes?: number; reusesBuffers?: boolean } = {},
) {
  /** Two reused buffers, because allocating memory costs more than reading into it. */
  const buffers =
    reusesBuffers && end - from > CHUNK_BYTES ? [Buffer.allocUnsafe(CHUNK_BYTES), Buffer.allocUnsafe(CHUNK_BYTES)] : [];
  let position = end;
  let chunkBytes = firstChunkBytes;
  let chunkCount = 0;
  let pendingRead: Promise<Buffer> | undefined;

  function read(): Promise<Buffer> {
    const start = Math.max(from, position - chunkBytes);
    const into = buffers.shift();
    if (into) buffers.push(into);
    const reading = readChunk(file, start, position - start, into);
    position = start;
    chunkBytes = CHUNK_BYTES;
    return reading;
  }

  return async (): Promise<{ bytes: Buffer; start: number } | undefined> => {
    if (!pendingRead && position <= from) return undefined;
    const bytes = await (pendingRead ?? read());
    const start = position;
    chunkCount += 1;
    // No read-ahead for the first chunk: many callers need only the end of the file.
    pendingRead = chunkCount > 1 && position > from ? read() : undefined;
    pendingRead?.catch(() => {});
    return { bytes, start };
  };
}

export function isBlankLine(bytes: Buffer): boolean {
  return bytes.length === 0 || (bytes.length === 1 && bytes[0] === 0x0d);
}
