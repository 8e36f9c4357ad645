// Transports: lines that never leave the process, for tests and for hosts that live in the same one.

import type { Line } from '../base/index.ts';
import { channel, deferred, Fault, LineSplitter } from '../base/index.ts';
import type { Chunk, Transport } from '../contracts/index.ts';
import { Outflow } from './outflow.ts';

export interface MemoryOptions {
  lineLimit?: number;
  /** How much may wait for a paused host before writers are asked to hold back. */
  highWaterMark?: number;
}

/** The other end: what a host program would do with the pipes. */
export interface MemoryHost {
  /** A string is one line or several; its last newline may be left out. Bytes are taken as they are, cut anywhere. */
  send(input: string | Uint8Array): void;
  /** Nothing more to say. */
  end(): void;
  /** Frames as they arrive, without their newline; ends when the agent's side is closed. One reader at a time. */
  frames(): AsyncIterable<string>;
  next(): Promise<string>;
  /** Stops taking frames, as a busy host does. */
  pause(): void;
  resume(): void;
  /** Goes away: reads and says nothing more. */
  close(): void;
}

export interface MemoryTransport extends Transport {
  close(): void;
}

export interface MemoryPair {
  readonly transport: MemoryTransport;
  readonly host: MemoryHost;
}

export function createMemoryTransport({ lineLimit, highWaterMark }: MemoryOptions = {}): MemoryPair {
  const input = createInput(lineLimit);
  const output = createOutput(highWaterMark);
  const { write, drained, flush, broken } = output;
  return {
    transport: {
      lines: input.lines,
      write,
      drained,
      flush,
      broken,
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
        output.break();
      },
    },
  };
}

function createInput(lineLimit: number | undefined) {
  const splitter = new LineSplitter(lineLimit);
  const queue = channel<Line>();
  const encoder = new TextEncoder();
  let stopped = false;
  const take = (lines: Line[]) => {
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
      if (typeof input !== 'string') take(splitter.push(input));
      else take(splitter.push(encoder.encode(input.endsWith('\n') ? input : `${input}\n`)));
    },
    end() {
      take(splitter.end());
      queue.close();
    },
    stop() {
      stopped = true;
      queue.close();
    },
  };
}

function createOutput(highWaterMark: number | undefined) {
  const flow = new Outflow(highWaterMark);
  const arrived = channel<string>();
  const arriving = arrived[Symbol.asyncIterator]();
  const gone = deferred();
  let state: 'open' | 'finished' | 'gone' = 'open';
  let paused = false;
  let waiting: { frame: string; size: number }[] = [];
  const deliver = () => {
    if (paused) return;
    for (const { frame, size } of waiting.splice(0)) {
      arrived.push(frame);
      flow.leave(size);
    }
    if (state !== 'open') arrived.close();
  };
  return {
    broken: gone.promise,
    drained: () => flow.drained(),
    flush: () => flow.flushed(),
    // Not the channel's own iterator: leaving a loop must not end the frames for the next reader.
    frames: (): AsyncIterable<string> => ({ [Symbol.asyncIterator]: () => ({ next: () => arriving.next() }) }),
    write(chunks: readonly Chunk[]): boolean {
      if (state !== 'open') return true;
      const size = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
      const hasRoom = flow.accept(size);
      waiting.push({ frame: frameOf(chunks), size });
      deliver();
      return hasRoom;
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
    break() {
      state = 'gone';
      waiting = [];
      arrived.close();
      flow.release();
      gone.resolve();
    },
  };
}

function frameOf(chunks: readonly Chunk[]): string {
  const decoder = new TextDecoder();
  const text = chunks
    .map((chunk) => (typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true })))
    .join('');
  return text.endsWith('\n') ? text.slice(0, -1) : text;
}
