// Regular expressions over growing text: which are found, and that a slow one does not block the others.
import { expect, onTestFinished, test } from 'vitest';
import { createClock } from '../../../src/app/system-ports/clock.ts';
import { createPatternWatcher } from '../../../src/app/system-ports/pattern-watcher.ts';

function createWatcher(patterns: Record<string, string>) {
  const found: string[] = [];
  const timedOut: string[] = [];
  const watcher = createPatternWatcher({ clock: createClock() })(
    Object.entries(patterns).map(([name, expression]) => ({ name, expression })),
    { onMatch: (names) => void found.push(...names), onTimeout: (name) => void timedOut.push(name) },
  );
  onTestFinished(() => watcher.close());
  return { watcher, found, timedOut };
}

test('finds a match that is split over chunks, once, and only of active patterns', async () => {
  const { watcher, found } = createWatcher({ a: 'any\\b', b: 'other', c: '^begin' });
  watcher.reset(['a', 'c']);
  for (const chunk of ['x: a', 'ny ', 'other', ' begin', ' any ']) {
    watcher.feed(chunk);
    await watcher.waitUntilSettled();
  }
  expect(found).toEqual(['a']);
  watcher.reset(['a', 'b']);
  watcher.feed('ny other');
  await watcher.waitUntilSettled();
  expect(found).toEqual(['a', 'b']);
});

test('a match does not extend over a reset', async () => {
  const { watcher, found } = createWatcher({ a: 'bad' });
  watcher.reset(['a']);
  watcher.feed('ba');
  watcher.reset(['a']);
  watcher.feed('d');
  await watcher.waitUntilSettled();
  expect(found).toEqual([]);
});

test('a match may start far before the new chunk', async () => {
  const { watcher, found } = createWatcher({ a: 'start[^]*end' });
  watcher.reset(['a']);
  watcher.feed(`start${'x'.repeat(20_000)}`);
  await watcher.waitUntilSettled();
  watcher.feed('end');
  await watcher.waitUntilSettled();
  expect(found).toEqual(['a']);
});

test('an expression with exponential time is dropped, does not block feed(), and others are still found', async () => {
  const { watcher, found, timedOut } = createWatcher({ slow: '(a+)+$', fine: 'needle' });
  watcher.reset(['slow', 'fine']);
  // On the main thread this match would take years.
  for (let i = 0; i < 1000; i++) {
    watcher.feed(`${'a'.repeat(1000)}!`);
    if (i % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  watcher.feed('needle');
  await watcher.waitUntilSettled();
  expect(timedOut).toEqual(['slow']);
  expect(found).toEqual(['fine']);
});
