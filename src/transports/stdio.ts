// Transports: lines over this process's stdin and stdout. Knows descriptors and back-pressure, never what a line says.
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
  /** Stops reading, so that the process can end. What was written still leaves; what comes later is dropped. */
  close(): void;
}

/** Takes stdout for frames: from here on, whatever else is written there lands on stderr. Call it before foreign code runs. */
export function createStdioTransport({ lineLimit = DEFAULT_LINE_LIMIT }: StdioOptions = {}): StdioTransport {
  const writer = new FrameWriter(guardStdout());
  const input = readStdin(lineLimit);
  return {
    lines: input.lines,
    write: (chunks) => writer.write(chunks),
    drained: () => writer.drained(),
    flush: () => writer.flush(),
    broken: writer.broken,
    close() {
      input.stop();
      writer.close();
    },
  };
}
