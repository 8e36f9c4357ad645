// Regular expressions over growing text: which are found, and that a slow one does not block the others.
import { expect, onTestFinished, test } from 'vitest';
import { createClock } from '../../../src/app/system-ports/clock.ts';
import { createPatternMatcherFactory } from '../../../src/app/system-ports/pattern-matcher.ts';

function createWatcher(patterns: Record<string, string>) {
  const found: string[] = [];
  const timedOut: string[] = [];
  const matcher = createPatternMatcherFactory({ clock: createClock() })(
    Object.entries(patterns).map(([name, expression]) => ({ name, expression })),
    { onMatch: (names) => void found.push(...names), onTimeout: (name) => void timedOut.push(name) },
  );
  onTestFinished(() => matcher.close());
  return { matcher, found, timedOut };
}

test('finds a match that is split over chunks, once, and only of active patterns', async () => {
  const { matcher, found } = createWatcher({ a: 'any\\b', b: 'other', c: '^begin' });
  matcher.reset(['a', 'c']);
  for (const chunk of ['x: a', 'ny ', 'other', ' begin', ' any ']) {
    matcher.feed(chunk);
    await matcher.waitUntilSettled();
  }
  expect(found).toEqual(['a']);
  matcher.reset(['a', 'b']);
  matcher.feed('ny other');
  await matcher.waitUntilSettled();
  expect(found).toEqual(['a', 'b']);
});

test('a match does not extend over a reset', async () => {
  const { matcher, found } = createWatcher({ a: 'bad' });
  matcher.reset(['a']);
  matcher.feed('ba');
  matcher.reset(['a']);
  matcher.feed('d');
  await matcher.waitUntilSettled();
  expect(found).toEqual([]);
});

test('a match may start far before the new chunk', async () => {
  const { matcher, found } = createWatcher({ a: 'start[^]*end' });
  matcher.reset(['a']);
  matcher.feed(`start${'x'.repeat(20_000)}`);
  await matcher.waitUntilSettled();
  matcher.feed('end');
  await matcher.waitUntilSettled();
  expect(found).toEqual(['a']);
});

test('an expression with exponential time is dropped, does not block feed(), and others are still found', async () => {
  const { matcher, found, timedOut } = createWatcher({ slow: '(a+)+$', fine: 'needle' });
  matcher.reset(['slow', 'fine']);
  // On the main thread this match would take years.
  for (let i = 0; i < 1000; i++) {
    matcher.feed(`${'a'.repeat(1000)}!`);
    if (i % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  matcher.feed('needle');
  await matcher.waitUntilSettled();
  expect(timedOut).toEqual(['slow']);
  expect(found).toEqual(['fine']);
});
