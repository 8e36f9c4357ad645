// Tests of the digest file: it never changes the result, and any change to it or to the log invalidates it.
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createClock } from '../../src/app/system-ports/clock.ts';
import { createFiles } from '../../src/app/system-ports/files.ts';
import type { Files } from '../../src/contracts/ports.ts';
import type { ResumedSession } from '../../src/contracts/session-store.ts';
import type { SessionEntry } from '../../src/protocol/session-entry.ts';
import { entry, header } from './contract.ts';
import { createFaultyFiles, type InjectedFault } from './faulty-files.ts';
import { createMemoryFiles } from './memory-files.ts';
import { compaction, createStoreFixture, toLine } from './store-fixture.ts';

/** With digests for logs of any size, and a real clock. */
const createFixture = (files: Files = createFiles(), directory?: string) =>
  createStoreFixture(files, directory, { clock: createClock(), digestMinBytes: 0 });

const digest = (messages: number) => ({ type: 'digest' as const, messages });

/** Writes a digest like the owner of the session does. */
async function writeDigest({ log, leafId, name }: ResumedSession, messages: number): Promise<void> {
  await log.writeDigest?.(async () => (leafId === null ? undefined : { leafId, name, digest: digest(messages) }));
}

const usesDigest = ({ lazyPath }: ResumedSession) => lazyPath?.[0]?.type === 'digest';

/** Opens, reads and closes a session. */
async function readSession(fixture: ReturnType<typeof createStoreFixture>, path: string) {
  const resumed = await fixture.store.resume(path);
  const [hasDigest, lazyPath] = [usesDigest(resumed), resumed.lazyPath];
  const found = {
    header: resumed.header,
    leafId: resumed.leafId,
    name: resumed.name,
    path: resumed.path,
    damage: resumed.damage,
  };
  await resumed.log.close();
  return { hasDigest, lazyPath, found };
}

/** Opens a session, writes its digest and closes it. */
async function readAndWriteDigest(
  fixture: ReturnType<typeof createStoreFixture>,
  path: string,
  messages = 7,
): Promise<void> {
  const resumed = await fixture.store.resume(path);
  await writeDigest(resumed, messages);
  await resumed.log.close();
}

const entries = Array.from({ length: 9 }, (_, n) => entry(n));
const others = Array.from({ length: 9 }, (_, n) => entry(n, `massege ${n}`));
const other = others.map(toLine).join('');

test('the digest replaces the unread path, and the path can still be read', async () => {
  const fixture = createFixture();
  const path = fixture.write([header, ...entries]);
  const first = await readSession(fixture, path);
  await readAndWriteDigest(fixture, path);
  const again = await readSession(fixture, path);
  expect([first.hasDigest, again.hasDigest]).toEqual([false, true]);
  expect(again.lazyPath).toEqual([digest(7)]);
  expect(again.found).toEqual(first.found);
  expect(statSync(`${path}.digest`).mode & 0o777).toBe(0o600);
  expect(readFileSync(`${path}.digest`, 'utf8')).not.toContain('message 3');
});

test('any log has the same content with and without a digest', async () => {
  const kinds = fc.constantFrom('message', 'name', 'compaction', 'odd', 'blank');
  const steps = fc.array(fc.tuple(kinds, fc.nat(), fc.nat(3000)), { minLength: 1, maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(steps, async (choices) => {
      const files = createMemoryFiles();
      const fixture = createFixture(files, '/sessions');
      const ids: string[] = [];
      const lines = choices.map(([kind, choice, size], n) => {
        const parent = choice % (n + 1);
        const parentId = parent === n ? null : (ids[parent] ?? null);
        const { id, ...plain } = entry(n, 'x'.repeat(size));
        ids.push(id);
        const rest = { parentId, timestamp: header.timestamp };
        if (kind === 'name') return toLine({ type: 'session_info', id, ...rest, name: `name ${n}` });
        if (kind === 'compaction')
          return toLine(compaction(id, parentId as string, ids[choice % ids.length] as string));
        if (kind === 'odd') return toLine({ ...plain, parentId, id });
        return toLine({ ...entry(n, 'x'.repeat(size)), parentId }) + (kind === 'blank' ? '\r\n' : '');
      });
      files.contents.set('/s.jsonl', Buffer.from(toLine(header) + lines.join('')));
      const withoutDigest = await readSession(fixture, '/s.jsonl');
      await readAndWriteDigest(fixture, '/s.jsonl', 5);
      const withDigest = await readSession(fixture, '/s.jsonl');
      expect(withDigest.hasDigest).toBe(withoutDigest.found.damage.length === 0);
      expect(withDigest.found).toEqual(withoutDigest.found);
    }),
    { numRuns: 100 },
  );
});

describe('a changed log is read without its digest', () => {
  const changes: [string, (path: string) => void][] = [
    ['an entry of another program', (path) => appendFileSync(path, toLine(entry(9)))],
    ['garbage at its end', (path) => appendFileSync(path, 'garbage\n')],
    ['an incomplete line', (path) => appendFileSync(path, toLine(entry(9)).slice(0, 50))],
    ['cut off at a line', (path) => truncateSync(path, readFileSync(path).lastIndexOf('\n', -2) + 1)],
    ['cut off in a line', (path) => truncateSync(path, readFileSync(path).length - 5)],
    ['other text of the same length', (path) => writeFileSync(path, toLine(header) + other)],
    [
      'another file of the same size in its place',
      (path) => {
        writeFileSync(`${path}.new`, toLine(header) + other);
        renameSync(`${path}.new`, path);
      },
    ],
  ];

  test.each(
    changes.flatMap(([what, change]) => [false, true].map((restoresTimes) => [what, restoresTimes, change] as const)),
  )('%s (with the old timestamps restored: %s)', async (_, restoresTimes, change) => {
    const fixture = createFixture();
    const path = fixture.write([header, ...entries]);
    // Whole seconds, which can be restored exactly.
    const restoreTimes = () => utimesSync(path, 1_700_000_000, 1_700_000_000);
    if (restoresTimes) restoreTimes();
    await readAndWriteDigest(fixture, path);
    expect((await readSession(fixture, path)).hasDigest).toBe(true);
    change(path);
    if (restoresTimes) restoreTimes();
    const result = await readSession(fixture, path);
    const otherFixture = createFixture();
    const copy = otherFixture.write(readFileSync(path));
    const fresh = await readSession(otherFixture, copy);
    expect(result).toEqual(fresh);
    expect(result.hasDigest).toBe(false);
  });

  test('cut off at every byte', async () => {
    const files = createMemoryFiles();
    const fixture = createFixture(files, '/sessions');
    const whole = Buffer.from([header, ...entries].map(toLine).join(''));
    files.contents.set('/s.jsonl', whole);
    await readAndWriteDigest(fixture, '/s.jsonl');
    expect((await readSession(fixture, '/s.jsonl')).hasDigest).toBe(true);
    for (let cut = whole.length - 1; cut >= toLine(header).length; cut -= 1) {
      files.contents.set('/s.jsonl', whole.subarray(0, cut));
      files.contents.set('/fresh.jsonl', whole.subarray(0, cut));
      const [one, two] = [await readSession(fixture, '/s.jsonl'), await readSession(fixture, '/fresh.jsonl')];
      expect(one).toEqual(two);
    }
  });

  test('the digest of the original is not valid for a copy', async () => {
    const fixture = createFixture();
    const path = fixture.write([header, ...entries]);
    await readAndWriteDigest(fixture, path);
    const copy = join(fixture.directory, 'copy.jsonl');
    copyFileSync(path, copy);
    copyFileSync(`${path}.digest`, `${copy}.digest`);
    expect((await readSession(fixture, copy)).hasDigest).toBe(false);
  });
});

describe('a changed digest file', () => {
  test('is ignored when any byte is changed or missing', async () => {
    const files = createMemoryFiles();
    const fixture = createFixture(files, '/sessions');
    files.contents.set('/s.jsonl', Buffer.from([header, ...entries].map(toLine).join('')));
    const { found } = await readSession(fixture, '/s.jsonl');
    await readAndWriteDigest(fixture, '/s.jsonl');
    const good = files.contents.get('/s.jsonl.digest') as Buffer;
    for (let n = 0; n < good.length; n += 1) {
      const wrong = Buffer.from(good);
      wrong[n] = (good[n] as number) ^ 1;
      for (const bytes of [wrong, good.subarray(0, n)]) {
        files.contents.set('/s.jsonl.digest', bytes);
        const result = await readSession(fixture, '/s.jsonl');
        expect([n, result.hasDigest, result.found]).toEqual([n, false, found]);
      }
    }
    files.contents.set('/s.jsonl.digest', good);
    expect((await readSession(fixture, '/s.jsonl')).hasDigest).toBe(true);
  });

  test('a pipe does not block, and a link is not followed', async () => {
    const fixture = createFixture();
    const path = fixture.write([header, ...entries]);
    execFileSync('mkfifo', [`${path}.digest`]);
    expect((await readSession(fixture, path)).hasDigest).toBe(false);
    await readAndWriteDigest(fixture, path);
    expect((await readSession(fixture, path)).hasDigest).toBe(true);
    const [second, precious] = [
      fixture.write([header, ...entries], 'b.jsonl'),
      fixture.write('precious', 'precious.txt'),
    ];
    symlinkSync(precious, `${second}.digest`);
    await readAndWriteDigest(fixture, second);
    expect(readFileSync(precious, 'utf8')).toBe('precious');
    expect((await readSession(fixture, second)).hasDigest).toBe(true);
  });

  test('is removed with the session', async () => {
    const fixture = createFixture();
    const path = fixture.write([header, ...entries]);
    await readAndWriteDigest(fixture, path);
    expect(readdirSync(fixture.directory).sort()).toEqual(['session.jsonl', 'session.jsonl.digest']);
    await fixture.store.remove(path);
    expect(readdirSync(fixture.directory)).toEqual([]);
  });
});

describe('no digest is written', () => {
  test('for a short log', async () => {
    const fixture = createStoreFixture(createFiles(), undefined, { clock: createClock() });
    const path = fixture.write([header, ...entries]);
    await readAndWriteDigest(fixture, path);
    expect(readdirSync(fixture.directory)).toEqual(['session.jsonl']);
  });

  test.each<[string, string]>([
    ['with garbage in it', `${[header, ...entries].map(toLine).join('')}garbage\n${toLine(entry(9))}`],
    ['that is incomplete', `${[header, ...entries].map(toLine).join('')}{"type":`],
    ['whose last line has no end', [header, ...entries].map(toLine).join('').slice(0, -1)],
    ['with images outside of the log', [header, ...entries, createImageEntry(9)].map(toLine).join('')],
  ])('for a log %s', async (_, content) => {
    const fixture = createFixture();
    const path = fixture.write(content);
    const first = await readSession(fixture, path);
    await readAndWriteDigest(fixture, path);
    expect(existsSync(`${path}.digest`)).toBe(false);
    // The same damage is reported again.
    expect(await readSession(fixture, path)).toEqual(first);
  });

  test('when the owner has another leaf, no record or an error', async () => {
    const fixture = createFixture();
    const path = fixture.write([header, ...entries]);
    const resumed = await fixture.store.resume(path);
    await resumed.log.writeDigest?.(async () => ({ leafId: entry(3).id, digest: digest(4) }));
    await resumed.log.writeDigest?.(async () => undefined);
    await resumed.log.writeDigest?.(async () => {
      throw new Error('no record');
    });
    await resumed.log.close();
    expect(existsSync(`${path}.digest`)).toBe(false);
  });

  test.each<[string, boolean]>([
    ['before us', true],
    ['after us', false],
  ])('when a program without locks wrote to the log %s', async (_, before) => {
    const fixture = createFixture();
    const path = fixture.write([header, ...entries]);
    const resumed = await fixture.store.resume(path);
    const foreignLine = toLine({ type: 'session_info', id: 'theirs', parentId: null, timestamp: 't', name: 'theirs' });
    if (before) appendFileSync(path, foreignLine);
    await resumed.log.append([entry(9)]);
    if (!before) appendFileSync(path, foreignLine + toLine(entry(9)));
    await resumed.log.writeDigest?.(async () => ({ leafId: entry(9).id, digest: digest(10) }));
    await resumed.log.close();
    expect(existsSync(`${path}.digest`)).toBe(false);
    expect((await readSession(fixture, path)).found.name).toBe('theirs');
  });

  test('when the file was replaced while it was open', async () => {
    const fixture = createFixture();
    const path = fixture.write([header, ...entries]);
    const resumed = await fixture.store.resume(path);
    renameSync(fixture.write([header, ...others], 'new'), path);
    await writeDigest(resumed, 9);
    await resumed.log.close();
    expect(existsSync(`${path}.digest`)).toBe(false);
  });
});

test('a digest includes entries that were just appended', async () => {
  const fixture = createFixture();
  const path = fixture.write([header, ...entries]);
  await readAndWriteDigest(fixture, path);
  const resumed = await fixture.store.resume(path);
  await resumed.log.append([entry(9), entry(10)]);
  await resumed.log.writeDigest?.(async () => ({ leafId: entry(10).id, name: 'given', digest: digest(11) }));
  await resumed.log.close();
  const { hasDigest, lazyPath, found } = await readSession(fixture, path);
  expect({ hasDigest, lazyPath, name: found.name, ids: found.path.length }).toEqual({
    hasDigest: true,
    lazyPath: [digest(11)],
    name: 'given',
    ids: 11,
  });
});

test('reading fails when the log was changed after it was opened', async () => {
  const fixture = createFixture();
  const path = fixture.write([header, ...entries]);
  await readAndWriteDigest(fixture, path);
  const resumed = await fixture.store.resume(path);
  truncateSync(path, toLine(header).length + 20);
  const refusal = { name: 'Fault', code: 'storage', message: expect.stringContaining(path) };
  expect(() => resumed.path).toThrow(expect.objectContaining(refusal));
  writeFileSync(
    path,
    toLine(header) + others.slice(0, 8).map(toLine).join('') + toLine({ ...others[8], id: 'ffffffff' }),
  );
  expect(() => resumed.path).toThrow('was changed by another program. Open it again.');
  await resumed.log.close();
});

describe.each<InjectedFault>(['fail', 'late', 'torn', 'short', 'crash'])('%s at any operation', (fault) => {
  test('the log is intact, and the digest is correct or missing', async () => {
    for (let n = 1; ; n += 1) {
      const files = createFaultyFiles((operation) => (operation === n ? fault : undefined));
      const fixture = createFixture(files);
      const path = fixture.write([header, ...entries]);
      const run = async () => {
        const resumed = await fixture.store.resume(path);
        try {
          await resumed.log.append([entry(9)]);
        } finally {
          await resumed.log.writeDigest?.(async () => ({ leafId: entry(9).id, digest: digest(10) }));
          await resumed.log.close();
        }
      };
      await run().catch((fault) => expect(fault).toMatchObject({ name: 'Fault', code: 'storage' }));
      const ended = files.total < n;
      files.stopFaults();
      await files.closeLeakedFiles();
      rmSync(`${path}.lock`, { force: true });
      const result = await readSession(createFixture(createFiles(), fixture.directory), path);
      const all = [...entries, ...(result.found.leafId === entry(9).id ? [entry(9)] : [])];
      expect([n, result.found.path]).toEqual([n, all]);
      if (result.hasDigest) expect(result.lazyPath).toEqual([digest(10)]);
      if (ended) return expect(result.hasDigest).toBe(true);
    }
  }, 60_000);
});

function createImageEntry(n: number): SessionEntry {
  const image = { type: 'image', data: `blob:sha256:${'a'.repeat(64)}`, mimeType: 'image/png' };
  const message = { role: 'user', content: [image], timestamp: n };
  return { ...entry(n), message } as unknown as SessionEntry;
}
