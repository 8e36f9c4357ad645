// Expressions over growing text: what is found, and that a hopeless one holds up nobody.
import { expect, onTestFinished, test } from 'vitest';
import { createClock } from '../../../src/app/system-ports/clock.ts';
import { createPatternWatch } from '../../../src/app/system-ports/pattern-watch.ts';

function watch(patterns: Record<string, string>) {
  const found: string[] = [];
  const lost: string[] = [];
  const eye = createPatternWatch({ clock: createClock() })(
    Object.entries(patterns).map(([name, expression]) => ({ name, expression })),
    { found: (names) => void found.push(...names), lost: (name) => void lost.push(name) },
  );
  onTestFinished(() => eye.close());
  return { eye, found, lost };
}

test('finds what is split over pieces, once, and only what is looked for', async () => {
  const { eye, found } = watch({ a: 'any\\b', b: 'other', c: '^begin' });
  eye.begin(['a', 'c']);
  for (const piece of ['x: a', 'ny ', 'other', ' begin', ' any ']) {
    eye.feed(piece);
    await eye.settled();
  }
  expect(found).toEqual(['a']);
  eye.begin(['a', 'b']);
  eye.feed('ny other');
  await eye.settled();
  expect(found).toEqual(['a', 'b']);
});

test('what was begun before belongs to the text before', async () => {
  const { eye, found } = watch({ a: 'bad' });
  eye.begin(['a']);
  eye.feed('ba');
  eye.begin(['a']);
  eye.feed('d');
  await eye.settled();
  expect(found).toEqual([]);
});

test('a match may begin far back, but not everything is looked at again for every piece', async () => {
  const { eye, found } = watch({ a: 'start[^]*end' });
  eye.begin(['a']);
  eye.feed(`start${'x'.repeat(20_000)}`);
  await eye.settled();
  eye.feed('end');
  await eye.settled();
  expect(found).toEqual(['a']);
});

test('a hopeless expression over a megabyte: deltas flow, the others are still found, and it is given up', async () => {
  const { eye, found, lost } = watch({ hopeless: '(a+)+$', fine: 'needle' });
  eye.begin(['hopeless', 'fine']);
  // On this thread a matcher would take years.
  for (let i = 0; i < 1000; i++) {
    eye.feed(`${'a'.repeat(1000)}!`);
    if (i % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  eye.feed('needle');
  await eye.settled();
  expect(lost).toEqual(['hopeless']);
  expect(found).toEqual(['fine']);
});
