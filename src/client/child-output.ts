// Reads the stdout lines and the stderr tail of a child process, including output that arrives after its exit.
import type { Readable } from 'node:stream';
import { createDeferred, LineSplitter } from '../base/index.ts';
import { waitOneTurn } from './timer.ts';

/** Replies may contain large images. A dropped reply would leave its call pending forever. */
const MAX_LINE_BYTES = 512 * 1024 * 1024;
const TAIL_BYTES = 8 * 1024;
/** More than a pipe buffer holds, so later output must come from a process that the child left running. */
const MAX_BYTES_AFTER_EXIT = 16 * 1024 * 1024;
/** Event-loop turns without output before the pipe counts as empty. Every pipe is polled once per turn. */
const MAX_IDLE_TURNS = 8;

/**
 * Yields the lines of a child's stdout, read only as fast as the caller consumes them. After the exit it ends when all
 * output is read, even if a process that the child left running keeps the pipe open.
 */
export async function* readLines(stdout: Readable, exit: Promise<unknown>): AsyncGenerator<string> {
  const splitter = new LineSplitter(MAX_LINE_BYTES);
  let activity = createDeferred();
  let hasExited = false;
  const wake = () => {
    activity.resolve();
    activity = createDeferred();
  };
  void exit.then(() => {
    hasExited = true;
    wake();
  });
  // An error counts as the end, because it sets `destroyed`.
  for (const event of ['readable', 'end', 'error', 'close']) stdout.on(event, wake);
  let bytesAfterExit = 0;
  for (let idleTurns = 0; ; ) {
    const chunk: Uint8Array | null = stdout.read();
    if (chunk) {
      idleTurns = 0;
      if (hasExited) bytesAfterExit += chunk.length;
      for (const line of splitter.push(chunk)) yield 'text' in line ? line.text : line.problem;
    } else if (stdout.readableEnded || stdout.destroyed || idleTurns > MAX_IDLE_TURNS) break;
    else if (!hasExited) await activity.promise;
    else {
      idleTurns++;
      await waitOneTurn();
    }
    if (bytesAfterExit > MAX_BYTES_AFTER_EXIT) break;
  }
  for (const line of splitter.end()) yield 'text' in line ? line.text : line.problem;
  stdout.destroy();
}

export interface StreamTail {
  text(): string;
  /** Call after the exit: on some systems the exit event comes before the last output. */
  drain(): Promise<void>;
}

/** Keeps the end of a stream and passes all text to `onText`. */
export function captureTail(stream: Readable, onText: (text: string) => void): StreamTail {
  let tail = '';
  let hasEnded = false;
  let chunkCount = 0;
  stream.setEncoding('utf8');
  stream.on('data', (text: string) => {
    chunkCount++;
    tail = (tail + text).slice(-TAIL_BYTES);
    onText(text);
  });
  stream.on('error', () => {});
  stream.on('close', () => {
    hasEnded = true;
  });
  return {
    text: () => tail,
    async drain() {
      for (let idleTurns = 0, previousCount = chunkCount; !hasEnded && idleTurns <= MAX_IDLE_TURNS; idleTurns++) {
        await waitOneTurn();
        if (previousCount !== chunkCount) idleTurns = 0;
        previousCount = chunkCount;
      }
      stream.destroy();
    },
  };
}
