// Frames of protocol version 2: large ones are split into chunks, and the host can join them again.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Frame } from '../../../src/contracts/index.ts';
import { createFrame } from '../../../src/dialects/frames.ts';
import { createChunkEncoder } from '../../../src/dialects/omp/chunk-encoder.ts';
import { MAX_FRAME_BYTES, MAX_REASSEMBLED_BYTES } from '../../../src/dialects/omp/frame-limits.ts';
import { findSchemaErrors } from '../../support/wire-schema.ts';

interface ChunkFrame {
  type: string;
  chunkId: string;
  index: number;
  count: number;
  byteLength: number;
  data: string;
}

function listLines(frame: Frame | undefined): string[] {
  if (!frame) return [];
  return [
    frame.chunks.map((chunk) => Buffer.from(chunk as string).toString()).join(''),
    ...listLines(frame.followedBy),
  ];
}

/** What a host does with the chunks of one frame. */
function joinChunks(lines: readonly string[]): unknown {
  const chunks = lines.map((line) => JSON.parse(line) as ChunkFrame);
  for (const [index, chunk] of chunks.entries()) {
    expect(chunk).toMatchObject({ type: 'rpc_chunk', chunkId: chunks[0]?.chunkId, index, count: chunks.length });
    expect(findSchemaErrors('RpcChunk', chunk)).toEqual([]);
  }
  const joined = Buffer.concat(chunks.map(({ data }) => Buffer.from(data, 'base64')));
  expect(joined.length).toBe(chunks[0]?.byteLength);
  return JSON.parse(joined.toString());
}

describe('limits', () => {
  const encode = createChunkEncoder();
  const emptyLength = listLines(createFrame({ type: 'x', text: '' }))[0]?.length as number;

  test.each([
    ['exactly at the limit', MAX_FRAME_BYTES - emptyLength, 'a', 1],
    ['one byte over the limit', MAX_FRAME_BYTES - emptyLength + 1, 'a', 4],
    ['over the limit in bytes, not in characters', MAX_FRAME_BYTES / 2, '\u20ac', 7],
  ])('a frame %s', (_, length, character, lineCount) => {
    const value = { type: 'x', text: character.repeat(length) };
    const lines = listLines(encode(createFrame(value)));
    expect(lines).toHaveLength(lineCount);
    for (const line of lines) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(MAX_FRAME_BYTES);
    expect(lineCount === 1 ? JSON.parse(lines[0] as string) : joinChunks(lines)).toEqual(value);
  });

  test('a response that is too large even for chunks becomes a failure with its id', () => {
    const text = 'a'.repeat(MAX_REASSEMBLED_BYTES);
    const response = { id: 'r', type: 'response', command: 'get_messages', success: true, data: { text } };
    const [line, ...others] = listLines(encode(createFrame(response)));
    expect(others).toEqual([]);
    expect(JSON.parse(line as string)).toEqual({
      ...{ id: 'r', type: 'response', command: 'get_messages', success: false },
      error: expect.stringContaining(String(MAX_REASSEMBLED_BYTES)),
    });
    const error = JSON.parse(listLines(encode(createFrame({ type: 'notice', message: text })))[0] as string);
    expect(error).toMatchObject({ type: 'rpc_frame_error', originalType: 'notice' });
    expect(findSchemaErrors('RpcFrameError', error)).toEqual([]);
  });
});

test('a frame that follows another stays behind its chunks', () => {
  const large = createFrame({ text: 'a'.repeat(MAX_FRAME_BYTES) });
  const lines = listLines(createChunkEncoder()({ ...large, followedBy: createFrame({ type: 'last' }) }));
  expect(lines.at(-1)).toBe('{"type":"last"}\n');
  expect(joinChunks(lines.slice(0, -1))).toEqual({ text: 'a'.repeat(MAX_FRAME_BYTES) });
});

test('frames fold only as long as the result fits into one line', () => {
  const createFoldable = (text: string): Frame => ({
    ...createFrame({ text }),
    fold: (next) => createFoldable(text + JSON.parse(next.chunks[0] as string).text),
  });
  fc.assert(
    fc.property(fc.array(fc.nat({ max: MAX_FRAME_BYTES / 4 }), { minLength: 2, maxLength: 6 }), (lengths) => {
      const encode = createChunkEncoder();
      let current = encode(createFoldable(''));
      for (const length of lengths) {
        const next = encode(createFoldable('a'.repeat(length)));
        current = current.fold?.(next) ?? next;
        for (const line of listLines(current)) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(MAX_FRAME_BYTES);
      }
    }),
    { numRuns: 30 },
  );
});
