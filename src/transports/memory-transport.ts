// A transport inside one process, for tests and for hosts in the same process.

import type { Line } from '../base/index.ts';
import { createChannel, createDeferred, Fault, LineSplitter } from '../base/index.ts';
import type { Chunk, Transport } from '../contracts/index.ts';
import { Backpressure } from './backpressure.ts';

export interface MemoryOptions {
  lineLimit?: number;
  /** Pending characters at which writers should pause, while the host is paused. */
  highWaterMark?: number;
}

/** The host's end of the transport. */
export interface MemoryHost {
  /** A string is one or more complete lines; the last newline is optional. Bytes may be split anywhere. */
  send(input: string | Uint8Array): void;
  /** Ends the input of the agent. */
  end(): void;
  /** Frames without their newline, as they arrive. Ends when the agent's side is closed. One reader at a time. */
  frames(): AsyncIterable<string>;
  next(): Promise<string>;
  /** Stops reading frames, like a busy host. */
  pause(): void;
  resume(): void;
  /** Disconnects: ends the input and reads no more frames. */
  close(): void;
}

export interface MemoryTransport extends Transport {
  close(): void;
}

export interface MemoryTransportPair {
  readonly transport: MemoryTransport;
  readonly host: MemoryHost;
}

export function createMemoryTransport({ lineLimit, highWaterMark }: MemoryOptions = {}): MemoryTransportPair {
  const input = createInput(lineLimit);
  const output = createOutput(highWaterMark);
  const { write, waitForDrain, flush, readerClosed } = output;
  return {
    transport: {
      lines: input.lines,
      write,
      waitForDrain,
      flush,
      readerClosed,
      close() {
        input.stop();
        output.finish();
      },
    },
    host: {
      send: input.send,
      end: input.end,
      frames: output.frames,
      async next() {
        const { done, value } = await output.frames()[Symbol.asyncIterator]().next();
        if (done) throw new Fault('aborted', 'No frame will come: the transport is closed');
        return value;
      },
      pause: output.pause,
      resume: output.resume,
      close() {
        input.end();
        output.disconnect();
      },
    },
  };
}

function createInput(lineLimit: number | undefined) {
  const splitter = new LineSplitter(lineLimit);
  const queue = createChannel<Line>();
  const encoder = new TextEncoder();
  let stopped = false;
  const enqueue = (lines: Line[]) => {
    for (const line of lines) queue.push(line);
  };
  async function* lines(): AsyncGenerator<Line> {
    for await (const line of queue) {
      if (stopped) return;
      yield line;
    }
  }
  return {
    lines: { [Symbol.asyncIterator]: lines },
    send(input: string | Uint8Array) {
      if (typeof input !== 'string') enqueue(splitter.push(input));
      else enqueue(splitter.push(encoder.encode(input.endsWith('\n') ? input : `${input}\n`)));
    },
    end() {
      enqueue(splitter.end());
      queue.close();
    },
    stop() {
      stopped = true;
      queue.close();
    },
  };
}

function createOutput(highWaterMark: number | undefined) {
  const backpressure = new Backpressure(highWaterMark);
  const delivered = createChannel<string>();
  const frameIterator = delivered[Symbol.asyncIterator]();
  const readerClosed = createDeferred();
  let state: 'open' | 'finished' | 'disconnected' = 'open';
  let paused = false;
  let pending: { frame: string; size: number }[] = [];
  const deliver = () => {
    if (paused) return;
    for (const { frame, size } of pending.splice(0)) {
      delivered.push(frame);
      backpressure.complete(size);
    }
    if (state !== 'open') delivered.close();
  };
  return {
    readerClosed: readerClosed.promise,
    waitForDrain: () => backpressure.waitForDrain(),
    flush: () => backpressure.waitForFlush(),
    // Not the iterator of the channel: leaving a `for await` loop would end it for the next reader.
    frames: (): AsyncIterable<string> => ({ [Symbol.asyncIterator]: () => ({ next: () => frameIterator.next() }) }),
    write(chunks: readonly Chunk[]): boolean {
      if (state !== 'open') return true;
      const size = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
      const belowHighWater = backpressure.add(size);
      pending.push({ frame: joinFrame(chunks), size });
      deliver();
      return belowHighWater;
    },
    pause() {
      paused = true;
    },
    resume() {
      paused = false;
      deliver();
    },
    finish() {
      if (state === 'open') state = 'finished';
      deliver();
    },
    disconnect() {
      state = 'disconnected';
      pending = [];
      delivered.close();
      backpressure.close();
      readerClosed.resolve();
    },
  };
}

function joinFrame(chunks: readonly Chunk[]): string {
  const decoder = new TextDecoder();
  const text = chunks
    .map((chunk) => (typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true })))
    .join('');
  return text.endsWith('\n') ? text.slice(0, -1) : text;
}
