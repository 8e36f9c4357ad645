// A limit in timer ticks: a process that gets no processor time for long still has all of them.
import { expect, test } from 'vitest';
import { afterSteps, waitAtMostSteps } from '../../src/support/after-steps.ts';

/** A clock whose timers are due when the test says so, however much time has passed. */
function createTicks() {
  const waiting = new Set<() => void>();
  const clock = {
    after(ms: number, act: () => void) {
      expect(ms).toBe(100);
      waiting.add(act);
      return () => void waiting.delete(act);
    },
  };
  const tick = () => {
    for (const act of [...waiting]) {
      waiting.delete(act);
      act();
    }
  };
  return { clock, tick, waiting };
}

test('the function is called at the last tick, unless it is cancelled', () => {
  for (const isCancelled of [false, true]) {
    const { clock, tick, waiting } = createTicks();
    let calls = 0;
    const cancel = afterSteps(clock, 3, () => (calls += 1));
    tick();
    tick();
    expect(calls).toBe(0);
    if (isCancelled) cancel();
    tick();
    expect([calls, waiting.size]).toEqual([isCancelled ? 0 : 1, 0]);
  }
});

test('work that ends first ends the wait, and leaves no timer', async () => {
  const { clock, tick, waiting } = createTicks();
  await waitAtMostSteps(clock, 8, Promise.resolve());
  expect(waiting.size).toBe(0);
  await expect(waitAtMostSteps(clock, 8, Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  const endless = waitAtMostSteps(clock, 2, new Promise(() => {}));
  tick();
  tick();
  await endless;
  expect(waiting.size).toBe(0);
});
