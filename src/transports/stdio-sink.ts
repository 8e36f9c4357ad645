// Writes batches of frames to a file descriptor: a pipe, a socket, a file or a terminal.
import fs from 'node:fs';
import { Socket } from 'node:net';
import { createDeferred, getSystemErrorCode } from '../base/index.ts';
import type { Chunk } from '../contracts/index.ts';
import { watchPipeReader } from './stdio-pipe-watch.ts';

export interface FrameSink {
  /** Writes one batch. `onWritten` is called when it has left the process, and never when the reader has closed. */
  send(batch: readonly Chunk[], onWritten: () => void): void;
  /** Resolves when the reader has closed its end. */
  readonly readerClosed: Promise<void>;
}

export function createFrameSink(fd: number): FrameSink {
  const info = fs.fstatSync(fd);
  if (info.isFIFO()) return createPipeSink(fd);
  // Bun cannot create a stream from an inherited socket, so a slow host blocks the agent there.
  if (info.isSocket() && !process.versions.bun) return createSocketSink(fd, info.ino);
  // Terminals too: Node itself writes to them synchronously.
  return createFileSink(fd);
}

function createPipeSink(fd: number): FrameSink {
  const socket = new Socket({ fd, readable: false, writable: true });
  watchPipeReader(fd, () => socket.destroy());
  return createStreamSink(socket);
}

function createSocketSink(fd: number, inode: number): FrameSink {
  // A host may use one socket for stdin and stdout. Then its input must not be read here.
  const isAlsoStdin = fs.fstatSync(0).ino === inode;
  if (isAlsoStdin) return createStreamSink(new Socket({ fd, readable: false, writable: true }));
  const socket = new Socket({ fd, readable: true, writable: true, allowHalfOpen: true });
  // The host has closed its sending side, or the whole socket. An empty write fails in the second case.
  socket.on('end', () => socket.write(''));
  socket.resume();
  return createStreamSink(socket);
}

export function createStreamSink(socket: Socket): FrameSink {
  const readerClosed = createDeferred();
  socket.on('error', () => readerClosed.resolve());
  socket.on('close', () => readerClosed.resolve());
  // Pending writes keep the process alive until they are done. An idle stream must not.
  socket.unref();
  return {
    readerClosed: readerClosed.promise,
    send(batch, onWritten) {
      const handleWritten = (error?: Error | null) => {
        if (!error) onWritten();
      };
      const last = batch.length - 1;
      if (last > 0) socket.cork();
      for (const [i, piece] of batch.entries()) {
        if (i === last) socket.write(piece, handleWritten);
        else socket.write(piece);
      }
      if (last > 0) socket.uncork();
    },
  };
}

export function createFileSink(fd: number): FrameSink {
  // Stored before the guard replaces `fs.writeSync` with a function that does not write to descriptor 1.
  const writeSync = fs.writeSync;
  const readerClosed = createDeferred();
  return {
    readerClosed: readerClosed.promise,
    send(batch, onWritten) {
      try {
        for (const piece of batch) writeAll(writeSync, fd, typeof piece === 'string' ? Buffer.from(piece) : piece);
        onWritten();
      } catch {
        readerClosed.resolve();
      }
    },
  };
}

function writeAll(writeSync: typeof fs.writeSync, fd: number, bytes: Uint8Array): void {
  for (let offset = 0; offset < bytes.length; ) {
    try {
      offset += writeSync(fd, bytes, offset);
    } catch (error) {
      if (getSystemErrorCode(error) !== 'EAGAIN') throw error;
      // Another process made the terminal non-blocking and its buffer is full: wait 1 ms.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}
