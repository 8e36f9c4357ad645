// What tests of outgoing frames share: a frame's text, and how many characters and bytes were written to make it.
import { vi } from 'vitest';
import type { Chunk } from '../../src/contracts/index.ts';

export function joined(chunks: readonly Chunk[]): string {
  return Buffer.concat(chunks.map((chunk) => Buffer.from(chunk as string))).toString();
}

/** Everything that was serialised or encoded meanwhile. Counted instead of timed, so that a busy machine changes nothing. */
export function workDone(work: () => void): number {
  const { stringify } = JSON;
  const { encodeInto } = TextEncoder.prototype;
  let units = 0;
  const serialise = vi.spyOn(JSON, 'stringify').mockImplementation((value: unknown) => {
    const text = stringify(value);
    units += text?.length ?? 0;
    return text;
  });
  const encode = vi.spyOn(TextEncoder.prototype, 'encodeInto').mockImplementation(function (
    this: InstanceType<typeof TextEncoder>,
    text: string,
    into: Uint8Array,
  ) {
    const outcome = encodeInto.call(this, text, into);
    units += outcome.written;
    return outcome;
  });
  try {
    work();
  } finally {
    serialise.mockRestore();
    encode.mockRestore();
  }
  return units;
}
