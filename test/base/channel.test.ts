import { expect, test } from 'vitest';
import { createChannel } from '../../src/base/channel.ts';

const collectAll = async <T>(values: AsyncIterable<T>) => {
  const collected: T[] = [];
  for await (const value of values) collected.push(value);
  return collected;
};

test('values arrive in order, also those pushed while the reader waits, and end after close', async () => {
  const queue = createChannel<number>();
  queue.push(1);
  const reading = collectAll(queue);
  await new Promise(setImmediate);
  queue.push(2);
  queue.push(3);
  queue.close();
  queue.push(4);
  expect(await reading).toEqual([1, 2, 3]);
});

test('size is the number of values that are not read yet', async () => {
  const queue = createChannel<string>();
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

test('a long queue is read in order, and a second reader continues where the first one stopped', async () => {
  const queue = createChannel<number>();
  for (let i = 0; i < 200_000; i++) queue.push(i);
  queue.close();
  for await (const value of queue) if (value === 99_999) break;
  const collected = await collectAll(queue);
  expect(collected.length).toBe(100_000);
  expect(collected[0]).toBe(100_000);
  expect(collected.at(-1)).toBe(199_999);
});
