// Splits a byte stream into lines, on byte 0x0A only: all other "line ends" may occur inside JSON text.
import { concatBytes } from './concat-bytes.ts';

/** One line of input, or `problem` when it was too long or not UTF-8. Then its bytes are dropped and the next line is complete. */
export type Line = { text: string } | { problem: string };

export const DEFAULT_LINE_LIMIT = 64 * 1024 * 1024;

export const LF = 0x0a;
const CR = 0x0d;

/** Whole lines are decoded, so that a chunk boundary cannot split a character. */
export class LineSplitter {
  readonly #limit: number;
  // `fatal`: invalid bytes are reported instead of being replaced by U+FFFD. A leading BOM is dropped by default.
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  readonly #partial = new PartialLine();
  #skipping = false;

  /** `limit` is the maximum number of bytes of one line without its line end. */
  constructor(limit: number = DEFAULT_LINE_LIMIT) {
    this.#limit = limit;
  }

  push(chunk: Uint8Array): Line[] {
    const lines: Line[] = [];
    let start = 0;
    for (let end = chunk.indexOf(LF); end >= 0; end = chunk.indexOf(LF, start)) {
      this.#finish(chunk.subarray(start, end), lines);
      start = end + 1;
    }
    if (start < chunk.length) this.#addPartial(chunk.subarray(start), lines);
    return lines;
  }

  /** The stream has ended: remaining bytes without a newline count as a line. */
  end(): Line[] {
    const lines: Line[] = [];
    this.#finish(new Uint8Array(0), lines);
    return lines;
  }

  #addPartial(part: Uint8Array, lines: Line[]): void {
    if (this.#skipping) return;
    if (this.#isTooLong(part)) {
      // Reported once, here, so that a host that never sends a newline still receives the error.
      lines.push(this.#createTooLongProblem());
      this.#partial.clear();
      this.#skipping = true;
      return;
    }
    this.#partial.add(part);
  }

  #finish(last: Uint8Array, lines: Line[]): void {
    if (this.#skipping) {
      this.#skipping = false;
      return;
    }
    if (this.#isTooLong(last)) {
      lines.push(this.#createTooLongProblem());
      this.#partial.clear();
      return;
    }
    let bytes = this.#partial.length === 0 ? last : this.#partial.take(last);
    if (bytes.at(-1) === CR) bytes = bytes.subarray(0, -1);
    if (bytes.length > this.#limit) lines.push(this.#createTooLongProblem());
    else if (bytes.length > 0) this.#decode(bytes, lines);
  }

  /** One byte over the limit is accepted here, because it may be the CR of a CRLF. */
  #isTooLong(part: Uint8Array): boolean {
    return this.#partial.length + part.length > this.#limit + 1;
  }

  #createTooLongProblem(): Line {
    return { problem: `line exceeds the limit of ${this.#limit} bytes` };
  }

  #decode(bytes: Uint8Array, lines: Line[]): void {
    try {
      const text = this.#decoder.decode(bytes);
      if (text.trim() !== '') lines.push({ text });
    } catch {
      lines.push({ problem: 'line is not valid UTF-8' });
    }
  }
}

const SMALL_PART_BYTES = 16 * 1024;

/** The bytes of an incomplete line. Small chunks are copied into one buffer: a host may write byte by byte. */
class PartialLine {
  #parts: Uint8Array[] = [];
  #partBytes = 0;
  #tail: Uint8Array | undefined;
  #tailBytes = 0;

  get length(): number {
    return this.#partBytes + this.#tailBytes;
  }

  add(part: Uint8Array): void {
    if (part.length >= SMALL_PART_BYTES) {
      this.#flushTail();
      this.#addPart(part);
      return;
    }
    this.#tail ??= new Uint8Array(4 * SMALL_PART_BYTES);
    if (this.#tailBytes + part.length > this.#tail.length) this.#flushTail();
    this.#tail.set(part, this.#tailBytes);
    this.#tailBytes += part.length;
  }

  /** The whole line, valid until the next `add`. */
  take(last: Uint8Array): Uint8Array {
    this.add(last);
    if (this.#parts.length > 0) this.#flushTail();
    const whole =
      this.#parts.length > 0 ? concatBytes(this.#parts) : (this.#tail as Uint8Array).subarray(0, this.#tailBytes);
    this.clear();
    return whole;
  }

  clear(): void {
    this.#parts = [];
    this.#partBytes = 0;
    this.#tailBytes = 0;
  }

  #flushTail(): void {
    if (this.#tailBytes > 0) this.#addPart((this.#tail as Uint8Array).slice(0, this.#tailBytes));
    this.#tailBytes = 0;
  }

  #addPart(part: Uint8Array): void {
    this.#parts.push(part);
    this.#partBytes += part.length;
  }
}
