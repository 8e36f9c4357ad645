// Stores the end of an output of any length in fixed memory, with exact totals.
import type { ShellTail } from '../contracts/index.ts';
import { MAX_BYTES, MAX_LINES } from '../support/truncation.ts';

const LF = 0x0a;
/** One byte more than is shown, to detect whether the first shown byte starts a line. */
const RETAINED_BYTES = MAX_BYTES + 1;

export interface TailSnapshot extends ShellTail {
  truncatedBy: 'lines' | 'bytes' | null;
  /** Size of the whole last line, even if only its end is shown. */
  lastLineBytes: number;
}

export class OutputTail {
  readonly #ring = Buffer.allocUnsafe(2 * RETAINED_BYTES);
  #end = 0;
  #totalBytes = 0;
  #newlines = 0;
  /** Bytes since the last newline, and between the last two newlines. */
  #openLine = 0;
  #closedLine = 0;

  append(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#count(bytes);
    const retained = bytes.subarray(Math.max(0, bytes.length - RETAINED_BYTES));
    if (this.#end + retained.length > this.#ring.length) {
      const remaining = Math.max(0, RETAINED_BYTES - retained.length);
      this.#ring.copyWithin(0, this.#end - remaining, this.#end);
      this.#end = remaining;
    }
    this.#ring.set(retained, this.#end);
    this.#end += retained.length;
  }

  /** Whether the whole output can still be shown after `bytes` is appended. */
  canShowAllWith(bytes: Uint8Array): boolean {
    const lines = this.#newlines + countNewlines(bytes) + (bytes.at(-1) === LF ? 0 : 1);
    return this.#totalBytes + bytes.length <= MAX_BYTES && lines <= MAX_LINES;
  }

  /** A copy of the whole output. Valid only while all of it can be shown. */
  copyAll(): Uint8Array {
    return Uint8Array.prototype.slice.call(this.#ring, 0, this.#end);
  }

  snapshot(): TailSnapshot {
    const totalLines = this.#totalLines;
    const fitsWhole = this.#totalBytes <= MAX_BYTES && totalLines <= MAX_LINES;
    const shown = fitsWhole ? { start: 0, lines: totalLines, partial: false, by: null } : this.#findVisibleRange();
    const bytes = this.#ring.subarray(shown.start, this.#end);
    return {
      output: bytes.toString('utf8'),
      truncated: shown.by !== null,
      truncatedBy: shown.by,
      firstLine: Math.max(1, totalLines - shown.lines + 1),
      totalLines,
      totalBytes: this.#totalBytes,
      outputLines: shown.lines,
      outputBytes: bytes.length,
      partialLine: shown.partial,
      lastLineBytes: this.#openLine > 0 ? this.#openLine : this.#closedLine,
    };
  }

  get #totalLines(): number {
    return this.#newlines + (this.#openLine > 0 ? 1 : 0);
  }

  /** As many complete lines from the end as fit, or the end of the last line if that line does not fit. */
  #findVisibleRange(): { start: number; lines: number; partial: boolean; by: 'lines' | 'bytes' } {
    const ring = this.#ring;
    const earliest = Math.max(0, this.#end - MAX_BYTES);
    let start = this.#end;
    for (let lines = 0; lines < MAX_LINES; lines += 1) {
      // The newline before the line that ends at `start`; `start - 1` is the newline of that line itself.
      const before = start < 2 ? -1 : ring.lastIndexOf(LF, start - 2);
      const lineStart = before + 1;
      const isWhole = before >= 0 || this.#totalBytes === this.#end;
      if (lineStart < earliest || !isWhole) {
        return lines > 0 ? { start, lines, partial: false, by: 'bytes' } : this.#findLineEndRange(earliest);
      }
      start = lineStart;
    }
    return { start, lines: MAX_LINES, partial: false, by: 'lines' };
  }

  #findLineEndRange(earliest: number): { start: number; lines: number; partial: boolean; by: 'bytes' } {
    let start = earliest;
    // Do not start inside a UTF-8 character.
    while (start < this.#end && ((this.#ring[start] as number) & 0xc0) === 0x80) start += 1;
    return { start, lines: 1, partial: true, by: 'bytes' };
  }

  #count(bytes: Uint8Array): void {
    this.#totalBytes += bytes.length;
    const newlines = countNewlines(bytes);
    this.#newlines += newlines;
    if (newlines === 0) {
      this.#openLine += bytes.length;
      return;
    }
    const last = bytes.lastIndexOf(LF);
    const beforeLast = last === 0 ? -1 : bytes.lastIndexOf(LF, last - 1);
    this.#closedLine = beforeLast >= 0 ? last - beforeLast - 1 : this.#openLine + last;
    this.#openLine = bytes.length - last - 1;
  }
}

function countNewlines(bytes: Uint8Array): number {
  let newlines = 0;
  for (let i = 0; i < bytes.length; i += 1) if (bytes[i] === LF) newlines += 1;
  return newlines;
}
