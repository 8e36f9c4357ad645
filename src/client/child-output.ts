// The hall, client: what a child process says, up to its last word. Knows Node's streams, never what a line means.
import type { Readable } from 'node:stream';
import { deferred, LineSplitter } from '../base/index.ts';

/** An image in a reply may be large, and dropping a reply would leave its call waiting. */
const LONGEST_LINE = 512 * 1024 * 1024;
const TAIL_BYTES = 8 * 1024;
/** More than pipes hold: whatever comes after that is not from the process that has exited. */
const LAST_BYTES = 16 * 1024 * 1024;
/** The loop looks at every pipe once a turn; a few more cost microseconds. */
const QUIET_TURNS = 8;

/**
 * The lines of a child's stdout, read only as fast as they are taken. After the exit they end when everything is read,
 * even when a process that the child left behind holds the pipe open.
 */
export async function* linesOf(stdout: Readable, exit: Promise<unknown>): AsyncGenerator<string> {
  const splitter = new LineSplitter(LONGEST_LINE);
  let news = deferred();
  let exited = false;
  const wake = () => {
    news.resolve();
    news = deferred();
  };
  void exit.then(() => {
    exited = true;
    wake();
  });
  // An error counts as an end: `destroyed` tells.
  for (const event of ['readable', 'end', 'error', 'close']) stdout.on(event, wake);
  let late = 0;
  for (let quiet = 0; ; ) {
    const chunk: Uint8Array | null = stdout.read();
    if (chunk) {
      quiet = 0;
      if (exited) late += chunk.length;
      for (const line of splitter.push(chunk)) yield 'text' in line ? line.text : line.problem;
    } else if (stdout.readableEnded || stdout.destroyed || quiet > QUIET_TURNS) break;
    else if (!exited) await news.promise;
    else {
      quiet++;
      await turn();
    }
    if (late > LAST_BYTES) break;
  }
  for (const line of splitter.end()) yield 'text' in line ? line.text : line.problem;
  stdout.destroy();
}

export interface Tail {
  text(): string;
  /** To be awaited after the exit, which some systems tell before what was written last. */
  drained(): Promise<void>;
}

/** Keeps the end of a stream, and passes everything on to `onText`. */
export function tailOf(stream: Readable, onText: (text: string) => void): Tail {
  let kept = '';
  let ended = false;
  let pieces = 0;
  stream.setEncoding('utf8');
  stream.on('data', (text: string) => {
    pieces++;
    kept = (kept + text).slice(-TAIL_BYTES);
    onText(text);
  });
  stream.on('error', () => {});
  stream.on('close', () => {
    ended = true;
  });
  return {
    text: () => kept,
    async drained() {
      for (let quiet = 0, seen = pieces; !ended && quiet <= QUIET_TURNS; quiet++) {
        await turn();
        if (seen !== pieces) quiet = 0;
        seen = pieces;
      }
      stream.destroy();
    },
  };
}

/** One turn of the event loop, pipes included. A message to oneself, because there is no time to wait for here. */
function turn(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}
