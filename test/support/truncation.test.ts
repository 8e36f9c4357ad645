// Truncation of lists at the byte limit.
import { expect, test } from 'vitest';
import { formatSize, MAX_BYTES, truncateList } from '../../src/support/truncation.ts';

test('a list of exactly the limit is not truncated', () => {
  const lines = ['a'.repeat(MAX_BYTES - 2), 'b'];
  const { text, truncation } = truncateList(lines);
  expect(Buffer.byteLength(text)).toBe(MAX_BYTES);
  expect(truncation).toBe(undefined);
});

test('one more byte removes the last line', () => {
  const { text, truncation } = truncateList(['a'.repeat(MAX_BYTES - 2), 'bb']);
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

test('the limit counts bytes, not characters', () => {
  expect(truncateList(['é'.repeat(MAX_BYTES / 2)]).truncation).toBe(undefined);
  expect(truncateList(['é'.repeat(MAX_BYTES / 2 + 1)]).truncation).toMatchObject({ firstLineExceedsLimit: true });
});

test('the unit of a size changes at powers of 1024', () => {
  expect([1023, 1024, 1024 ** 2 - 1, 1024 ** 2, 1024 ** 3 - 1, 1024 ** 3].map(formatSize)).toEqual([
    '1023B',
    '1.0KB',
    '1024.0KB',
    '1.0MB',
    '1024.0MB',
    '1.0GB',
  ]);
});
