// Leaving: how long the farewell may take, and what does not count against it.
import { expect, onTestFinished, test, vi } from 'vitest';
import { createShutdown } from '../../../src/app/modes/shutdown.ts';
import { createFakeClock } from '../../../src/testing/index.ts';

const SIGNALS = ['SIGHUP', 'SIGINT', 'SIGTERM'] as const;

function shutdownWith(farewell: () => Promise<void>) {
  const before = SIGNALS.map((signal) => process.listeners(signal));
  const exit = vi.spyOn(process, 'exit').mockImplementation((() => {}) as () => never);
  onTestFinished(() => {
    exit.mockRestore();
    process.exitCode = undefined;
    for (const [at, signal] of SIGNALS.entries()) {
      for (const listener of process.listeners(signal))
        if (!before[at]!.includes(listener)) process.off(signal, listener);
    }
  });
  const clock = createFakeClock();
  return { clock, exit, shutdown: createShutdown({ clock, log: () => {} }, farewell) };
}

test('a farewell that does not end is left after two seconds at most', async () => {
  const { clock, exit, shutdown } = shutdownWith(() => new Promise(() => {}));
  void shutdown.leave(143);
  await clock.advance(1700);
  expect(exit).not.toHaveBeenCalled();
  await clock.advance(300);
  expect(exit).toHaveBeenCalledExactlyOnceWith(143);
});

test('time that passed all at once, as for a program that was held up, counts as one step', async () => {
  const due: (() => void)[] = [];
  const { exit, clock } = shutdownWith(async () => {});
  const after = (_ms: number, act: () => void) => {
    due.push(act);
    return () => {};
  };
  let said = () => {};
  const farewell = () =>
    new Promise<void>((resolve) => {
      said = resolve;
    });
  const leaving = createShutdown({ clock: { ...clock, after }, log: () => {} }, farewell).leave(129);
  // What is due after the pause runs before anything else can.
  for (const act of due.splice(0)) act();
  expect(exit).not.toHaveBeenCalled();
  said();
  await leaving;
  expect(exit).toHaveBeenCalledExactlyOnceWith(129);
});
