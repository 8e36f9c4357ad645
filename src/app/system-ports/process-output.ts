// The app's real processes: reading what a child writes, and knowing when to stop. Keeps nothing of it.
import type { Readable } from 'node:stream';
import { deferred } from '../../base/deferred.ts';
import type { SpawnRequest } from '../../contracts/ports.ts';

/** After the exit, what was written before it arrives at once; a window without news means that all of it has. */
const QUIET_MS = 50;
const QUIET_WINDOWS = 3;
/** More than a pipe holds: who has read that much since the exit has read everything from before it. */
const PIPE_BYTES = 4 * 1024 * 1024;

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
  const news: News = { bytes: 0, holds: 0, held: 0 };
  for (const name of ['stdout', 'stderr'] as const) {
    streams[name].on('data', (chunk: Uint8Array) => {
      news.bytes += chunk.length;
      const taken = onOutput(chunk, name);
      if (!taken) return;
      streams[name].pause();
      news.holds += 1;
      news.held += 1;
      void taken.finally(() => {
        news.held -= 1;
        streams[name].resume();
      });
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
      const cancel = whenQuiet(news, ended.resolve);
      await ended.promise;
      cancel();
      for (const stream of [streams.stdout, streams.stderr]) stream.removeAllListeners('data').destroy();
    },
  };
}

interface News {
  bytes: number;
  /** How often the child was held up until its words were taken. */
  holds: number;
  /** Streams that are held up now. */
  held: number;
}

function whenQuiet(news: Readonly<News>, act: () => void): () => void {
  const first = news.bytes;
  let seen = { ...news };
  let windows = 0;
  let timer: NodeJS.Timeout;
  const judge = () => {
    // Whoever takes slowly makes a silence that says nothing about the child.
    const isTelling = news.held === 0 && seen.held === 0 && news.holds === seen.holds;
    if (isTelling) windows += 1;
    const isOver = windows === QUIET_WINDOWS || news.bytes - first > PIPE_BYTES;
    if (isOver || (isTelling && news.bytes === seen.bytes)) return act();
    seen = { ...news };
    wait();
  };
  // The immediate comes after a round of reading: a loop that was held up must not take its own absence for silence.
  const wait = () => {
    timer = setTimeout(() => setImmediate(judge), QUIET_MS);
  };
  wait();
  return () => clearTimeout(timer);
}
