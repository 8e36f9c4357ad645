// Values that come many at a time: each once, in order, made when it is wanted.
import { expect, test } from 'vitest';
import { flattened } from '../../src/base/index.ts';

async function* batches(made: number[], ...sizes: number[]) {
  let next = 0;
  for (const size of sizes) {
    yield (function* () {
      for (let i = 0; i < size; i++) {
        made.push(next);
        yield next++;
      }
    })();
  }
}

test('one by one, over empty batches', async () => {
  const seen: number[] = [];
  for await (const value of flattened(batches([], 0, 2, 0, 0, 1, 0))) seen.push(value);
  expect(seen).toEqual([0, 1, 2]);
});

test('what needs no waiting is at hand, up to the end of the batch', async () => {
  const stream = flattened(batches([], 3, 1));
  expect(stream.atHand()).toBeUndefined();
  expect((await stream.next()).value).toBe(0);
  expect([stream.atHand(), stream.atHand(), stream.atHand()]).toEqual([1, 2, undefined]);
  expect((await stream.next()).value).toBe(3);
  expect(stream.atHand()).toBeUndefined();
  expect((await stream.next()).done).toBe(true);
});

test('nothing is made before it is wanted', async () => {
  const made: number[] = [];
  const stream = flattened(batches(made, 3, 3));
  await stream.next();
  expect(made).toEqual([0]);
  stream.atHand();
  expect(made).toEqual([0, 1]);
});

test('a reader that leaves ends the source', async () => {
  let ended = false;
  async function* source() {
    try {
      yield [1, 2];
      yield [3];
    } finally {
      ended = true;
    }
  }
  for await (const value of flattened(source())) if (value === 2) break;
  expect(ended).toBe(true);
});
