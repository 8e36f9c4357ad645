// flattenBatches: each value once, in order, and read only on demand.
import { expect, test } from 'vitest';
import { flattenBatches } from '../../src/base/index.ts';

async function* createBatches(produced: number[], ...sizes: number[]) {
  let next = 0;
  for (const size of sizes) {
    yield (function* () {
      for (let i = 0; i < size; i++) {
        produced.push(next);
        yield next++;
      }
    })();
  }
}

test('values are returned one by one, and empty batches are skipped', async () => {
  const values: number[] = [];
  for await (const value of flattenBatches(createBatches([], 0, 2, 0, 0, 1, 0))) values.push(value);
  expect(values).toEqual([0, 1, 2]);
});

test('nextBuffered returns the values of the current batch without waiting', async () => {
  const stream = flattenBatches(createBatches([], 3, 1));
  expect(stream.nextBuffered()).toBeUndefined();
  expect((await stream.next()).value).toBe(0);
  expect([stream.nextBuffered(), stream.nextBuffered(), stream.nextBuffered()]).toEqual([1, 2, undefined]);
  expect((await stream.next()).value).toBe(3);
  expect(stream.nextBuffered()).toBeUndefined();
  expect((await stream.next()).done).toBe(true);
});

test('a value is not produced before it is read', async () => {
  const produced: number[] = [];
  const stream = flattenBatches(createBatches(produced, 3, 3));
  await stream.next();
  expect(produced).toEqual([0]);
  stream.nextBuffered();
  expect(produced).toEqual([0, 1]);
});

test('leaving the loop ends the source', async () => {
  let ended = false;
  async function* source() {
    try {
      yield [1, 2];
      yield [3];
    } finally {
      ended = true;
    }
  }
  for await (const value of flattenBatches(source())) if (value === 2) break;
  expect(ended).toBe(true);
});
