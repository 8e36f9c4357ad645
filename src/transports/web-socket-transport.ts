// The transport over a WebSocket on the side of the server: one frame per text message, without its newline.
import { createChannel, createDeferred, type Line } from '../base/index.ts';
import type { Chunk, Transport } from '../contracts/index.ts';
import { Backpressure } from './backpressure.ts';

/** The part of a WebSocket that is used, as the `ws` package has it. */
export interface WebSocketLike {
  send(data: string | Uint8Array, options: { binary: boolean }, onSent: (problem?: Error) => void): void;
  close(code: number, reason: string): void;
  terminate(): void;
  pause(): void;
  resume(): void;
  on(event: 'message', listener: (data: Uint8Array, isBinary: boolean) => void): void;
  on(event: 'close', listener: () => void): void;
  on(event: 'error', listener: (problem: Error) => void): void;
}

export interface WebSocketTransport extends Transport {
  /** Sends what was written, and then the reason. */
  close(code: number, reason: string): void;
}

const LF = 0x0a;
/** Lines that wait to be processed, before the socket is paused. */
const MAX_WAITING_LINES = 1000;
/** The longest reason that fits into a close frame, in bytes. */
const MAX_REASON_BYTES = 120;

export function createWebSocketTransport(socket: WebSocketLike): WebSocketTransport {
  const backpressure = new Backpressure();
  const closed = createDeferred();
  const queue = createChannel<Line>();
  const decoder = new TextDecoder();
  let isPaused = false;
  let isOpen = true;
  /** What arrives from now on is not processed. */
  let isClosing = false;
  const finish = () => {
    isOpen = false;
    queue.close();
    backpressure.close();
    closed.resolve();
  };
  socket.on('message', (data, isBinary) => {
    if (isClosing) return;
    queue.push(isBinary ? { problem: 'binary messages are not supported' } : { text: decoder.decode(data) });
    if (queue.size <= MAX_WAITING_LINES) return;
    isPaused = true;
    socket.pause();
  });
  socket.on('close', finish);
  socket.on('error', finish);
  async function* readLines(): AsyncGenerator<Line> {
    for await (const line of queue) {
      if (isPaused && queue.size === 0) {
        isPaused = false;
        socket.resume();
      }
      yield line;
    }
  }
  return {
    lines: { [Symbol.asyncIterator]: readLines },
    write(chunks) {
      if (!isOpen) return true;
      const message = joinMessage(chunks);
      const { length } = message;
      const hasSpace = backpressure.add(length);
      socket.send(message, { binary: false }, () => backpressure.complete(length));
      return hasSpace;
    },
    waitForDrain: () => backpressure.waitForDrain(),
    flush: () => backpressure.waitForFlush(),
    readerClosed: closed.promise,
    close(code, reason) {
      isClosing = true;
      queue.close();
      socket.close(code, truncateReason(reason));
      // The answer of the other side comes after what it has sent before.
      if (isPaused) socket.resume();
    },
  };
}

/** Shared bytes are sent as they are; texts and mixed chunks are joined. */
function joinMessage(chunks: readonly Chunk[]): string | Uint8Array {
  const [first] = chunks;
  if (chunks.length === 1 && first !== undefined) return removeNewline(first);
  if (chunks.every((chunk) => typeof chunk === 'string')) return removeNewline(chunks.join(''));
  return removeNewline(Buffer.concat(chunks.map((chunk) => (typeof chunk === 'string' ? Buffer.from(chunk) : chunk))));
}

function removeNewline(message: string | Uint8Array): string | Uint8Array {
  if (typeof message === 'string') return message.endsWith('\n') ? message.slice(0, -1) : message;
  return message.at(-1) === LF ? message.subarray(0, -1) : message;
}

function truncateReason(reason: string): string {
  let end = reason.length;
  while (Buffer.byteLength(reason.slice(0, end)) > MAX_REASON_BYTES) end -= 1;
  return reason.slice(0, end);
}
