// Ground floor: bytes in, lines out. Splits on byte 0x0A only, because every other "line end" may stand inside JSON text.

/** One line of input, or the news that one was too long or not UTF-8 (its bytes are gone, the next line is whole). */
export type Line = { text: string } | { problem: string };

export const DEFAULT_LINE_LIMIT = 64 * 1024 * 1024;

const LF = 0x0a;
const CR = 0x0d;

/** Cuts a byte stream into lines. Decoding happens per whole line, so chunk edges cannot split a character. */
export class LineSplitter {
  readonly #limit: number;
  // `fatal` so that broken bytes are reported instead of silently becoming U+FFFD; a leading BOM is dropped by default.
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  #held: Uint8Array[] = [];
  #heldBytes = 0;
  #skipping = false;

  constructor(limit: number = DEFAULT_LINE_LIMIT) {
    this.#limit = limit;
  }

  push(chunk: Uint8Array): Line[] {
    const lines: Line[] = [];
    let start = 0;
    for (let end = chunk.indexOf(LF); end >= 0; end = chunk.indexOf(LF, start)) {
      this.#hold(chunk.subarray(start, end), lines);
      this.#finish(lines);
      start = end + 1;
    }
    if (start < chunk.length) this.#hold(chunk.subarray(start), lines);
    return lines;
  }

  /** The stream ended: what is left without a newline still counts as a line. */
  end(): Line[] {
    const lines: Line[] = [];
    if (this.#heldBytes > 0) this.#finish(lines);
    this.#skipping = false;
    return lines;
  }

  #hold(part: Uint8Array, lines: Line[]): void {
    if (this.#skipping || part.length === 0) return;
    if (this.#heldBytes + part.length > this.#limit) {
      // Said once, here, so that a host that never sends a newline still hears of it.
      lines.push({ problem: `line exceeds the limit of ${this.#limit} bytes` });
      this.#drop();
      this.#skipping = true;
      return;
    }
    this.#held.push(part);
    this.#heldBytes += part.length;
  }

  #finish(lines: Line[]): void {
    if (this.#skipping) {
      this.#skipping = false;
      return;
    }
    let bytes = this.#held.length === 1 ? (this.#held[0] as Uint8Array) : join(this.#held, this.#heldBytes);
    this.#drop();
    if (bytes.at(-1) === CR) bytes = bytes.subarray(0, -1);
    if (bytes.length === 0) return;
    try {
      const text = this.#decoder.decode(bytes);
      if (text.trim() !== '') lines.push({ text });
    } catch {
      lines.push({ problem: 'line is not valid UTF-8' });
    }
  }

  #drop(): void {
    this.#held = [];
    this.#heldBytes = 0;
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
