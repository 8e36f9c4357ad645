import { expect, test } from 'vitest';
import { channel } from '../../src/base/channel.ts';

const rest = async <T>(values: AsyncIterable<T>) => {
  const seen: T[] = [];
  for await (const value of values) seen.push(value);
  return seen;
};

test('values come in order, those pushed while the reader waits included, and end after close', async () => {
  const queue = channel<number>();
  queue.push(1);
  const reading = rest(queue);
  await new Promise(setImmediate);
  queue.push(2);
  queue.push(3);
  queue.close();
  queue.push(4);
  expect(await reading).toEqual([1, 2, 3]);
});

test('the size is what nobody has taken yet', async () => {
  const queue = channel<string>();
  for (const letter of 'abcd') queue.push(letter);
  const reader = queue[Symbol.asyncIterator]();
  expect(queue.size).toBe(4);
  await reader.next();
  expect(queue.size).toBe(3);
  await reader.next();
  await reader.next();
  queue.push('e');
  expect(queue.size).toBe(2);
  queue.close();
  expect([(await reader.next()).value, (await reader.next()).value, (await reader.next()).done]).toEqual([
    'd',
    'e',
    true,
  ]);
  expect(queue.size).toBe(0);
});

test('a long queue is read in order, and a second reader goes on where the first left', async () => {
  const queue = channel<number>();
  for (let i = 0; i < 200_000; i++) queue.push(i);
  queue.close();
  for await (const value of queue) if (value === 99_999) break;
  const seen = await rest(queue);
  expect(seen.length).toBe(100_000);
  expect(seen[0]).toBe(100_000);
  expect(seen.at(-1)).toBe(199_999);
});
