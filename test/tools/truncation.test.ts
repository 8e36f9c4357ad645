// How much of a list is shown, at the edge of the limit.
import { expect, test } from 'vitest';
import { formatSize, headOfList, MAX_BYTES } from '../../src/tools/truncation.ts';

test('a list of exactly the limit is shown whole', () => {
  const lines = ['a'.repeat(MAX_BYTES - 2), 'b'];
  const { text, truncation } = headOfList(lines);
  expect(Buffer.byteLength(text)).toBe(MAX_BYTES);
  expect(truncation).toBe(undefined);
});

test('one byte more leaves the last line out', () => {
  const { text, truncation } = headOfList(['a'.repeat(MAX_BYTES - 2), 'bb']);
  expect(text).toBe('a'.repeat(MAX_BYTES - 2));
  expect(truncation).toMatchObject({
    truncatedBy: 'bytes',
    totalLines: 2,
    totalBytes: MAX_BYTES + 1,
    outputLines: 1,
    outputBytes: MAX_BYTES - 2,
    firstLineExceedsLimit: false,
  });
});

test('bytes count, not characters', () => {
  expect(headOfList(['é'.repeat(MAX_BYTES / 2)]).truncation).toBe(undefined);
  expect(headOfList(['é'.repeat(MAX_BYTES / 2 + 1)]).truncation).toMatchObject({ firstLineExceedsLimit: true });
});

test('a size changes its unit at the power of 1024', () => {
  expect([1023, 1024, 1024 ** 2 - 1, 1024 ** 2, 1024 ** 3 - 1, 1024 ** 3].map(formatSize)).toEqual([
    '1023B',
    '1.0KB',
    '1024.0KB',
    '1.0MB',
    '1024.0MB',
    '1.0GB',
  ]);
});
