// Ground floor: bytes in, lines out. Splits on byte 0x0A only, because every other "line end" may stand inside JSON text.

/** One line of input, or the news that one was too long or not UTF-8 (its bytes are gone, the next line is whole). */
export type Line = { text: string } | { problem: string };

export const DEFAULT_LINE_LIMIT = 64 * 1024 * 1024;

export const LF = 0x0a;
const CR = 0x0d;

/** Cuts a byte stream into lines. Decoding happens per whole line, so chunk edges cannot split a character. */
export class LineSplitter {
  readonly #limit: number;
  // `fatal` so that broken bytes are reported instead of silently becoming U+FFFD; a leading BOM is dropped by default.
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  readonly #begun = new BegunLine();
  #skipping = false;

  /** `limit` counts the bytes of one line without its line end. */
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
    if (start < chunk.length) this.#begin(chunk.subarray(start), lines);
    return lines;
  }

  /** The stream ended: what is left without a newline still counts as a line. */
  end(): Line[] {
    const lines: Line[] = [];
    this.#finish(new Uint8Array(0), lines);
    return lines;
  }

  #begin(part: Uint8Array, lines: Line[]): void {
    if (this.#skipping) return;
    if (this.#isTooLong(part)) {
      // Said once, here, so that a host that never sends a newline still hears of it.
      lines.push(this.#tooLong());
      this.#begun.clear();
      this.#skipping = true;
      return;
    }
    this.#begun.add(part);
  }

  #finish(last: Uint8Array, lines: Line[]): void {
    if (this.#skipping) {
      this.#skipping = false;
      return;
    }
    if (this.#isTooLong(last)) {
      lines.push(this.#tooLong());
      this.#begun.clear();
      return;
    }
    let bytes = this.#begun.length === 0 ? last : this.#begun.take(last);
    if (bytes.at(-1) === CR) bytes = bytes.subarray(0, -1);
    if (bytes.length > this.#limit) lines.push(this.#tooLong());
    else if (bytes.length > 0) this.#decode(bytes, lines);
  }

  /** One byte more than the limit may still turn out to be the CR of a CRLF. */
  #isTooLong(part: Uint8Array): boolean {
    return this.#begun.length + part.length > this.#limit + 1;
  }

  #tooLong(): Line {
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

const SMALL = 16 * 1024;

/** A line whose end has not come yet. Small pieces are copied together, so that byte-by-byte writers cost only their bytes. */
class BegunLine {
  #parts: Uint8Array[] = [];
  #partBytes = 0;
  #tail: Uint8Array | undefined;
  #tailBytes = 0;

  get length(): number {
    return this.#partBytes + this.#tailBytes;
  }

  add(part: Uint8Array): void {
    if (part.length >= SMALL) {
      this.#sealTail();
      this.#keep(part);
      return;
    }
    this.#tail ??= new Uint8Array(4 * SMALL);
    if (this.#tailBytes + part.length > this.#tail.length) this.#sealTail();
    this.#tail.set(part, this.#tailBytes);
    this.#tailBytes += part.length;
  }

  /** The whole line, valid until the next `add`. */
  take(last: Uint8Array): Uint8Array {
    this.add(last);
    if (this.#parts.length > 0) this.#sealTail();
    const whole =
      this.#parts.length > 0
        ? join(this.#parts, this.#partBytes)
        : (this.#tail as Uint8Array).subarray(0, this.#tailBytes);
    this.clear();
    return whole;
  }

  clear(): void {
    this.#parts = [];
    this.#partBytes = 0;
    this.#tailBytes = 0;
  }

  #sealTail(): void {
    if (this.#tailBytes > 0) this.#keep((this.#tail as Uint8Array).slice(0, this.#tailBytes));
    this.#tailBytes = 0;
  }

  #keep(part: Uint8Array): void {
    this.#parts.push(part);
    this.#partBytes += part.length;
  }
}

function join(parts: Uint8Array[], total: number): Uint8Array {
  const whole = new Uint8Array(total);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
