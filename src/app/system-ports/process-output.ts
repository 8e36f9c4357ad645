// The app's real processes: reading what a child writes, and knowing when to stop. Keeps nothing of it.
import type { Readable } from 'node:stream';
import { deferred } from '../../base/deferred.ts';
import type { SpawnRequest } from '../../contracts/ports.ts';

/** After the exit, what was written before it arrives at once; a window without news means that all of it has. */
const QUIET_MS = 50;
const QUIET_WINDOWS = 3;

export interface ChildOutput {
  /**
   * To be called when the process has exited: resolves when its output is read, and stops listening. Background children
   * may hold the pipes open, silent or writing without end, so the end of the streams is not waited for long.
   */
  drain(): Promise<void>;
}

export function readOutput(
  streams: { stdout: Readable; stderr: Readable },
  onOutput: SpawnRequest['onOutput'],
): ChildOutput {
  const ended = deferred();
  let open = 2;
  let pieces = 0;
  for (const name of ['stdout', 'stderr'] as const) {
    streams[name].on('data', (chunk: Uint8Array) => {
      pieces += 1;
      const taken = onOutput(chunk, name);
      if (!taken) return;
      // Until the child exits: then Node reads the little that is left by itself.
      streams[name].pause();
      void taken.finally(() => streams[name].resume());
    });
    // Without a listener a broken pipe would end the agent. `close` follows.
    streams[name].on('error', () => {});
    streams[name].once('close', () => {
      open -= 1;
      if (open === 0) ended.resolve();
    });
  }
  return {
    async drain() {
      const cancel = whenQuiet(() => pieces, ended.resolve);
      await ended.promise;
      cancel();
      for (const stream of [streams.stdout, streams.stderr]) stream.removeAllListeners('data').destroy();
    },
  };
}

function whenQuiet(count: () => number, act: () => void): () => void {
  let seen = count();
  let windows = 0;
  let timer: NodeJS.Timeout;
  const judge = () => {
    windows += 1;
    if (count() === seen || windows === QUIET_WINDOWS) return act();
    seen = count();
    wait();
  };
  // The immediate comes after a round of reading: a loop that was held up must not take its own absence for silence.
  const wait = () => {
    timer = setTimeout(() => setImmediate(judge), QUIET_MS);
  };
  wait();
  return () => clearTimeout(timer);
}
