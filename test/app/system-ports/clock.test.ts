import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createClock } from '../../../src/app/system-ports/clock.ts';

beforeEach(() => void vi.useFakeTimers({ now: 1_000 }));
afterEach(() => void vi.useRealTimers());

const clock = createClock();

test('after() runs its callback once, on time, and not when cancelled', () => {
  const calls: string[] = [];
  clock.after(20, () => calls.push(`late at ${clock.now()}`));
  clock.after(10, () => calls.push(`soon at ${clock.now()}`));
  clock.after(15, () => calls.push('never'))();
  vi.advanceTimersByTime(100);
  expect(calls).toEqual(['soon at 1010', 'late at 1020']);
});

test('a delay above the limit of setTimeout does not fire at once', () => {
  const act = vi.fn();
  clock.after(1e12, act);
  vi.advanceTimersByTime(1_000_000);
  expect(act).not.toHaveBeenCalled();
});

test('after() does not keep the process alive, sleep() does', () => {
  vi.useRealTimers();
  const spy = vi.spyOn(globalThis, 'setTimeout');
  const stop = new AbortController();
  try {
    clock.after(60_000, () => {})();
    void clock.sleep(60_000, stop.signal);
    const [after, sleep] = spy.mock.results.map((result) => result.value as NodeJS.Timeout);
    expect([after!.hasRef(), sleep!.hasRef()]).toEqual([false, true]);
  } finally {
    stop.abort();
    spy.mockRestore();
  }
});

test('sleep() ends on time, and at once when its signal is aborted', async () => {
  const slept = clock.sleep(50).then(() => clock.now());
  await vi.advanceTimersByTimeAsync(50);
  expect(await slept).toBe(1050);

  const stop = new AbortController();
  const aborted = clock.sleep(1e9, stop.signal);
  stop.abort();
  await aborted;
  await clock.sleep(1e9, stop.signal);
  expect([clock.now(), vi.getTimerCount()]).toEqual([1050, 0]);
});

test('yieldToEventLoop() lets pending events run first', async () => {
  vi.useRealTimers();
  const order: string[] = [];
  setImmediate(() => order.push('ready before'));
  await clock.yieldToEventLoop();
  expect(order).toEqual(['ready before']);
});
