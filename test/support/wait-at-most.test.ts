// waitAtMost waits for work up to a time limit.
import { expect, test } from 'vitest';
import { createDeferred } from '../../src/base/index.ts';
import { waitAtMost } from '../../src/support/wait-at-most.ts';
import { createFakeClock } from '../../src/testing/index.ts';

test('resolves when the work is done, and cancels the timer', async () => {
  const clock = createFakeClock();
  const signals: AbortSignal[] = [];
  const sleep = (ms: number, signal?: AbortSignal) => {
    if (signal) signals.push(signal);
    return clock.sleep(ms, signal);
  };
  await waitAtMost({ sleep }, 100, Promise.resolve());
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
});

test('resolves after the time limit, also when the work never ends', async () => {
  const clock = createFakeClock();
  let isOver = false;
  const waiting = waitAtMost(clock, 100, createDeferred().promise).then(() => {
    isOver = true;
  });
  await clock.advance(99);
  expect(isOver).toBe(false);
  await clock.advance(1);
  await waiting;
  expect(isOver).toBe(true);
});

test('rejects when the work fails before the time limit', async () => {
  await expect(waitAtMost(createFakeClock(), 100, Promise.reject(new Error('failed')))).rejects.toThrow('failed');
});
