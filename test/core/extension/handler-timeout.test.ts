// Handler timeout: the time while a dialog waits for the user does not count.
import { expect, test } from 'vitest';
import { createHandlerTimeout } from '../../../src/core/extension/handler-timeout.ts';
import { createFakeClock } from '../../../src/testing/index.ts';

function createFixture(timeoutMs: number) {
  const clock = createFakeClock();
  const timeout = createHandlerTimeout(clock, timeoutMs, () => new Error('late'));
  const state = { expired: false };
  timeout.expired.catch(() => {
    state.expired = true;
  });
  const advance = async (ms: number) => {
    await clock.advance(ms);
    await Promise.resolve();
    return state.expired;
  };
  return { timeout, advance };
}

test('expires after the timeout', async () => {
  const { advance } = createFixture(100);
  expect(await advance(99)).toBe(false);
  expect(await advance(1)).toBe(true);
});

test('pauses do not count, nested pauses included', async () => {
  const { timeout, advance } = createFixture(100);
  await advance(60);
  const resumeOuter = timeout.pause();
  const resumeInner = timeout.pause();
  expect(await advance(1000)).toBe(false);
  resumeOuter();
  resumeOuter();
  expect(await advance(1000)).toBe(false);
  resumeInner();
  expect(await advance(39)).toBe(false);
  expect(await advance(1)).toBe(true);
});

test('does not expire after stop', async () => {
  const { timeout, advance } = createFixture(100);
  const resume = timeout.pause();
  timeout.stop();
  resume();
  expect(await advance(1000)).toBe(false);
});
