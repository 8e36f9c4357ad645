// Reads the output of a child process and detects when it is complete.
import { Readable, type Writable } from 'node:stream';
import { createDeferred } from '../../base/deferred.ts';
import type { SpawnRequest } from '../../contracts/ports.ts';

/** Output written before the exit arrives at once. A window of this length without data means that all of it has arrived. */
const QUIET_MS = 50;
const QUIET_WINDOWS = 3;
/** More than a pipe can hold: after so many bytes since the exit, everything written before the exit has been read. */
const PIPE_BYTES = 4 * 1024 * 1024;

export interface ChildOutput {
  /**
   * Call this when the process has exited. Resolves when its output has been read, and stops listening. Does not wait long for the end
   * of the streams, because background processes may keep the pipes open.
   */
  drain(): Promise<void>;
}

export function readChildOutput(
  streams: { stdout: Readable; stderr: Readable },
  onOutput: SpawnRequest['onOutput'],
): ChildOutput {
  const ended = createDeferred();
  let open = 2;
  const progress: OutputProgress = { bytes: 0, pauseCount: 0, pausedStreams: 0 };
  for (const name of ['stdout', 'stderr'] as const) {
    streams[name].on('data', (chunk: Uint8Array) => {
      progress.bytes += chunk.length;
      const consumed = onOutput(chunk, name);
      if (!consumed) return;
      streams[name].pause();
      progress.pauseCount += 1;
      progress.pausedStreams += 1;
      void consumed.finally(() => {
        progress.pausedStreams -= 1;
        streams[name].resume();
      });
    });
    // Without a listener a broken pipe would crash the agent. A `close` event follows.
    streams[name].on('error', () => {});
    streams[name].once('close', () => {
      open -= 1;
      if (open === 0) ended.resolve();
    });
  }
  return {
    async drain() {
      const cancel = watchForQuiet(progress, ended.resolve);
      await ended.promise;
      cancel();
      for (const stream of [streams.stdout, streams.stderr]) stream.removeAllListeners('data').destroy();
    },
  };
}

/** The pipe of `SpawnRequest.onInfo`. */
export function readInfo(
  { stdio: [, , , stream] }: { readonly stdio: readonly (Readable | Writable | null | undefined)[] },
  onInfo: NonNullable<SpawnRequest['onInfo']>,
): ChildOutput {
  const ended = createDeferred();
  if (!(stream instanceof Readable)) return { drain: async () => {} };
  stream.on('data', onInfo);
  stream.on('error', () => {});
  stream.once('close', ended.resolve);
  return {
    async drain() {
      const timer = setTimeout(ended.resolve, QUIET_MS * QUIET_WINDOWS);
      await ended.promise;
      clearTimeout(timer);
      stream.destroy();
    },
  };
}

interface OutputProgress {
  bytes: number;
  /** How often a stream was paused until `onOutput` had consumed the data. */
  pauseCount: number;
  /** Number of streams that are paused now. */
  pausedStreams: number;
}

function watchForQuiet(progress: Readonly<OutputProgress>, act: () => void): () => void {
  const initialBytes = progress.bytes;
  let previous = { ...progress };
  let windows = 0;
  let timer: NodeJS.Timeout;
  const check = () => {
    // A pause caused by a slow consumer says nothing about the child.
    const isConclusive =
      progress.pausedStreams === 0 && previous.pausedStreams === 0 && progress.pauseCount === previous.pauseCount;
    if (isConclusive) windows += 1;
    const isOver = windows === QUIET_WINDOWS || progress.bytes - initialBytes > PIPE_BYTES;
    if (isOver || (isConclusive && progress.bytes === previous.bytes)) return act();
    previous = { ...progress };
    wait();
  };
  // setImmediate runs after pending reads: if the event loop was blocked, unread data must not be taken for silence.
  const wait = () => {
    timer = setTimeout(() => setImmediate(check), QUIET_MS);
  };
  wait();
  return () => clearTimeout(timer);
}
