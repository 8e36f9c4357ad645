// The store's lines: what a reader finds between two line ends. Must not know what a line says.
import type { OpenFile } from '../contracts/ports.ts';

/** More than this is never held in memory. Twice what a host may send in one line. */
export const LONGEST_LINE = 128 * 1024 * 1024;

export const LF = 0x0a;
/** What the system hands over in one go; see the real files' own step. */
export const STEP = 256 * 1024;

export interface RawLine {
  /** Where it begins in the file. */
  readonly start: number;
  readonly length: number;
  /** Without its line end; absent when it is too long to be looked at. Valid until the next piece of the file is read. */
  readonly bytes: Buffer | undefined;
}

/** A piece of the file that must be there. */
export async function piece(file: OpenFile, start: number, length: number): Promise<Buffer> {
  const read = await file.read(start, length);
  if (read.length < length) throw new Error(`it ends at byte ${start + read.length}, before its end`);
  return Buffer.from(read.buffer, read.byteOffset, read.byteLength);
}

export function isBlank(bytes: Buffer): boolean {
  return bytes.length === 0 || (bytes.length === 1 && bytes[0] === 0x0d);
}
