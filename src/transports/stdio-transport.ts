// The transport over stdin and stdout of this process.
import { DEFAULT_LINE_LIMIT } from '../base/index.ts';
import type { Transport } from '../contracts/index.ts';
import { guardStdout } from './stdio-guard.ts';
import { readStdin } from './stdio-input.ts';
import { FrameWriter } from './stdio-writer.ts';

export interface StdioOptions {
  /** Longest line accepted, in bytes. */
  lineLimit?: number;
}

export interface StdioTransport extends Transport {
  /** Stops reading, so that the process can end. Frames written before are still sent; later ones are dropped. */
  close(): void;
}

/** Reserves stdout for frames; all other writes go to stderr. Must be called before extension code runs. */
export function createStdioTransport({ lineLimit = DEFAULT_LINE_LIMIT }: StdioOptions = {}): StdioTransport {
  const writer = new FrameWriter(guardStdout());
  const input = readStdin(lineLimit);
  return {
    lines: input.lines,
    write: (chunks) => writer.write(chunks),
    waitForDrain: () => writer.waitForDrain(),
    flush: () => writer.flush(),
    readerClosed: writer.readerClosed,
    close() {
      input.stop();
      writer.close();
    },
  };
}
