// Transports, stdio: one descriptor as a place for batches of frames. Knows the kinds of descriptors, never what a frame is.
import fs from 'node:fs';
import { Socket } from 'node:net';
import { deferred, systemCode } from '../base/index.ts';
import type { Chunk } from '../contracts/index.ts';
import { watchReader } from './stdio-reader.ts';

export interface FrameSink {
  /** Hands one batch to the system. `left` is called once it has left the process; never when the reader is gone. */
  send(batch: readonly Chunk[], left: () => void): void;
  /** Resolves when nobody reads any more. */
  readonly broken: Promise<void>;
}

export function openSink(fd: number): FrameSink {
  const info = fs.fstatSync(fd);
  if (info.isFIFO()) return createPipeSink(fd);
  // Bun makes no stream of a socket that it did not open; written synchronously, a slow host holds the agent up.
  if (info.isSocket() && !process.versions.bun) return createSocketSink(fd, info.ino);
  // Terminals too: Node itself writes to them synchronously.
  return createFileSink(fd);
}

function createPipeSink(fd: number): FrameSink {
  const socket = new Socket({ fd, readable: false, writable: true });
  watchReader(fd, () => socket.destroy());
  return createStreamSink(socket);
}

function createSocketSink(fd: number, inode: number): FrameSink {
  // A host may give one socket for both ways; its input is not ours to read.
  const isAlsoStdin = fs.fstatSync(0).ino === inode;
  if (isAlsoStdin) return createStreamSink(new Socket({ fd, readable: false, writable: true }));
  const socket = new Socket({ fd, readable: true, writable: true, allowHalfOpen: true });
  // The end of its unused way back may mean that the host is gone, or only that it closed that way: an empty write tells.
  socket.on('end', () => socket.write(''));
  socket.resume();
  return createStreamSink(socket);
}

function createStreamSink(socket: Socket): FrameSink {
  const broken = deferred();
  socket.on('error', () => broken.resolve());
  socket.on('close', () => broken.resolve());
  // Waiting frames keep the process alive until they have left; an idle stream must not.
  socket.unref();
  return {
    broken: broken.promise,
    send(batch, left) {
      const whenWritten = (error?: Error | null) => {
        if (!error) left();
      };
      const last = batch.length - 1;
      if (last > 0) socket.cork();
      for (const [i, piece] of batch.entries()) {
        if (i === last) socket.write(piece, whenWritten);
        else socket.write(piece);
      }
      if (last > 0) socket.uncork();
    },
  };
}

export function createFileSink(fd: number): FrameSink {
  // Taken now: the guard may replace the module's function, which then no longer reaches descriptor 1.
  const writeSync = fs.writeSync;
  const broken = deferred();
  return {
    broken: broken.promise,
    send(batch, left) {
      try {
        for (const piece of batch) writeWhole(writeSync, fd, typeof piece === 'string' ? Buffer.from(piece) : piece);
        left();
      } catch {
        broken.resolve();
      }
    },
  };
}

function writeWhole(writeSync: typeof fs.writeSync, fd: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(fd, bytes, at);
    } catch (error) {
      if (systemCode(error) !== 'EAGAIN') throw error;
      // Somebody made the terminal non-blocking and it is full: give it a moment.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}
