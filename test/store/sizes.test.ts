// Tests of large logs and many sessions: counts what is read. Times are measured in bench/.
import { closeSync, openSync, writeSync } from 'node:fs';
import { expect, test } from 'vitest';
import { entry, header } from './contract.ts';
import { compaction, createCountingFiles, createStoreFixture, toLine } from './store-fixture.ts';

const MEGABYTE = 1024 * 1024;

/** Appends lines until the log has this size. The ids repeat, but each parent is the line before. */
function growLog(path: string, bytes: number, end: readonly unknown[] = []): void {
  const round = [0, 1, 2, 3].map((n) => toLine({ ...entry(n, 'x'.repeat(1800)), parentId: entry((n + 3) % 4).id }));
  const block = Buffer.from(round.join('').repeat(140));
  const file = openSync(path, 'a');
  for (let written = 0; written < bytes; written += block.length) writeSync(file, block);
  writeSync(file, end.map(toLine).join(''));
  closeSync(file);
}

test('200 MB of history before a compaction are not read', async () => {
  const { files, counts } = createCountingFiles();
  const fixture = createStoreFixture(files);
  const path = fixture.write([header]);
  growLog(path, 200 * MEGABYTE, [
    compaction('c', entry(3).id, entry(2).id),
    { ...entry(4), type: 'custom', parentId: 'c', customType: 'parley.checkpoint', data: { name: 'long' } },
    entry(5),
  ]);
  const session = await fixture.store.resume(path);
  expect(session.path.map(({ id }) => id)).toEqual([entry(2).id, entry(3).id, 'c', entry(4).id, entry(5).id]);
  expect(session.name).toBe('long');
  expect(counts.bytes).toBeLessThan(100_000);
  await session.log.close();
});

test('200 MB in the context are read once, with bounded memory', async () => {
  const { files, counts } = createCountingFiles();
  const fixture = createStoreFixture(files);
  const path = fixture.write([header, { ...entry(3), parentId: null }]);
  growLog(path, 200 * MEGABYTE);
  const before = process.memoryUsage().rss;
  const session = await fixture.store.resume(path);
  expect(session.path.length).toBeGreaterThan(100_000);
  expect(counts.bytes).toBeLessThan(202 * MEGABYTE);
  expect(process.memoryUsage().rss - before).toBeLessThan(800 * MEGABYTE);
  await session.log.close();
});

test('a thousand sessions are listed, and unchanged ones are not opened again', async () => {
  const { files, counts } = createCountingFiles();
  const fixture = createStoreFixture(files);
  const lines = Array.from({ length: 30 }, (_, n) => toLine(entry(n, 'x'.repeat(500)))).join('');
  for (let n = 0; n < 1000; n += 1) fixture.write(toLine({ ...header, id: `s${n}` }) + lines, `${n}.jsonl`);
  const list = await fixture.store.list();
  expect(list).toHaveLength(1000);
  expect(list[0]).toMatchObject({ messages: 30, opening: `${'x'.repeat(119)}…` });
  expect(counts.opened).toBe(1000);
  fixture.write(toLine({ ...header, id: 'changed' }) + lines, '7.jsonl');
  expect((await fixture.store.list()).filter(({ id }) => id === 'changed')).toHaveLength(1);
  expect(counts.opened).toBe(1001);
});
