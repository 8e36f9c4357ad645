// An append-only byte buffer. Slices taken earlier stay valid, so a frame can refer to them without copying.

const encoder = new TextEncoder();

export class AppendOnlyBuffer {
  #bytes = new Uint8Array(1024);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  append(text: string): void {
    // A UTF-16 unit never needs more than three UTF-8 bytes.
    this.#reserve(text.length * 3);
    const { written } = encoder.encodeInto(text, this.#bytes.subarray(this.#length));
    this.#length += written;
  }

  /** All bytes so far. Later appends never change them: when the buffer grows, it is replaced by a new one. */
  slice(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  #reserve(extra: number): void {
    if (this.#length + extra <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + extra));
    larger.set(this.slice());
    this.#bytes = larger;
  }
}
