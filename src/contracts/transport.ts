// Ground floor: how lines travel. A transport moves text; it never looks inside.
import type { Line } from '../base/index.ts';

/** A piece of an outgoing line: text, or bytes that are already UTF-8. */
export type Chunk = string | Uint8Array;

export interface Transport {
  /** Lines as they arrive; ends when the other side has no more to say. */
  readonly lines: AsyncIterable<Line>;
  /** Takes one whole line, newline included. `false` means that enough is waiting now: hold back until `drained`. */
  write(chunks: readonly Chunk[]): boolean;
  drained(): Promise<void>;
  /** Resolves when the reader on the other side has gone away; nothing written after that arrives. */
  readonly broken: Promise<void>;
  /** Everything written so far has left the process. */
  flush(): Promise<void>;
}
