// First floor, server: frames on their way out. Nothing is dropped or reordered; growth folds while the host is slow.
import type { Chunk, Frame, Transport } from '../contracts/index.ts';

/** With this much waiting, whoever produces events is asked to pause. */
const HIGH_WATER = 1024 * 1024;
/** With this much waiting, not even new calls are read. */
const OVERFULL = 32 * HIGH_WATER;

export class Outbox {
  readonly #transport: Transport;
  readonly #waiting: Frame[] = [];
  #waitingBytes = 0;
  #pumping: Promise<void> | undefined;
  #relief: Promise<void> | undefined;
  #relieve: () => void = () => {};

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Returns a promise when the host is so far behind that the sender should wait. */
  push(frame: Frame): undefined | Promise<void> {
    if (!this.#pumping) {
      if (!this.#transport.write(frame.chunks as Chunk[])) this.#pumping = this.#pump();
      return undefined;
    }
    this.#enqueue(frame);
    if (this.#waitingBytes <= HIGH_WATER) return undefined;
    this.#relief ??= new Promise((resolve) => {
      this.#relieve = resolve;
    });
    return this.#relief;
  }

  get isOverfull(): boolean {
    return this.#waitingBytes > OVERFULL;
  }

  /** Everything pushed so far has left. */
  async flush(): Promise<void> {
    while (this.#pumping) await this.#pumping;
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

  async #pump(): Promise<void> {
    for (let room = false; !room; ) {
      await this.#transport.drained();
      room = true;
      let sent = 0;
      while (room && sent < this.#waiting.length) {
        const frame = this.#waiting[sent++] as Frame;
        this.#waitingBytes -= frame.bytes;
        room = this.#transport.write(frame.chunks as Chunk[]);
      }
      this.#waiting.splice(0, sent);
      if (this.#waitingBytes <= HIGH_WATER / 2) {
        this.#relief = undefined;
        this.#relieve();
      }
    }
    this.#pumping = undefined;
  }
}
