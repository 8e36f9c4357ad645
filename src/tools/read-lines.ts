// Reads a range of lines from a file that may be larger than memory.
import type { OpenFile } from '../contracts/index.ts';
import { MAX_BYTES, MAX_LINES } from '../support/truncation.ts';
import { throwIfAborted } from './result.ts';

const LF = 0x0a;
const CHUNK_BYTES = 256 * 1024;
/** Lines beyond this offset cannot be read; the model must use other programs. */
export const MAX_SCAN_BYTES = 128 * 1024 * 1024;

export interface LineRange {
  /** 1-based. */
  first: number;
  /** Number of requested lines. */
  count: number;
}

/** The requested lines, and totals of the file. Sizes are in bytes. */
export interface LineSelection {
  text: string;
  shownLines: number;
  /** Requested lines and bytes that exist. */
  selectedLines: number;
  selectedBytes: number;
  firstLineBytes: number;
  /** Lines of the whole file; a lower bound unless `isComplete`. */
  totalLines: number;
  isComplete: boolean;
}

/** `text` is undefined when the range starts after the last line. */
export type ReadLinesResult = LineSelection | { text: undefined; totalLines: number; isComplete: boolean };

export async function readLines(
  file: Pick<OpenFile, 'read'>,
  range: LineRange,
  signal: AbortSignal,
): Promise<ReadLinesResult> {
  const { first, count } = range;
  const index = await indexLines(file, new Set([first, first + 1, first + count]), signal);
  const { totalLines, isComplete, bytes, starts } = index;
  const start = starts.get(first);
  if (start === undefined || start >= bytes) return { text: undefined, totalLines, isComplete };
  const end = starts.get(first + count) ?? bytes;
  const selectedLines = starts.has(first + count) ? count : totalLines - first + 1;
  const firstLineBytes = (starts.get(first + 1) ?? bytes + 1) - 1 - start;
  const window = await file.read(start, Math.min(end - start, MAX_BYTES + 1));
  const head = takeLinesWithinLimits(window, window.length === end - start);
  const isLast = isComplete && first + head.lines > totalLines;
  const shown = isLast ? head.bytes : removeFinalNewline(head.bytes);
  const text = new TextDecoder().decode(shown);
  return {
    text,
    shownLines: head.lines,
    selectedLines,
    selectedBytes: end - start,
    firstLineBytes,
    totalLines,
    isComplete,
  };
}

/** Complete lines from the start of `window` within MAX_LINES and MAX_BYTES. The newline of the last line does not count. */
function takeLinesWithinLimits(window: Uint8Array, endsSelection: boolean): { bytes: Uint8Array; lines: number } {
  let end = 0;
  let lines = 0;
  while (lines < MAX_LINES && end < window.length) {
    const newline = window.indexOf(LF, end);
    if (newline < 0 && !endsSelection) break;
    const lineEnd = newline < 0 ? window.length : newline;
    if (lineEnd > MAX_BYTES) break;
    end = Math.min(lineEnd + 1, window.length);
    lines += 1;
  }
  return { bytes: window.subarray(0, end), lines };
}

function removeFinalNewline(bytes: Uint8Array): Uint8Array {
  return bytes.at(-1) === LF ? bytes.subarray(0, -1) : bytes;
}

interface LineIndex {
  totalLines: number;
  bytes: number;
  isComplete: boolean;
  /** Offsets of the requested lines. */
  starts: Map<number, number>;
}

async function indexLines(
  file: Pick<OpenFile, 'read'>,
  requestedLines: ReadonlySet<number>,
  signal: AbortSignal,
): Promise<LineIndex> {
  const starts = new Map([[1, 0]]);
  let line = 1;
  let bytes = 0;
  let last = LF;
  for (;;) {
    throwIfAborted(signal);
    const chunk = await file.read(bytes, CHUNK_BYTES);
    // Do not use the file size: files in /proc report size 0 but have content.
    if (chunk.length === 0) return { totalLines: last === LF ? line - 1 : line, bytes, isComplete: true, starts };
    if (bytes >= MAX_SCAN_BYTES) return { totalLines: line, bytes, isComplete: false, starts };
    for (let at = chunk.indexOf(LF); at >= 0; at = chunk.indexOf(LF, at + 1)) {
      line += 1;
      if (requestedLines.has(line)) starts.set(line, bytes + at + 1);
    }
    last = chunk.at(-1) as number;
    bytes += chunk.length;
  }
}
