// The store's lines: what a reader finds between two line ends. Must not know what a line says.
import { LF } from '../base/lines.ts';
import type { OpenFile } from '../contracts/ports.ts';

/** More than this is never held in memory. Twice what a host may send in one line. */
export const LONGEST_LINE = 128 * 1024 * 1024;

/** What the system hands over in one go; see the real files' own step. */
export const STEP = 256 * 1024;

export interface RawLine {
  /** Where it begins in the file. */
  readonly start: number;
  readonly length: number;
  /** Without its line end; absent when it is too long to be looked at. */
  readonly bytes: Buffer | undefined;
}

/** A line inside a piece of the file. A view on its bytes is made when somebody asks: most lines are only glanced at. */
export class LineInPiece implements RawLine {
  readonly start: number;
  readonly length: number;
  readonly #piece: Buffer;
  readonly #from: number;

  constructor(piece: Buffer, from: number, to: number, start: number) {
    this.start = start;
    this.length = to - from;
    this.#piece = piece;
    this.#from = from;
  }

  get bytes(): Buffer {
    return this.#piece.subarray(this.#from, this.#from + this.length);
  }

  get lastByte(): number | undefined {
    return this.#piece[this.#from + this.length - 1];
  }

  /** Its first bytes, as characters. */
  opening(length: number): string {
    return this.#piece.toString('latin1', this.#from, this.#from + Math.min(length, this.length));
  }
}

/** The first bytes of any line, as characters; empty for one that is too long to be looked at. */
export function openingOf(line: RawLine, length: number): string {
  if (line instanceof LineInPiece) return line.opening(length);
  return line.bytes?.toString('latin1', 0, length) ?? '';
}

export function lastByteOf(line: RawLine): number | undefined {
  return line instanceof LineInPiece ? line.lastByte : line.bytes?.at(-1);
}

/** Where the lines of a piece end. Forward, because that way the processor looks at many bytes at once. */
export function lineEnds(piece: Buffer): number[] {
  const ends: number[] = [];
  for (let at = piece.indexOf(LF); at >= 0; at = piece.indexOf(LF, at + 1)) ends.push(at);
  return ends;
}

/** A piece of the file that must be there. */
export async function piece(file: OpenFile, start: number, length: number, into?: Uint8Array): Promise<Buffer> {
  return whole(await file.read(start, length, into), start, length);
}

export function pieceNow(file: OpenFile, start: number, length: number): Buffer {
  return whole(file.readNow(start, length), start, length);
}

function whole(read: Uint8Array, start: number, length: number): Buffer {
  if (read.length < length) throw new Error(`it ends at byte ${start + read.length}, before its end`);
  return Buffer.from(read.buffer, read.byteOffset, read.byteLength);
}

/**
 * The pieces of a file between two offsets, the last one first. The next one is on its way while one is looked at. With
 * `passing`, a piece is good only until the next one is asked for.
 */
export function piecesBackward(
  file: OpenFile,
  from: number,
  end: number,
  { firstStep = STEP, passing = false }: { firstStep?: number; passing?: boolean } = {},
) {
  /** Fresh memory costs more than reading into it. */
  const buffers = passing && end - from > STEP ? [Buffer.allocUnsafe(STEP), Buffer.allocUnsafe(STEP)] : [];
  let position = end;
  let step = firstStep;
  let pieces = 0;
  let coming: Promise<Buffer> | undefined;

  function read(): Promise<Buffer> {
    const start = Math.max(from, position - step);
    const into = buffers.shift();
    if (into) buffers.push(into);
    const reading = piece(file, start, position - start, into);
    position = start;
    step = STEP;
    return reading;
  }

  return async (): Promise<{ bytes: Buffer; start: number } | undefined> => {
    if (!coming && position <= from) return undefined;
    const bytes = await (coming ?? read());
    const start = position;
    pieces += 1;
    // Who only wants the end of the file has it by now.
    coming = pieces > 1 && position > from ? read() : undefined;
    coming?.catch(() => {});
    return { bytes, start };
  };
}

export function isBlank(bytes: Buffer): boolean {
  return bytes.length === 0 || (bytes.length === 1 && bytes[0] === 0x0d);
}
