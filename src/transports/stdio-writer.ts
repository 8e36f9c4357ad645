// Transports, stdio: gathers the frames of one tick into one write. Knows sizes and order, neither descriptors nor content.
import type { Chunk } from '../contracts/index.ts';
import { Outflow } from './outflow.ts';
import type { FrameSink } from './stdio-sink.ts';

/** Below this, copying bytes next to their neighbours is cheaper than another piece for the system to gather. */
const SMALL = 16 * 1024;
/** Texts are handed on in pieces of about this size, so that no joined string comes near the engine's limit. */
const TEXT_PIECE = 1024 * 1024;

export class FrameWriter {
  readonly broken: Promise<void>;
  readonly #sink: FrameSink;
  readonly #flow = new Outflow();
  #pieces: Chunk[] = [];
  #text = '';
  #size = 0;
  #open = true;

  constructor(sink: FrameSink) {
    this.#sink = sink;
    this.broken = sink.broken;
    void sink.broken.then(() => this.#abandon());
  }

  write(chunks: readonly Chunk[]): boolean {
    if (!this.#open) return true;
    let size = 0;
    for (const chunk of chunks) {
      size += chunk.length;
      if (typeof chunk === 'string') this.#text += chunk;
      else this.#addBytes(chunk);
    }
    if (this.#text.length >= TEXT_PIECE) this.#endText();
    // A tick runs after the microtasks that are due, so everything that one event sets off leaves in one write.
    if (this.#size === 0) process.nextTick(this.#handOver);
    this.#size += size;
    return this.#flow.accept(size);
  }

  drained(): Promise<void> {
    return this.#flow.drained();
  }

  flush(): Promise<void> {
    this.#handOver();
    return this.#flow.flushed();
  }

  /** Takes no more; what was taken still leaves. */
  close(): void {
    this.#handOver();
    this.#open = false;
  }

  #addBytes(bytes: Uint8Array): void {
    this.#endText();
    this.#pieces.push(bytes);
  }

  #endText(): void {
    if (this.#text === '') return;
    this.#pieces.push(this.#text);
    this.#text = '';
  }

  readonly #handOver = () => {
    const size = this.#size;
    if (size === 0) return;
    this.#endText();
    const pieces = this.#pieces.length === 1 ? this.#pieces : pack(this.#pieces);
    this.#pieces = [];
    this.#size = 0;
    this.#sink.send(pieces, () => this.#flow.leave(size));
  };

  #abandon(): void {
    this.#open = false;
    this.#pieces = [];
    this.#text = '';
    this.#size = 0;
    this.#flow.release();
  }
}

/** Copies small neighbours together; large pieces stay as they are. */
function pack(pieces: readonly Chunk[]): Chunk[] {
  const packed: Chunk[] = [];
  let run: Chunk[] = [];
  const endRun = () => {
    if (run.length > 0) packed.push(run.length === 1 ? (run[0] as Chunk) : join(run));
    run = [];
  };
  for (const piece of pieces) {
    if (piece.length < SMALL) {
      run.push(piece);
    } else {
      endRun();
      packed.push(piece);
    }
  }
  endRun();
  return packed;
}

function join(run: readonly Chunk[]): Uint8Array {
  const sizes = run.map((piece) => (typeof piece === 'string' ? Buffer.byteLength(piece) : piece.length));
  const whole = Buffer.allocUnsafe(sizes.reduce((sum, size) => sum + size, 0));
  let at = 0;
  for (const [i, piece] of run.entries()) {
    if (typeof piece === 'string') whole.write(piece, at);
    else whole.set(piece, at);
    at += sizes[i] as number;
  }
  return whole;
}
