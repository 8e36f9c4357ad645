// Collects the frames of one tick into one write.
import type { Chunk } from '../contracts/index.ts';
import { Backpressure } from './backpressure.ts';
import type { FrameSink } from './stdio-sink.ts';

/** Smaller pieces are copied together, which is cheaper than more pieces in one writev call. */
const SMALL_PIECE_BYTES = 16 * 1024;
/** Texts are joined up to about this many characters, far below the string limit of the engine. */
const MAX_TEXT_PIECE = 1024 * 1024;

export class FrameWriter {
  readonly readerClosed: Promise<void>;
  readonly #sink: FrameSink;
  readonly #backpressure = new Backpressure();
  #pieces: Chunk[] = [];
  #text = '';
  #size = 0;
  #open = true;

  constructor(sink: FrameSink) {
    this.#sink = sink;
    this.readerClosed = sink.readerClosed;
    void sink.readerClosed.then(() => this.#discard());
  }

  write(chunks: readonly Chunk[]): boolean {
    if (!this.#open) return true;
    let size = 0;
    for (const chunk of chunks) {
      size += chunk.length;
      if (typeof chunk === 'string') this.#text += chunk;
      else this.#addBytes(chunk);
    }
    if (this.#text.length >= MAX_TEXT_PIECE) this.#endText();
    // nextTick runs after the pending microtasks, so all frames caused by one event are sent in one write.
    if (this.#size === 0) process.nextTick(this.#sendBatch);
    this.#size += size;
    return this.#backpressure.add(size);
  }

  waitForDrain(): Promise<void> {
    return this.#backpressure.waitForDrain();
  }

  flush(): Promise<void> {
    this.#sendBatch();
    return this.#backpressure.waitForFlush();
  }

  /** Accepts no more frames. Accepted frames are still sent. */
  close(): void {
    this.#sendBatch();
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

  readonly #sendBatch = () => {
    const size = this.#size;
    if (size === 0) return;
    this.#endText();
    const pieces = this.#pieces.length === 1 ? this.#pieces : mergeSmallPieces(this.#pieces);
    this.#pieces = [];
    this.#size = 0;
    this.#sink.send(pieces, () => this.#backpressure.complete(size));
  };

  #discard(): void {
    this.#open = false;
    this.#pieces = [];
    this.#text = '';
    this.#size = 0;
    this.#backpressure.close();
  }
}

/** Joins adjacent small pieces; large pieces are not copied. */
function mergeSmallPieces(pieces: readonly Chunk[]): Chunk[] {
  const merged: Chunk[] = [];
  let run: Chunk[] = [];
  const endRun = () => {
    if (run.length > 0) merged.push(run.length === 1 ? (run[0] as Chunk) : concatPieces(run));
    run = [];
  };
  for (const piece of pieces) {
    if (piece.length < SMALL_PIECE_BYTES) {
      run.push(piece);
    } else {
      endRun();
      merged.push(piece);
    }
  }
  endRun();
  return merged;
}

function concatPieces(run: readonly Chunk[]): Uint8Array {
  const sizes = run.map((piece) => (typeof piece === 'string' ? Buffer.byteLength(piece) : piece.length));
  const whole = Buffer.allocUnsafe(sizes.reduce((sum, size) => sum + size, 0));
  let offset = 0;
  for (const [i, piece] of run.entries()) {
    if (typeof piece === 'string') whole.write(piece, offset);
    else whole.set(piece, offset);
    offset += sizes[i] as number;
  }
  return whole;
}
