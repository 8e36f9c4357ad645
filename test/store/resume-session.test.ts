// Tests of resuming sessions.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ResumedSession } from '../../src/contracts/session-store.ts';
import type { SessionEntry } from '../../src/protocol/session-entry.ts';
import { entry, header } from './contract.ts';
import { createMemoryFiles } from './memory-files.ts';
import {
  compaction,
  createCountingFiles,
  createStoreFixture,
  readLines,
  type StoreFixture,
  toLine,
} from './store-fixture.ts';

/** Resumes and closes a session. */
async function resumeAndClose({ store }: StoreFixture, path: string): Promise<ResumedSession> {
  const resumed = await store.resume(path);
  await resumed.log.close();
  return resumed;
}

const getIds = ({ path }: ResumedSession) => path.map(({ id }) => id);
const createNameEntry = (id: string, parentId: string | null, name?: string) => ({
  type: 'session_info',
  id,
  parentId,
  timestamp: header.timestamp,
  ...(name === undefined ? {} : { name }),
});
const createCheckpoint = (id: string, parentId: string, data: unknown) => ({
  type: 'custom',
  id,
  parentId,
  timestamp: header.timestamp,
  customType: 'parley.checkpoint',
  data,
});

describe('a file that is not a session is refused and not changed', () => {
  test.each([
    ['an empty file', '', 'is empty'],
    ['a text', 'Dear diary,\n', 'does not begin with a session header'],
    ['other JSON lines', '{"type":"message","id":"a"}\n', 'does not begin with a session header'],
    ['a header without an id', '{"type":"session","version":3}\n', 'does not begin with a session header'],
    ['a torn header', toLine(header).slice(0, 40), 'does not begin with a session header'],
    ['zeros', Buffer.alloc(5000), 'does not begin with a session header'],
    ['a very long line', 'x'.repeat(3_000_000), 'does not begin with a session header'],
    ['a later format', toLine({ ...header, version: 4 }), 'format version 4'],
    ['a version that is not a number', toLine({ ...header, version: '3' }), 'format version 3'],
  ])('%s', async (_, content, reason) => {
    const fixture = createStoreFixture();
    const path = fixture.write(content);
    const refused = { name: 'Fault', code: 'refused', message: expect.stringContaining(reason) };
    await expect(fixture.store.resume(path)).rejects.toMatchObject(refused);
    await expect(fixture.store.resume(path)).rejects.toThrow(path);
    expect(readFileSync(path).equals(Buffer.from(content))).toBe(true);
    expect(readdirSync(fixture.directory)).toEqual(['session.jsonl']);
  });

  test('a directory, and a pipe without blocking', async () => {
    const fixture = createStoreFixture();
    const [directory, pipe] = [join(fixture.directory, 'd.jsonl'), join(fixture.directory, 'p.jsonl')];
    mkdirSync(directory);
    execFileSync('mkfifo', [pipe]);
    await expect(fixture.store.resume(directory)).rejects.toThrow(`Not a session: ${directory} is a directory`);
    await expect(fixture.store.resume(pipe)).rejects.toThrow(`Not a session: ${pipe} is a pipe`);
  });

  test('a missing path: no file is created', async () => {
    const fixture = createStoreFixture();
    const path = join(fixture.directory, 'gone.jsonl');
    await expect(fixture.store.resume(path)).rejects.toMatchObject({
      code: 'not_found',
      message: `Session not found: ${path}`,
    });
    expect(readdirSync(fixture.directory)).toEqual([]);
  });
});

describe('the path', () => {
  test('a log with only a header', async () => {
    const fixture = createStoreFixture();
    const resumed = await resumeAndClose(fixture, fixture.write([header]));
    expect(resumed).toMatchObject({ header, path: [], leafId: null, damage: [] });
    expect(resumed.name).toBeUndefined();
  });

  test('a byte order mark, CRLF, blank lines and a long header are accepted', async () => {
    const fixture = createStoreFixture();
    const long = { ...header, cwd: `/${'deep/'.repeat(4000)}` };
    const text = `\ufeff${[long, entry(0), entry(1)].map((of) => `${JSON.stringify(of)}\r\n\r\n`).join('')}`;
    const resumed = await resumeAndClose(fixture, fixture.write(text));
    expect(resumed).toMatchObject({ header: long, path: [entry(0), entry(1)], damage: [] });
  });

  test('contains only the branch of the last entry', async () => {
    const fixture = createStoreFixture();
    const branch = { ...entry(9), parentId: entry(1).id };
    const resumed = await resumeAndClose(
      fixture,
      fixture.write([header, entry(0), entry(1), entry(2), entry(3), branch]),
    );
    expect(getIds(resumed)).toEqual([entry(0), entry(1), branch].map(({ id }) => id));
    expect(resumed.leafId).toBe(branch.id);
  });

  test('starts at the last root', async () => {
    const fixture = createStoreFixture();
    const root = { ...entry(9), parentId: null };
    expect(getIds(await resumeAndClose(fixture, fixture.write([header, entry(0), entry(1), root])))).toEqual([root.id]);
  });

  test('starts with the first entry that the latest compaction keeps', async () => {
    const fixture = createStoreFixture();
    const entries = [
      ...[0, 1, 2, 3].map((n) => entry(n)),
      compaction('c1', entry(3).id, entry(2).id),
      { ...entry(4), parentId: 'c1' },
      entry(5),
      compaction('c2', entry(5).id, entry(5).id),
      { ...entry(6), parentId: 'c2' },
    ];
    const resumed = await resumeAndClose(fixture, fixture.write([header, ...entries]));
    expect(resumed.path).toEqual(entries.slice(6));
  });

  test('a compaction on another branch is ignored', async () => {
    const fixture = createStoreFixture();
    const entries = [entry(0), entry(1), compaction('c1', entry(1).id, entry(1).id), { ...entry(2) }];
    expect(getIds(await resumeAndClose(fixture, fixture.write([header, ...entries])))).toEqual(
      [0, 1, 2].map((n) => entry(n).id),
    );
  });

  test('ids inside of messages are ignored', async () => {
    const fixture = createStoreFixture();
    const text = `{"type":"message","id":"${entry(0).id}","parentId":null,"`;
    const nested = { ...entry(1), extra: { type: 'message', id: entry(0).id, parentId: null } };
    const entries = [entry(0), nested, entry(2, text), entry(3)];
    expect((await resumeAndClose(fixture, fixture.write([header, ...entries]))).path).toEqual(entries);
  });

  test('other key orders and unusual ids are supported', async () => {
    const fixture = createStoreFixture();
    const first = {
      timestamp: 't',
      message: { role: 'user', content: 'x' },
      parentId: null,
      id: 'ü "1"',
      type: 'message',
    };
    const entries = [first, { ...entry(1), parentId: 'ü "1"' }, entry(2)];
    const resumed = await resumeAndClose(fixture, fixture.write([header, ...entries]));
    expect(resumed.path).toEqual(entries);
    expect(resumed.damage).toEqual([]);
  });

  test('unknown entry types are kept', async () => {
    const fixture = createStoreFixture();
    const unknownEntry = { ...entry(1), type: 'ttsr_injection', injectedRules: ['a'] };
    expect((await resumeAndClose(fixture, fixture.write([header, entry(0), unknownEntry, entry(2)]))).path[1]).toEqual(
      unknownEntry,
    );
  });

  test('lines longer than a chunk, and lines that end at a chunk boundary', async () => {
    const fixture = createStoreFixture();
    const pieces = [64 * 1024, 256 * 1024];
    const sizes = [1, ...pieces.flatMap((size) => [size - 200, size - 1, size, size + 1, 3 * size]), 5];
    const entries = sizes.map((size, n) => entry(n, 'ä'.repeat(size)));
    expect((await resumeAndClose(fixture, fixture.write([header, ...entries]))).path).toEqual(entries);
  });

  test('for any tree, the path follows the parents from the last entry', async () => {
    const parents = fc.array(fc.nat(), { minLength: 1, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(parents, fc.nat(3000), async (choices, size) => {
        const fixture = createStoreFixture();
        const entries = choices.map((choice, n): SessionEntry => {
          const parent = choice % (n + 1);
          return { ...entry(n, 'x'.repeat((size * n) % 5000)), parentId: parent === n ? null : entry(parent).id };
        });
        const expected: SessionEntry[] = [];
        for (let next = entries.at(-1); next; next = entries.find(({ id }) => id === expected[0]!.parentId)) {
          expected.unshift(next);
        }
        const resumed = await resumeAndClose(fixture, fixture.write([header, ...entries]));
        expect(resumed.path).toEqual(expected);
        expect(resumed.damage).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  test('entries before the kept part are neither read nor parsed', async () => {
    const { files, counts } = createCountingFiles();
    const fixture = createStoreFixture(files);
    const before = Array.from({ length: 3000 }, (_, n) => entry(n, 'x'.repeat(2000)));
    const after = [
      compaction('c1', entry(2999).id, entry(2998).id),
      createCheckpoint('c2', 'c1', { name: 'kept' }),
      { ...entry(3000), parentId: 'c2' },
    ];
    const resumed = await resumeAndClose(fixture, fixture.write([header, ...before, ...after]));
    expect(resumed.path).toHaveLength(5);
    expect(resumed.name).toBe('kept');
    expect(counts.bytes).toBeLessThan(100_000);
  });
});

describe('the name', () => {
  const long = Array.from({ length: 700 }, (_, n) => entry(n, 'x'.repeat(997)));
  const kept = [compaction('c1', entry(699).id, entry(699).id), { ...entry(700), parentId: 'c1' }];
  const createNameBefore = (n: number, name?: string) =>
    createNameEntry(`name${n}`, n === 0 ? null : entry(n - 1).id, name);

  test.each<[string, unknown[], string | undefined]>([
    [
      'the latest one',
      [createNameEntry('n1', null, 'old'), entry(0), createNameEntry('n2', entry(0).id, 'new'), entry(1)],
      'new',
    ],
    [
      'the latest one that is not empty',
      [
        entry(0),
        createNameEntry('n1', entry(0).id, 'good'),
        createNameEntry('n2', 'n1'),
        createNameEntry('n3', 'n2', ''),
      ],
      'good',
    ],
    ['set on another branch', [entry(0), createNameEntry('n1', entry(0).id, 'other'), { ...entry(1) }], 'other'],
    ['set before a compaction', [createNameBefore(0, 'first'), ...long, ...kept], 'first'],
    [
      'set twice before',
      [
        createNameBefore(0, 'first'),
        ...long.slice(0, 400),
        createNameBefore(400, 'second'),
        ...long.slice(400),
        ...kept,
      ],
      'second',
    ],
    ['none', [...long, ...kept], undefined],
    [
      'in the checkpoint',
      [
        createNameBefore(0, 'first'),
        ...long,
        kept[0],
        createCheckpoint('k', 'c1', { name: 'noted' }),
        { ...entry(700), parentId: 'k' },
      ],
      'noted',
    ],
    [
      'none in the checkpoint',
      [...long, kept[0], createCheckpoint('k', 'c1', {}), { ...entry(700), parentId: 'k' }],
      undefined,
    ],
    [
      'newer than the checkpoint',
      [...long, kept[0], createCheckpoint('k', 'c1', { name: 'noted' }), createNameEntry('n', 'k', 'newer')],
      'newer',
    ],
    ['only in a message text', [entry(0, '"type":"session_info","name":"no"'), ...long.slice(1), ...kept], undefined],
  ])('%s', async (_, entries, name) => {
    const fixture = createStoreFixture();
    expect((await resumeAndClose(fixture, fixture.write([header, ...entries]))).name).toBe(name);
  });

  test('is found at any position, also at a chunk boundary', async () => {
    const files = createMemoryFiles();
    const { store } = createStoreFixture(files);
    const named = createNameEntry('n', entry(0).id, 'found');
    const padding = (size: number) => toLine(entry(0, 'x'.repeat(size)));
    const rest = toLine(named).length - 1 + padding(0).length;
    for (let shift = -40; shift <= 40; shift += 1) {
      // The distance from the name line to the end of the searched part.
      const after = padding(256 * 1024 + shift - rest);
      const text = toLine(header) + padding(1000) + toLine(named) + after + toLine(compaction('c1', entry(0).id, 'c1'));
      files.contents.set('/session.jsonl', Buffer.from(text));
      const resumed = await store.resume('/session.jsonl');
      expect(resumed.name, `shift ${shift}`).toBe('found');
      await resumed.log.close();
    }
  });

  test('is read from the header of oh-my-pi, unless a later one is set', async () => {
    const fixture = createStoreFixture();
    const titled = { ...header, title: 'From above' };
    expect((await resumeAndClose(fixture, fixture.write([titled, entry(0)]))).name).toBe('From above');
    expect(
      (await resumeAndClose(fixture, fixture.write([titled, entry(0), createNameEntry('n', entry(0).id, 'x')]))).name,
    ).toBe('x');
  });
});

describe('continuing', () => {
  test('resuming without appending does not change the file', async () => {
    const fixture = createStoreFixture();
    const text = [header, entry(0)].map(toLine).join('') + toLine(entry(1)).slice(0, 50);
    const path = fixture.write(text);
    await resumeAndClose(fixture, path);
    expect(readFileSync(path, 'utf8')).toBe(text);
    expect(readdirSync(fixture.directory)).toEqual(['session.jsonl']);
  });

  test('an incomplete last line is removed before the next append', async () => {
    const fixture = createStoreFixture();
    const start = [header, entry(0)].map(toLine).join('');
    const path = fixture.write(start + toLine(entry(1)).slice(0, 50));
    const resumed = await fixture.store.resume(path);
    expect(resumed.damage).toEqual([{ offset: start.length, message: 'the last line is incomplete after 50 bytes' }]);
    expect(resumed.leafId).toBe(entry(0).id);
    expect(await resumed.log.readAll()).toEqual([entry(0)]);
    await resumed.log.append([entry(1)]);
    await resumed.log.close();
    expect(readLines(path)).toEqual([header, entry(0), entry(1)]);
  });

  test('a last line without its line end is kept', async () => {
    const fixture = createStoreFixture();
    const path = fixture.write([header, entry(0), entry(1)].map(toLine).join('').slice(0, -1));
    const resumed = await fixture.store.resume(path);
    expect(resumed).toMatchObject({ path: [entry(0), entry(1)], damage: [] });
    expect(await resumed.log.readAll()).toEqual([entry(0), entry(1)]);
    await resumed.log.append([entry(2)]);
    await resumed.log.close();
    expect(readLines(path)).toEqual([header, entry(0), entry(1), entry(2)]);
  });

  test('lines that a program without locks wrote meanwhile are kept', async () => {
    const fixture = createStoreFixture();
    const torn = toLine(entry(1)).slice(0, 50);
    const path = fixture.write([header, entry(0)].map(toLine).join('') + torn);
    const resumed = await fixture.store.resume(path);
    fixture.write(`${readFileSync(path, 'utf8')}\n${toLine(entry(7)).trimEnd()}`);
    await resumed.log.append([entry(1)]);
    await resumed.log.close();
    const found = readFileSync(path, 'utf8').split('\n');
    expect(found).toEqual([
      ...[header, entry(0)].map((of) => JSON.stringify(of)),
      torn,
      JSON.stringify(entry(7)),
      JSON.stringify(entry(1)),
      '',
    ]);
  });

  test('resuming through a link locks the target file', async () => {
    const fixture = createStoreFixture();
    const path = fixture.write([header, entry(0)]);
    const link = join(fixture.directory, 'link.jsonl');
    symlinkSync(path, link);
    const resumed = await fixture.store.resume(link);
    expect(resumed.log.file).toBe(path);
    expect(existsSync(`${path}.lock`)).toBe(true);
    await expect(fixture.store.resume(path)).rejects.toThrow('in use');
    await resumed.log.close();
  });
});

test('messages on the path are not parsed before they are used', async () => {
  const fixture = createStoreFixture();
  const entries = Array.from({ length: 9 }, (_, n) => entry(n));
  const session = await fixture.store.resume(fixture.write([header, ...entries]));
  expect(session.lazyPath?.map((one) => [one.type, 'id' in one && one.id])).toEqual(
    entries.map(({ id }, index) => [index < 8 ? 'unread' : 'message', id]),
  );
  expect(session.path).toEqual(entries);
  expect(session.path).toBe(session.path);
  await session.log.close();
});
