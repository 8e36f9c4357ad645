// Reads stdin as lines, only as fast as the consumer takes them.
import { createDeferred, type Deferred, type Line, LineSplitter } from '../base/index.ts';

export interface StdinLines {
  readonly lines: AsyncIterable<Line>;
  /** Ends the lines and releases stdin, so that it no longer keeps the process alive. */
  stop(): void;
}

const WAKE_EVENTS = ['readable', 'end', 'error', 'close'] as const;

export function readStdin(lineLimit: number): StdinLines {
  let stopped = false;
  let wakeup: Deferred<void> = createDeferred();
  const wake = () => {
    wakeup.resolve();
    wakeup = createDeferred();
  };

  async function* lines(): AsyncGenerator<Line> {
    const stdin = process.stdin;
    const splitter = new LineSplitter(lineLimit);
    for (const event of WAKE_EVENTS) stdin.on(event, wake);
    try {
      while (!stopped) {
        const chunk: Uint8Array | string | null = stdin.read();
        if (chunk === null) {
          if (stdin.readableEnded || stdin.destroyed) break;
          await wakeup.promise;
          continue;
        }
        // An extension in this process may have called setEncoding.
        for (const line of splitter.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)) {
          yield line;
          if (stopped) return;
        }
      }
      if (!stopped) yield* splitter.end();
    } finally {
      releaseStdin(stdin, wake);
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

function releaseStdin(stdin: NodeJS.ReadStream, wake: () => void): void {
  for (const event of WAKE_EVENTS) stdin.off(event, wake);
  // A late read error must not end the process; no one handles it any more.
  stdin.on('error', () => {});
  // Not destroyed, because other code may use process.stdin. Files have no `unref` and do not need it.
  (stdin as { unref?: () => void }).unref?.();
}
