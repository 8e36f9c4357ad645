// A stream is returned to its source, however the reading ends: a connection that nobody reads would stay open.
import { expect, test } from 'vitest';
import { untilAborted } from '../../../src/core/agent/until-aborted.ts';
import { createFakeClock } from '../../../src/testing/fake-clock.ts';

/** Gives these values and then nothing, ever. */
function source(values: readonly number[]) {
  const state = { returned: 0 };
  const left = [...values];
  const iterator: AsyncIterator<number> = {
    next: () =>
      left.length > 0
        ? Promise.resolve({ done: false, value: left.shift() as number })
        : new Promise<IteratorResult<number>>(() => {}),
    async return() {
      state.returned += 1;
      return { done: true, value: undefined };
    },
  };
  return { state, stream: { [Symbol.asyncIterator]: () => iterator } };
}

test('when its reader stops early', async () => {
  const { state, stream } = source([1, 2, 3]);
  for await (const value of untilAborted(stream, new AbortController().signal, createFakeClock())) {
    if (value === 2) break;
  }
  expect(state.returned).toBe(1);
});

test.each(['before', 'while'])('when it does not end after an abort %s it is read', async (moment) => {
  const { state, stream } = source([1]);
  const controller = new AbortController();
  const clock = createFakeClock();
  if (moment === 'before') controller.abort();
  const seen: number[] = [];
  const reading = (async () => {
    for await (const value of untilAborted(stream, controller.signal, clock)) seen.push(value);
  })();
  while (seen.length === 0) await Promise.resolve();
  controller.abort();
  await clock.advance(999);
  expect(state.returned).toBe(0);
  await clock.advance(1);
  await reading;
  expect([seen, state.returned]).toEqual([[1], 1]);
});
