// The transport over a stream socket: lines in both directions.
import type { Socket } from 'node:net';
import { createChannel, DEFAULT_LINE_LIMIT, type Line, LineSplitter } from '../base/index.ts';
import type { Transport } from '../contracts/index.ts';
import { createStreamSink } from './stdio-sink.ts';
import { FrameWriter } from './stdio-writer.ts';

export interface SocketTransport extends Transport {
  /** Sends what was written and ends the connection. */
  close(): void;
}

/** Lines that wait to be processed, before the socket is paused. */
const MAX_WAITING_LINES = 1000;
/** A closed connection on which nothing is read for so long is ended. */
const CLOSE_TIMEOUT_MS = 30_000;

export function createSocketTransport(socket: Socket, lineLimit: number = DEFAULT_LINE_LIMIT): SocketTransport {
  const writer = new FrameWriter(createStreamSink(socket));
  const splitter = new LineSplitter(lineLimit);
  const queue = createChannel<Line>();
  socket.on('data', (chunk: Uint8Array) => {
    for (const line of splitter.push(chunk)) queue.push(line);
    if (queue.size > MAX_WAITING_LINES) socket.pause();
  });
  socket.on('end', () => {
    for (const line of splitter.end()) queue.push(line);
    queue.close();
    socket.end();
  });
  socket.on('error', () => queue.close());
  socket.on('close', () => queue.close());
  async function* readLines(): AsyncGenerator<Line> {
    for await (const line of queue) {
      if (socket.isPaused() && queue.size === 0) socket.resume();
      yield line;
    }
  }
  return {
    lines: { [Symbol.asyncIterator]: readLines },
    write: (chunks) => writer.write(chunks),
    waitForDrain: () => writer.waitForDrain(),
    flush: () => writer.flush(),
    readerClosed: writer.readerClosed,
    close() {
      writer.close();
      queue.close();
      // A client that does not read would keep the connection open.
      socket.setTimeout(CLOSE_TIMEOUT_MS, () => socket.destroy());
      socket.end();
    },
  };
}
