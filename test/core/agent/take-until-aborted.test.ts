// takeUntilAborted always calls `return` of the source iterator. Otherwise the connection would stay open.
import { expect, test } from 'vitest';
import { takeUntilAborted } from '../../../src/core/agent/take-until-aborted.ts';
import { createFakeClock } from '../../../src/testing/fake-clock.ts';

/** A source that yields the values and then never ends. */
function createSource(values: readonly number[]) {
  const state = { returnCount: 0 };
  const remaining = [...values];
  const iterator: AsyncIterator<number> = {
    next: () =>
      remaining.length > 0
        ? Promise.resolve({ done: false, value: remaining.shift() as number })
        : new Promise<IteratorResult<number>>(() => {}),
    async return() {
      state.returnCount += 1;
      return { done: true, value: undefined };
    },
  };
  return { state, stream: { [Symbol.asyncIterator]: () => iterator } };
}

test('the source is returned when the reader stops early', async () => {
  const { state, stream } = createSource([1, 2, 3]);
  for await (const value of takeUntilAborted(stream, new AbortController().signal, createFakeClock())) {
    if (value === 2) break;
  }
  expect(state.returnCount).toBe(1);
});

test.each(['before', 'while'])('a hanging source is returned 1 s after an abort %s it is read', async (abortTime) => {
  const { state, stream } = createSource([1]);
  const controller = new AbortController();
  const clock = createFakeClock();
  if (abortTime === 'before') controller.abort();
  const values: number[] = [];
  const reading = (async () => {
    for await (const value of takeUntilAborted(stream, controller.signal, clock)) values.push(value);
  })();
  while (values.length === 0) await Promise.resolve();
  controller.abort();
  await clock.advance(999);
  expect(state.returnCount).toBe(0);
  await clock.advance(1);
  await reading;
  expect([values, state.returnCount]).toEqual([[1], 1]);
});
