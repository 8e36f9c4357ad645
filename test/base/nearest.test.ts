// What someone probably meant.
import { expect, test } from 'vitest';
import { nearest } from '../../src/base/index.ts';

test('nearest gives up on words that are no slip', () => {
  expect(nearest('cat', ['car', 'dog'])).toBe('car');
  expect(nearest('zebra', ['car', 'dog'])).toBeUndefined();
  expect(nearest('x', [])).toBeUndefined();
  expect(nearest('ab', ['b', 'ba'])).toBe('ba');
});
