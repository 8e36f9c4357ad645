import { expect, test } from 'vitest';
import { findClosestMatch } from '../../src/base/index.ts';

test('findClosestMatch returns undefined when no known word is similar enough', () => {
  expect(findClosestMatch('cat', ['car', 'dog'])).toBe('car');
  expect(findClosestMatch('zebra', ['car', 'dog'])).toBeUndefined();
  expect(findClosestMatch('x', [])).toBeUndefined();
  expect(findClosestMatch('ab', ['b', 'ba'])).toBe('ba');
});
