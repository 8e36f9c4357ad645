// Splits frames that are too large for one line. Loaded when the host selects protocol version 2.
import type { Chunk, Frame } from '../../contracts/index.ts';
import { createFrame } from '../frames.ts';
import { MAX_FRAME_BYTES, MAX_REASSEMBLED_BYTES } from './frame-limits.ts';

/** Bytes of the frame in one chunk. Base64 makes them a third longer. */
const CHUNK_BYTES = 256 * 1024;
/** A UTF-16 code unit takes at most three bytes in UTF-8. */
const MAX_BYTES_PER_UNIT = 3;

export function createChunkEncoder(): (frame: Frame) => Frame {
  let count = 0;
  return (frame) => limitFrame(frame, () => `chunks-${++count}`);
}

function limitFrame(frame: Frame, nextId: () => string): Frame {
  const isSmall = frame.bytes * MAX_BYTES_PER_UNIT <= MAX_FRAME_BYTES;
  const limited = isSmall ? new FoldableFrame(frame) : splitFrame(frame, nextId);
  const { followedBy } = frame;
  return followedBy ? appendFrame(limited, limitFrame(followedBy, nextId)) : limited;
}

/** A small frame. It folds only as long as the result is small, too. */
class FoldableFrame implements Frame {
  readonly chunks: readonly Chunk[];
  readonly bytes: number;
  readonly #inner: Frame;

  constructor(inner: Frame) {
    this.#inner = inner;
    this.chunks = inner.chunks;
    this.bytes = inner.bytes;
  }

  fold(next: Frame): Frame | undefined {
    const folded = next instanceof FoldableFrame ? this.#inner.fold?.(next.#inner) : undefined;
    return folded && folded.bytes * MAX_BYTES_PER_UNIT <= MAX_FRAME_BYTES ? new FoldableFrame(folded) : undefined;
  }
}

function splitFrame(frame: Frame, nextId: () => string): Frame {
  const line = Buffer.concat(frame.chunks.map((chunk) => Buffer.from(chunk as string)));
  if (line.length <= MAX_FRAME_BYTES) return { chunks: frame.chunks, bytes: frame.bytes };
  const json = line.subarray(0, -1);
  if (json.length > MAX_REASSEMBLED_BYTES) return createFrame(describeTooLarge(json));
  const chunkId = nextId();
  const count = Math.ceil(json.length / CHUNK_BYTES);
  const frames = Array.from({ length: count }, (_, index) =>
    createFrame({
      ...{ type: 'rpc_chunk', chunkId, index, count, byteLength: json.length },
      data: json.subarray(index * CHUNK_BYTES, (index + 1) * CHUNK_BYTES).toString('base64'),
    }),
  );
  return frames.reduceRight((next, chunk) => ({ ...chunk, followedBy: next }));
}

/** A response becomes a failure with the same id, so that the caller does not wait for ever. */
function describeTooLarge(json: Buffer): object {
  const { id, type, command } = JSON.parse(json.toString()) as Record<string, unknown>;
  const error = `The frame has ${json.length} bytes, and the limit is ${MAX_REASSEMBLED_BYTES}`;
  if (type === 'response') return { id, type, command, success: false, error };
  return { type: 'rpc_frame_error', originalType: type, error };
}

function appendFrame(frame: Frame, last: Frame): Frame {
  return {
    ...frame,
    chunks: frame.chunks,
    bytes: frame.bytes,
    followedBy: frame.followedBy ? appendFrame(frame.followedBy, last) : last,
  };
}
