// Shutdown: how long the cleanup may take, and that a blocked process does not use up that time.
import { expect, onTestFinished, test, vi } from 'vitest';
import { createShutdown } from '../../../src/app/modes/shutdown.ts';
import { createFakeClock } from '../../../src/testing/index.ts';

const SIGNALS = ['SIGHUP', 'SIGINT', 'SIGTERM'] as const;

function createShutdownWith(cleanUp: () => Promise<void>) {
  const initialListeners = SIGNALS.map((signal) => process.listeners(signal));
  const exit = vi.spyOn(process, 'exit').mockImplementation((() => {}) as () => never);
  onTestFinished(() => {
    exit.mockRestore();
    process.exitCode = undefined;
    for (const [at, signal] of SIGNALS.entries()) {
      for (const listener of process.listeners(signal))
        if (!initialListeners[at]!.includes(listener)) process.off(signal, listener);
    }
  });
  const clock = createFakeClock();
  return { clock, exit, shutdown: createShutdown({ clock, log: () => {} }, cleanUp) };
}

test('a cleanup that does not finish is abandoned after two seconds at most', async () => {
  const { clock, exit, shutdown } = createShutdownWith(() => new Promise(() => {}));
  void shutdown.exit(143);
  await clock.advance(1700);
  expect(exit).not.toHaveBeenCalled();
  await clock.advance(300);
  expect(exit).toHaveBeenCalledExactlyOnceWith(143);
});

test('a long pause of the process counts as one timer step', async () => {
  const dueTimers: (() => void)[] = [];
  const { exit, clock } = createShutdownWith(async () => {});
  const after = (_ms: number, act: () => void) => {
    dueTimers.push(act);
    return () => {};
  };
  let finishCleanUp = () => {};
  const cleanUp = () =>
    new Promise<void>((resolve) => {
      finishCleanUp = resolve;
    });
  const exiting = createShutdown({ clock: { ...clock, after }, log: () => {} }, cleanUp).exit(129);
  // Timers that are due after the pause run first.
  for (const act of dueTimers.splice(0)) act();
  expect(exit).not.toHaveBeenCalled();
  finishCleanUp();
  await exiting;
  expect(exit).toHaveBeenCalledExactlyOnceWith(129);
});
