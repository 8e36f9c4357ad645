// The interface of a transport: it sends and receives lines and does not interpret them.
import type { Line } from '../base/index.ts';

/** A part of an outgoing line: text, or UTF-8 bytes. */
export type Chunk = string | Uint8Array;

export interface Transport {
  /** Lines as they arrive. Ends when the host closes its output. */
  readonly lines: AsyncIterable<Line>;
  /** Writes one complete line including its newline. `false`: the buffer is full, pause until `waitForDrain` resolves. */
  write(chunks: readonly Chunk[]): boolean;
  waitForDrain(): Promise<void>;
  /** Resolves when the host has stopped reading; later writes are lost. */
  readonly readerClosed: Promise<void>;
  /** Resolves when everything written so far has left the process. */
  flush(): Promise<void>;
}
