// Helpers for tests of outgoing frames: the text of a frame, and the amount of text that was encoded.
import { vi } from 'vitest';
import type { Chunk } from '../../src/contracts/index.ts';

export function joinChunks(chunks: readonly Chunk[]): string {
  return Buffer.concat(chunks.map((chunk) => Buffer.from(chunk as string))).toString();
}

/** Returns the number of serialized characters and encoded bytes. Counted instead of timed, so that CPU load has no effect. */
export function measureEncoding(run: () => void): number {
  const { stringify } = JSON;
  const { encodeInto } = TextEncoder.prototype;
  let count = 0;
  const stringifySpy = vi.spyOn(JSON, 'stringify').mockImplementation((value: unknown) => {
    const text = stringify(value);
    count += text?.length ?? 0;
    return text;
  });
  const encodeSpy = vi.spyOn(TextEncoder.prototype, 'encodeInto').mockImplementation(function (
    this: InstanceType<typeof TextEncoder>,
    text: string,
    into: Uint8Array,
  ) {
    const result = encodeInto.call(this, text, into);
    count += result.written;
    return result;
  });
  try {
    run();
  } finally {
    stringifySpy.mockRestore();
    encodeSpy.mockRestore();
  }
  return count;
}
