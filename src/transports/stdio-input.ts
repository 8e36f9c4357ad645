// Transports, stdio: bytes of stdin as lines, read only as fast as someone takes them. Knows nothing about output.
import { type Deferred, deferred, type Line, LineSplitter } from '../base/index.ts';

export interface StdinLines {
  readonly lines: AsyncIterable<Line>;
  /** Ends the lines and lets go of stdin, so that it no longer keeps the process alive. */
  stop(): void;
}

const NEWS = ['readable', 'end', 'error', 'close'] as const;

export function readStdin(lineLimit: number): StdinLines {
  let stopped = false;
  let news: Deferred<void> = deferred();
  const wake = () => {
    news.resolve();
    news = deferred();
  };

  async function* lines(): AsyncGenerator<Line> {
    const stdin = process.stdin;
    const splitter = new LineSplitter(lineLimit);
    for (const event of NEWS) stdin.on(event, wake);
    try {
      while (!stopped) {
        const chunk: Uint8Array | string | null = stdin.read();
        if (chunk === null) {
          if (stdin.readableEnded || stdin.destroyed) break;
          await news.promise;
          continue;
        }
        // Foreign code in this process may have called setEncoding.
        for (const line of splitter.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)) {
          yield line;
          if (stopped) return;
        }
      }
      if (!stopped) yield* splitter.end();
    } finally {
      letGo(stdin, wake);
    }
  }

  return {
    lines: { [Symbol.asyncIterator]: lines },
    stop() {
      stopped = true;
      wake();
    },
  };
}

function letGo(stdin: NodeJS.ReadStream, wake: () => void): void {
  for (const event of NEWS) stdin.off(event, wake);
  // A late read error must not end the process; there is nobody left to tell.
  stdin.on('error', () => {});
  // Not destroyed: it is the process's, and others may hold it. Files have no `unref` and need none.
  (stdin as { unref?: () => void }).unref?.();
}
