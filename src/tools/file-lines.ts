// First floor, tools: lines of a file that may be larger than memory. Reads in ranges; knows nothing of notices.
import type { OpenFile } from '../contracts/index.ts';
import { stopIfAborted } from './result.ts';
import { MAX_BYTES, MAX_LINES } from './truncation.ts';

const LF = 0x0a;
const STEP = 256 * 1024;
/** A file is searched for line ends up to here; what lies beyond is for other programs. */
export const SCAN_LIMIT = 128 * 1024 * 1024;

export interface LineRange {
  /** 1-based. */
  first: number;
  /** How many lines are asked for. */
  count: number;
}

/** What was found of the lines asked for, and how the file goes on. Sizes are in bytes. */
export interface LinesFound {
  text: string;
  shown: number;
  /** Lines and bytes asked for that are there. */
  selected: number;
  selectedBytes: number;
  firstLineBytes: number;
  /** Lines of the whole file; a lower bound unless `complete`. */
  total: number;
  complete: boolean;
}

/** `undefined` text means that the range begins behind the last line. */
export type Lines = LinesFound | { text: undefined; total: number; complete: boolean };

export async function linesOf(file: OpenFile, range: LineRange, signal: AbortSignal): Promise<Lines> {
  const { first, count } = range;
  const survey = await surveyLines(file, new Set([first, first + 1, first + count]), signal);
  const { total, complete, bytes, starts } = survey;
  const start = starts.get(first);
  if (start === undefined || start >= bytes) return { text: undefined, total, complete };
  const end = starts.get(first + count) ?? bytes;
  const selected = starts.has(first + count) ? count : total - first + 1;
  const firstLineBytes = (starts.get(first + 1) ?? bytes + 1) - 1 - start;
  const window = await file.read(start, Math.min(end - start, MAX_BYTES + 1));
  const head = headOf(window, window.length === end - start);
  const isLast = complete && first + head.lines > total;
  const shown = isLast ? head.bytes : withoutFinalNewline(head.bytes);
  const text = new TextDecoder().decode(shown);
  return { text, shown: head.lines, selected, selectedBytes: end - start, firstLineBytes, total, complete };
}

/** Whole lines from the start of `window`, within both limits. The newline of the last one is not counted. */
function headOf(window: Uint8Array, endsSelection: boolean): { bytes: Uint8Array; lines: number } {
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

function withoutFinalNewline(bytes: Uint8Array): Uint8Array {
  return bytes.at(-1) === LF ? bytes.subarray(0, -1) : bytes;
}

interface Survey {
  total: number;
  bytes: number;
  complete: boolean;
  /** Where the lines that were asked for begin. */
  starts: Map<number, number>;
}

async function surveyLines(file: OpenFile, wanted: ReadonlySet<number>, signal: AbortSignal): Promise<Survey> {
  const starts = new Map([[1, 0]]);
  let line = 1;
  let bytes = 0;
  let last = LF;
  for (;;) {
    stopIfAborted(signal);
    const chunk = await file.read(bytes, STEP);
    // Not the size of the file: those of /proc say zero and still have content.
    if (chunk.length === 0) return { total: last === LF ? line - 1 : line, bytes, complete: true, starts };
    if (bytes >= SCAN_LIMIT) return { total: line, bytes, complete: false, starts };
    for (let at = chunk.indexOf(LF); at >= 0; at = chunk.indexOf(LF, at + 1)) {
      line += 1;
      if (wanted.has(line)) starts.set(line, bytes + at + 1);
    }
    last = chunk.at(-1) as number;
    bytes += chunk.length;
  }
}
