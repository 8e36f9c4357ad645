// Keeps the end of a server's stderr, for error messages.

const MAX_BYTES = 4096;
const MAX_LINES = 10;

export class StderrTail {
  #bytes: Uint8Array = new Uint8Array(0);

  append(chunk: Uint8Array): void {
    const joined = new Uint8Array(this.#bytes.length + chunk.length);
    joined.set(this.#bytes);
    joined.set(chunk, this.#bytes.length);
    this.#bytes = joined.slice(-MAX_BYTES);
  }

  /** The last lines. Empty when nothing was written. */
  get text(): string {
    const text = new TextDecoder().decode(this.#bytes).trim();
    return text.split('\n').slice(-MAX_LINES).join('\n').trim();
  }
}
