// Big logs and many of them. The budgets are held in bench/; here only what no machine may take ten times as long for.
import { closeSync, openSync, writeSync } from 'node:fs';
import { expect, test } from 'vitest';
import { entry, header } from './contract.ts';
import { compaction, line, place } from './place.ts';

const MEGABYTE = 1024 * 1024;

/** A log of at least this size, made of the same lines again and again: a chain that repeats is a chain. */
function longLog(path: string, bytes: number): void {
  const round = [0, 1, 2, 3].map((n) => line({ ...entry(n, 'x'.repeat(1800)), parentId: entry((n + 3) % 4).id }));
  const block = Buffer.from(round.join('').repeat(140));
  const file = openSync(path, 'a');
  for (let written = 0; written < bytes; written += block.length) writeSync(file, block);
  closeSync(file);
}

test('200 MB of history cost no more time and memory than none', async () => {
  const here = place();
  const path = here.write([header, { ...entry(0), parentId: null }]);
  longLog(path, 200 * MEGABYTE);
  const end = [
    compaction('c', entry(3).id, entry(2).id),
    { ...entry(4), type: 'custom', parentId: 'c', customType: 'parley.checkpoint', data: { name: 'long' } },
    entry(5),
  ];
  const file = openSync(path, 'a');
  writeSync(file, end.map(line).join(''));
  closeSync(file);

  const small = here.write([header, entry(2), entry(3), ...end], 'small.jsonl');
  const cost = async (of: string) => {
    const before = { ms: performance.now(), memory: process.memoryUsage().rss };
    const session = await here.store.resume(of);
    const after = { ms: performance.now() - before.ms, memory: process.memoryUsage().rss - before.memory };
    await session.log.close();
    return { session, ...after };
  };
  await cost(small);
  const [short, long] = [await cost(small), await cost(path)];
  expect(long.session.path).toHaveLength(5);
  expect(long.session.name).toBe('long');
  expect(long.session.path.map(({ id }) => id)).toEqual(short.session.path.map(({ id }) => id));
  expect(long.ms - short.ms).toBeLessThan(250);
  expect(long.memory - short.memory).toBeLessThan(50 * MEGABYTE);
}, 60_000);

test('200 MB that are all in the context are read in seconds, in memory for what is in it', async () => {
  const here = place();
  const path = here.write([header]);
  // Without a root, the repeated chain goes on to the very first line: everything is on the way.
  longLog(path, 200 * MEGABYTE);
  const before = process.memoryUsage().rss;
  const session = await here.store.resume(path);
  expect(session.path.length).toBeGreaterThan(100_000);
  expect(process.memoryUsage().rss - before).toBeLessThan(900 * MEGABYTE);
  await session.log.close();
}, 60_000);

test('a thousand sessions are listed at once', async () => {
  const here = place();
  const lines = Array.from({ length: 60 }, (_, n) => line(entry(n, 'x'.repeat(500)))).join('');
  for (let n = 0; n < 1000; n += 1) here.write(line({ ...header, id: `s${n}` }) + lines, `${n}.jsonl`);
  const begun = performance.now();
  const list = await here.store.list();
  expect(performance.now() - begun).toBeLessThan(5000);
  expect(list).toHaveLength(1000);
  expect(list[0]).toMatchObject({ messages: 60, opening: `${'x'.repeat(119)}…` });
}, 60_000);
