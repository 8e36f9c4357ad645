// Image limits per model: base64 length, and width and height from the file header.
import { expect, test } from 'vitest';
import { findImageProblem } from '../../src/llm/image-limits.ts';
import { claude } from './apis/anthropic-fixture.ts';

const model = claude('claude-x');
const other = claude('gpt-5', { api: 'openai-responses', provider: 'openai' });
const MIB = 1024 * 1024;

test('limits the base64 length', () => {
  const data = (length: number) => `/9j/${'A'.repeat(length - 4)}`;
  expect(findImageProblem(model, { data: data(5 * MIB) })).toBeUndefined();
  const problem = 'has 6.0 MiB in base64, and anthropic/claude-x takes at most 5 MiB';
  expect(findImageProblem(model, { data: data(6 * MIB) })).toBe(problem);
  expect(findImageProblem(other, { data: data(6 * MIB) })).toBeUndefined();
  expect(findImageProblem(other, { data: data(21 * MIB) })).toContain('takes at most 20 MiB');
  const copilot = claude('claude-sonnet-4.5', { api: 'openai-completions', provider: 'github-copilot' });
  expect(findImageProblem(copilot, { data: data(6 * MIB) })).toContain('takes at most 5 MiB');
});

function png(width: number, height: number): Buffer {
  const bytes = Buffer.alloc(24);
  bytes.write('\x89PNG\r\n\x1a\n', 'latin1');
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes;
}

function gif(width: number, height: number): Buffer {
  const bytes = Buffer.from('GIF89a....');
  bytes.writeUInt16LE(width, 6);
  bytes.writeUInt16LE(height, 8);
  return bytes;
}

/** With a comment segment before the frame header, as cameras write it. */
function jpeg(width: number, height: number): Buffer {
  const frame = Buffer.alloc(9);
  frame.writeUInt16BE(0xffc2, 0);
  frame.writeUInt16BE(17, 2);
  frame.writeUInt16BE(height, 5);
  frame.writeUInt16BE(width, 7);
  const comment = Buffer.alloc(60_000, 0xff);
  comment.writeUInt16BE(0xfffe, 0);
  comment.writeUInt16BE(comment.length - 2, 2);
  return Buffer.concat([Buffer.from([0xff, 0xd8]), comment, frame]);
}

function webp(chunkType: string, write: (bytes: Buffer) => void): Buffer {
  const bytes = Buffer.alloc(30);
  bytes.write(`RIFF....WEBP${chunkType}`, 'latin1');
  write(bytes);
  return bytes;
}

const FORMATS: [string, (width: number, height: number) => Buffer][] = [
  ['PNG', png],
  ['GIF', gif],
  ['JPEG', jpeg],
  [
    'WebP, extended',
    (w, h) => webp('VP8X', (bytes) => bytes.writeUIntLE(w - 1, 24, 3) + bytes.writeUIntLE(h - 1, 27, 3)),
  ],
  ['WebP, lossy', (w, h) => webp('VP8 ', (bytes) => bytes.writeUInt16LE(w, 26) + bytes.writeUInt16LE(h, 28))],
  ['WebP, lossless', (w, h) => webp('VP8L', (bytes) => bytes.writeUInt32LE((w - 1) | ((h - 1) << 14), 21))],
];

test.each(FORMATS)('limits width and height of a %s', (_name, createImage) => {
  const problem = (width: number, height: number, forModel = model) =>
    findImageProblem(forModel, { data: createImage(width, height).toString('base64') });
  expect(problem(800, 8000)).toBeUndefined();
  expect(problem(9000, 100)).toBe('has a side of 9000 pixels, and anthropic/claude-x takes at most 8000');
  expect(problem(100, 9000)).toBe('has a side of 9000 pixels, and anthropic/claude-x takes at most 8000');
  expect(problem(9000, 9000, other)).toBeUndefined();
});

test.each(FORMATS)('a truncated %s has no size limit', (_name, createImage) => {
  const bytes = createImage(9000, 9000);
  expect(findImageProblem(model, { data: bytes.subarray(0, 9).toString('base64') })).toBeUndefined();
});
