// One channel between two nodes: messages in both directions, in order, with a limited number of bytes on their way.
import { createChannel, createDeferred } from '../base/index.ts';
import {
  decodeCount,
  encodeCount,
  encodeMessage,
  encodeParts,
  getEncodedLength,
  type RelayMessage,
} from './relay-message.ts';

/** `closed`: by the other side, with what it has passed to `close`. `ended`: the other node has ended. `broken`: messages were lost. */
export type ChannelEnd =
  | { readonly kind: 'closed'; readonly reason: Buffer }
  | { readonly kind: 'ended' }
  | { readonly kind: 'broken' }
  /** By this side. */
  | { readonly kind: 'left' };

export interface RelayChannel {
  readonly id: string;
  /** The other node. */
  readonly peer: string;
  /** What the side that opened the channel has passed to `open`. */
  readonly opening: Buffer;
  /** Returns false when the caller should wait for `waitForDrain`. Does nothing after the end of the channel. */
  send(message: Uint8Array): boolean;
  /** Resolves when little waits to be sent, or the channel has ended. */
  waitForDrain(): Promise<void>;
  /** Resolves when everything so far is in the database, or the channel has ended. */
  flush(): Promise<void>;
  /** For one reader. A message counts as read when the next one is asked for. Ends with the channel, after the messages before. */
  readonly messages: AsyncIterable<Buffer>;
  readonly end: Promise<ChannelEnd>;
  /** What was sent before is delivered. */
  close(reason?: Uint8Array): void;
}

/** What the relay writes of a channel: one row. */
export interface OutgoingRow {
  readonly seq: number;
  readonly body: Buffer;
}

export interface ChannelOptions {
  readonly id: string;
  readonly peer: string;
  readonly opening: Buffer;
  /** The next row must be taken. */
  onWaiting(channel: LocalChannel): void;
}

/** Bytes that were sent and that the other side has not read. */
const WINDOW_BYTES = 1024 * 1024;
/** After so many bytes the other side is informed that they were read. */
const READ_REPORT_BYTES = WINDOW_BYTES / 4;
/** From so many bytes on that wait to be sent, senders should wait. */
const HIGH_WATER_BYTES = 256 * 1024;
/** Rows are at least so long when more waits. */
const ROW_BYTES = 256 * 1024;
const MAX_MESSAGE_BYTES = 512 * 1024 * 1024;

export class LocalChannel implements RelayChannel {
  readonly id: string;
  readonly peer: string;
  readonly opening: Buffer;
  readonly messages: AsyncIterable<Buffer>;
  /** The other side can find it. */
  isOpen = false;
  readonly #options: ChannelOptions;
  readonly #incoming = createChannel<{ readonly message: Buffer; readonly bytes: number }>();
  readonly #end = createDeferred<ChannelEnd>();
  #isEnded = false;
  #isClosing = false;
  /** Sent before the others, also when the window is full. */
  #urgent: Buffer[] = [];
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #unreadBytes = 0;
  /** A row is on its way to the database. */
  #isStoring = false;
  #sentSeq = 0;
  #receivedSeq = 0;
  #parts: Buffer[] = [];
  #partBytes = 0;
  #readBytes = 0;
  #drained = createDeferred();
  #flushed = createDeferred();

  constructor(options: ChannelOptions) {
    this.#options = options;
    this.id = options.id;
    this.peer = options.peer;
    this.opening = options.opening;
    this.messages = { [Symbol.asyncIterator]: () => this.#read() };
  }

  get end(): Promise<ChannelEnd> {
    return this.#end.promise;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Closed by this side, and everything is sent. */
  get isDone(): boolean {
    return this.#isEnded || (this.#isClosing && !this.hasRow);
  }

  get hasRow(): boolean {
    if (this.#isEnded) return false;
    if (this.#urgent.length > 0) return true;
    return this.#waiting.length > 0 && (this.#isClosing || this.#unreadBytes < WINDOW_BYTES);
  }

  send(message: Uint8Array): boolean {
    if (this.#isEnded || this.#isClosing) return true;
    for (const part of encodeParts(message)) this.#enqueue(part);
    this.#options.onWaiting(this);
    return this.#waitingBytes < HIGH_WATER_BYTES;
  }

  async waitForDrain(): Promise<void> {
    while (!this.#isEnded && this.#waitingBytes >= HIGH_WATER_BYTES) await this.#drained.promise;
  }

  async flush(): Promise<void> {
    while (!this.#isEnded && (this.#waitingBytes > 0 || this.#isStoring)) await this.#flushed.promise;
  }

  close(reason: Uint8Array = Buffer.alloc(0)): void {
    if (this.#isEnded || this.#isClosing) return;
    this.#enqueue(encodeMessage('close', reason));
    this.#isClosing = true;
    this.#incoming.close();
    this.#options.onWaiting(this);
  }

  /** The first row of a channel that this side opens. */
  takeOpeningRow(): OutgoingRow {
    this.#urgent.unshift(encodeMessage('open', this.opening));
    return this.takeRow();
  }

  takeRow(): OutgoingRow {
    const taken = this.#urgent;
    this.#urgent = [];
    let bytes = 0;
    let count = 0;
    while (count < this.#waiting.length && bytes < ROW_BYTES) {
      if (!this.#isClosing && this.#unreadBytes >= WINDOW_BYTES) break;
      const { length } = this.#waiting[count] as Buffer;
      bytes += length;
      this.#unreadBytes += length;
      count += 1;
    }
    taken.push(...this.#waiting.splice(0, count));
    this.#waitingBytes -= bytes;
    this.#sentSeq += 1;
    this.#isStoring = true;
    return { seq: this.#sentSeq, body: Buffer.concat(taken) };
  }

  /** The row is in the database. */
  handleStored(): void {
    this.#isStoring = false;
    if (this.#isClosing && this.#waiting.length === 0) this.finish({ kind: 'left' });
    if (this.#waitingBytes < HIGH_WATER_BYTES) wake(this.#drained, (next) => (this.#drained = next));
    if (this.#waitingBytes === 0) wake(this.#flushed, (next) => (this.#flushed = next));
  }

  /** Rows arrive in order. A repeated row is ignored; if one is missing, the channel ends. */
  receive(seq: number, messages: readonly RelayMessage[]): void {
    if (this.#isEnded || seq <= this.#receivedSeq) return;
    if (seq !== this.#receivedSeq + 1) {
      this.finish({ kind: 'broken' });
      return;
    }
    this.#receivedSeq = seq;
    for (const message of messages) this.#handle(message);
  }

  finish(end: ChannelEnd): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#waiting = [];
    this.#urgent = [];
    this.#waitingBytes = 0;
    this.#incoming.close();
    this.#end.resolve(end);
    this.#drained.resolve();
    this.#flushed.resolve();
  }

  #handle({ kind, body }: RelayMessage): void {
    if (kind === 'close') this.finish({ kind: 'closed', reason: body });
    else if (kind === 'read') this.#noteRead(decodeCount(body));
    else if (kind === 'part') this.#addPart(body);
    else if (kind === 'data') {
      this.#parts.push(body);
      const message = this.#parts.length === 1 ? body : Buffer.concat(this.#parts);
      this.#incoming.push({ message, bytes: getEncodedLength(body) });
      this.#parts = [];
      this.#partBytes = 0;
    }
  }

  /** Counts as read at once: the message could be longer than the window. */
  #addPart(body: Buffer): void {
    this.#parts.push(body);
    this.#partBytes += body.length;
    if (this.#partBytes > MAX_MESSAGE_BYTES) this.finish({ kind: 'broken' });
    else this.#reportRead(getEncodedLength(body));
  }

  #noteRead(bytes: number): void {
    this.#unreadBytes -= bytes;
    if (this.#waiting.length > 0) this.#options.onWaiting(this);
  }

  async *#read(): AsyncGenerator<Buffer> {
    for await (const { message, bytes } of this.#incoming) {
      yield message;
      this.#reportRead(bytes);
    }
  }

  #reportRead(bytes: number): void {
    this.#readBytes += bytes;
    if (this.#readBytes < READ_REPORT_BYTES || this.#isEnded || this.#isClosing) return;
    this.#urgent.push(encodeCount(this.#readBytes));
    this.#readBytes = 0;
    this.#options.onWaiting(this);
  }

  #enqueue(message: Buffer): void {
    this.#waiting.push(message);
    this.#waitingBytes += message.length;
  }
}

function wake(waiting: ReturnType<typeof createDeferred<void>>, replace: (next: typeof waiting) => void): void {
  waiting.resolve();
  replace(createDeferred());
}
