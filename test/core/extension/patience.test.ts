// How long a handler may take: the clock stands still while a person is asked.
import { expect, test } from 'vitest';
import { createPatience } from '../../../src/core/extension/patience.ts';
import { createFakeClock } from '../../../src/testing/index.ts';

function watched(limitMs: number) {
  const clock = createFakeClock();
  const patience = createPatience(clock, limitMs, () => new Error('late'));
  const state = { lost: false };
  patience.lost.catch(() => {
    state.lost = true;
  });
  const pass = async (ms: number) => {
    await clock.advance(ms);
    await Promise.resolve();
    return state.lost;
  };
  return { patience, pass };
}

test('lost when the time is used up', async () => {
  const { pass } = watched(100);
  expect(await pass(99)).toBe(false);
  expect(await pass(1)).toBe(true);
});

test('pauses do not count, nested ones neither', async () => {
  const { patience, pass } = watched(100);
  await pass(60);
  const outer = patience.pause();
  const inner = patience.pause();
  expect(await pass(1000)).toBe(false);
  outer();
  outer();
  expect(await pass(1000)).toBe(false);
  inner();
  expect(await pass(39)).toBe(false);
  expect(await pass(1)).toBe(true);
});

test('after the end nothing is lost', async () => {
  const { patience, pass } = watched(100);
  const resume = patience.pause();
  patience.end();
  resume();
  expect(await pass(1000)).toBe(false);
});
