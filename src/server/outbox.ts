// The queue of outgoing frames. Frames are never dropped or reordered; while the host is slow, updates are folded.
import type { Chunk, Frame, Transport } from '../contracts/index.ts';

/** From this many queued bytes on, `push` returns a promise, so that the sender pauses. */
const HIGH_WATER = 1024 * 1024;
/** From this many queued bytes on, no new calls are read. */
const MAX_WAITING_BYTES = 32 * HIGH_WATER;

export class Outbox {
  readonly #transport: Transport;
  readonly #waiting: Frame[] = [];
  #waitingBytes = 0;
  #writtenFrames = 0;
  #sending: Promise<void> | undefined;
  #drainPromise: Promise<void> | undefined;
  #resolveDrain: () => void = () => {};

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Returns a promise when the sender should wait because the host reads too slowly. */
  push(frame: Frame): undefined | Promise<void> {
    if (!this.#sending) {
      if (!this.#transport.write(frame.chunks as Chunk[])) this.#sending = this.#sendWaiting();
      return undefined;
    }
    this.#enqueue(frame);
    if (this.#waitingBytes <= HIGH_WATER) return undefined;
    this.#drainPromise ??= new Promise((resolve) => {
      this.#resolveDrain = resolve;
    });
    return this.#drainPromise;
  }

  /** Drops the frames that wait, because the connection is closed. */
  discard(): void {
    this.#waiting.length = 0;
    this.#waitingBytes = 0;
    this.#releaseSenders();
  }

  #releaseSenders(): void {
    this.#drainPromise = undefined;
    this.#resolveDrain();
  }

  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  /** How many frames have waited and were then written. */
  get writtenFrames(): number {
    return this.#writtenFrames;
  }

  get isOverfull(): boolean {
    return this.#waitingBytes > MAX_WAITING_BYTES;
  }

  /** Resolves when most of the frames that wait are written, or are dropped. */
  async waitForSpace(): Promise<void> {
    await this.#drainPromise;
  }

  /** Resolves when all frames pushed so far have left the process. */
  async flush(): Promise<void> {
    while (this.#sending) await this.#sending;
    await this.#transport.flush();
  }

  #enqueue(frame: Frame): void {
    const last = this.#waiting.at(-1);
    const folded = last?.fold?.(frame);
    if (last && folded) {
      this.#waiting[this.#waiting.length - 1] = folded;
      this.#waitingBytes += folded.bytes - last.bytes;
    } else {
      this.#waiting.push(frame);
      this.#waitingBytes += frame.bytes;
    }
  }

  async #sendWaiting(): Promise<void> {
    for (let canWrite = false; !canWrite; ) {
      await this.#transport.waitForDrain();
      canWrite = true;
      let sent = 0;
      while (canWrite && sent < this.#waiting.length) {
        const frame = this.#waiting[sent++] as Frame;
        this.#waitingBytes -= frame.bytes;
        canWrite = this.#transport.write(frame.chunks as Chunk[]);
      }
      this.#waiting.splice(0, sent);
      this.#writtenFrames += sent;
      if (this.#waitingBytes <= HIGH_WATER / 2) this.#releaseSenders();
    }
    this.#sending = undefined;
  }
}
