// Tests of resuming damaged logs.
import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createFiles } from '../../src/app/system-ports/files.ts';
import type { Files } from '../../src/contracts/ports.ts';
import type { SessionEntry } from '../../src/protocol/session-entry.ts';
import { entry, header } from './contract.ts';
import { createMemoryFiles } from './memory-files.ts';
import { compaction, createStoreFixture, toLine } from './store-fixture.ts';

const texts = ['plain', 'ünï 😀', '"quoted" \\ {"type":"message"}', 'line\nbreak', ''];
const createConversation = (length: number) => Array.from({ length }, (_, n) => entry(n, texts[n % texts.length]));

/** Resumes a file made of these parts. Returns the ids on the path, the damage, and the offset of each part. */
async function resumeParts(parts: readonly (unknown | Buffer)[]) {
  const fixture = createStoreFixture();
  const pieces = parts.map((part) => (Buffer.isBuffer(part) ? part : Buffer.from(toLine(part))));
  const offsets = pieces.map((_, i) => pieces.slice(0, i).reduce((sum, { length }) => sum + length, 0));
  const path = fixture.write(Buffer.concat(pieces));
  const session = await fixture.store.resume(path);
  const all = await session.log.readAll();
  await session.log.close();
  return { ids: session.path.map(({ id }) => id), damage: session.damage, offsets, session, all };
}

const getIds = (...numbers: number[]) => numbers.map((n) => entry(n).id);

/** Two hundred entries. Every 25th is a compaction that keeps the two before it. */
function createLongConversation(): SessionEntry[] {
  return createConversation(200).map((plain, n) => {
    if (n % 25 !== 24) return plain;
    return compaction(plain.id, entry(n - 1).id, entry(n - 2).id) as SessionEntry;
  });
}

/** The expected path of a log with the first `count` entries. */
function getExpectedPath(entries: readonly SessionEntry[], count: number): SessionEntry[] {
  const included = entries.slice(0, count);
  const newest = included.findLast((of) => of.type === 'compaction');
  return newest?.type === 'compaction'
    ? included.slice(included.findIndex(({ id }) => id === newest.firstKeptEntryId))
    : included;
}

test('a log of 200 entries, truncated at every byte, can be resumed, appended to and resumed again', async () => {
  const files = createMemoryFiles();
  const { store } = createStoreFixture(files);
  const entries = createLongConversation();
  const lines = [header, ...entries].map((of) => Buffer.from(toLine(of)));
  const whole = Buffer.concat(lines);
  const ends = lines.map((_, i) => lines.slice(0, i + 1).reduce((sum, { length }) => sum + length, 0));
  const added = { ...entry(999), parentId: null };
  const path = '/session.jsonl';
  for (let cut = whole.length; cut >= ends[0]! - 1; cut -= 1) {
    files.contents.set(path, whole.subarray(0, cut));
    const first = await store.resume(path);
    // An entry without its line end counts.
    const complete = ends.filter((end) => end - 1 <= cut).length;
    await first.log.append([added]);
    await first.log.close();
    const again = await store.resume(path);
    await again.log.close();
    const expectedBytes = Buffer.concat([whole.subarray(0, ends[complete - 1]), Buffer.from(toLine(added))]);
    const isWhole =
      files.contents.get(path)!.equals(expectedBytes) && again.damage.length === 0 && again.leafId === added.id;
    const expected = getExpectedPath(entries, complete - 1);
    const isSame = first.path.length === expected.length && first.leafId === (expected.at(-1)?.id ?? null);
    // Compared in full only on failure: 40,000 full comparisons would take minutes.
    if (!isWhole || !isSame) expect({ cut, path: first.path, again }).toEqual({ cut, path: expected, again: 'whole' });
    if (cut % 1000 === 0) expect(first.path).toEqual(expected);
  }
});

describe('unreadable lines are skipped and reported', () => {
  test('garbage between the lines', async () => {
    const garbage = Buffer.from('\u0001\u0002 not json\n');
    const { ids: found, damage, offsets, all } = await resumeParts([header, entry(0), garbage, entry(1), entry(2)]);
    expect(found).toEqual(getIds(0, 1, 2));
    expect(damage).toEqual([{ offset: offsets[2], message: `${garbage.length - 1} unreadable bytes were skipped` }]);
    expect(all).toEqual([entry(0), entry(1), entry(2)]);
  });

  test.each([
    ['one line', 'not JSON\n', ['8 unreadable bytes were skipped']],
    ['several lines', 'not JSON\n\n{"half":\n', ['8 unreadable bytes were skipped', '8 unreadable bytes were skipped']],
    ['JSON that is not an entry', '[1]\n', ['a line is not an entry']],
    [
      'an entry without required fields',
      toLine({ type: 'message', id: 'm', parentId: null }),
      ['the message entry m lacks required fields'],
    ],
    ['a line longer than the search window', `${'x'.repeat(10_000)}\n`, ['a line is not an entry']],
    ['nothing but blank lines', '\n\r\n\n', []],
  ])('garbage right after the header: %s', async (_, garbage, messages) => {
    const entries = createConversation(3);
    const { ids: found, damage } = await resumeParts([header, Buffer.from(garbage), ...entries]);
    expect(found).toEqual(entries.map(({ id }) => id));
    expect(damage.map(({ message }) => message)).toEqual(messages);
    expect(damage.slice(0, 1).map(({ offset }) => offset)).toEqual(messages.length > 0 ? [toLine(header).length] : []);
  });

  test('garbage right after the header of a long log is found without reading the log', async () => {
    const entries = createConversation(4000);
    const last = entries.length - 1;
    const summary = compaction('c', entry(last).id, entry(last).id);
    const { damage, ids: found } = await resumeParts([header, Buffer.from('not JSON\n'), ...entries, summary]);
    expect(found).toEqual([entry(last).id, 'c']);
    expect(damage).toEqual([{ offset: toLine(header).length, message: '8 unreadable bytes were skipped' }]);
  });

  test('a block of zeros, with and without a line end', async () => {
    const zeros = Buffer.alloc(4096);
    const apart = await resumeParts([header, entry(0), Buffer.concat([zeros, Buffer.from('\n')]), entry(1)]);
    expect(apart.ids).toEqual(getIds(0, 1));
    expect(apart.damage).toEqual([
      { offset: apart.offsets[2], message: '4096 unreadable bytes (including zero bytes) were skipped' },
    ]);
    const fused = await resumeParts([header, entry(0), zeros, entry(1), entry(2)]);
    expect(fused.ids).toEqual(getIds(0, 1, 2));
    expect(fused.damage).toHaveLength(1);
    expect(fused.damage[0]).toMatchObject({
      offset: fused.offsets[2],
      message: expect.stringContaining('was recovered'),
    });
    expect(fused.all).toEqual([entry(0), entry(1), entry(2)]);
  });

  test('zeros at the very end', async () => {
    const { ids: found, damage, offsets } = await resumeParts([header, entry(0), Buffer.alloc(8192)]);
    expect(found).toEqual(getIds(0));
    expect(damage).toEqual([{ offset: offsets[2], message: 'the last line is incomplete after 8192 bytes' }]);
  });

  test('an incomplete line followed by the next entry on the same line', async () => {
    const torn = Buffer.from(toLine(entry(1, 'torn')).slice(0, 70));
    const { ids: found, damage } = await resumeParts([header, entry(0), torn, { ...entry(1, 'again') }, entry(2)]);
    expect(found).toEqual(getIds(0, 1, 2));
    expect(damage).toHaveLength(1);
  });

  test('a line without its end: the entry after it is recovered, and the path continues before both', async () => {
    const damaged = Buffer.from(toLine(entry(1)));
    damaged.fill(0, damaged.length - 20);
    const { ids: found, all } = await resumeParts([header, entry(0), damaged, entry(2), entry(3)]);
    expect(found).toEqual(getIds(0, 2, 3));
    expect(all).toEqual([entry(0), entry(2), entry(3)]);
  });

  test('lines that are JSON but not entries', async () => {
    const invalidLines = [7, null, [], {}, { type: 'message' }, { type: 'message', id: '' }];
    const { ids: found, damage } = await resumeParts([header, entry(0), ...invalidLines, entry(1)]);
    expect(found).toEqual(getIds(0, 1));
    expect(damage).toHaveLength(invalidLines.length);
  });

  test('entries without required fields: their parent is still followed', async () => {
    const incomplete = { ...entry(1), message: { role: 'user' } };
    const { ids: found, damage, offsets } = await resumeParts([header, entry(0), incomplete, entry(2)]);
    expect(found).toEqual(getIds(0, 2));
    expect(damage).toEqual([{ offset: offsets[2], message: `the message entry ${entry(1).id} lacks required fields` }]);
  });

  test('a line with a damaged middle: its parent is still followed', async () => {
    const broken = Buffer.from(toLine(entry(2, 'x'.repeat(100))));
    broken.fill(0, 120, 160);
    const branch = { ...entry(1), id: 'branch', parentId: entry(0).id };
    const { ids: found, damage } = await resumeParts([header, entry(0), entry(1), branch, broken, entry(3)]);
    expect(found).toEqual(getIds(0, 1, 3));
    expect(damage).toHaveLength(1);
  });

  test('an unreadable last entry: the entry before it is the leaf', async () => {
    const broken = Buffer.from(toLine(entry(2)));
    broken[broken.length - 3] = 0;
    const { ids: found, session } = await resumeParts([header, entry(0), entry(1), broken]);
    expect(found).toEqual(getIds(0, 1));
    expect(session.leafId).toBe(entry(1).id);
  });

  test('a repeated header is not reported as damage', async () => {
    const { ids: found, damage } = await resumeParts([header, entry(0), header, entry(1)]);
    expect(found).toEqual(getIds(0, 1));
    expect(damage).toEqual([]);
  });
});

describe('an entry with a missing parent', () => {
  const garbage = Buffer.from('damaged\n');

  test('follows the entry before the damage', async () => {
    const {
      ids: found,
      damage,
      offsets,
    } = await resumeParts([header, entry(0), entry(1), garbage, garbage, entry(3), entry(4)]);
    expect(found).toEqual(getIds(0, 1, 3, 4));
    const message = `the parent ${entry(2).id} of entry ${entry(3).id} was not found before it; the conversation continues from ${entry(1).id}`;
    expect(damage).toContainEqual({ offset: offsets[5], message });
    expect(damage.filter(({ offset }) => offset === offsets[3] || offset === offsets[4])).toHaveLength(2);
  });

  test('also when another branch is in between', async () => {
    const [b1, b2] = [
      { ...entry(7), parentId: entry(0).id },
      { ...entry(8), parentId: entry(7).id },
    ];
    const { ids: found } = await resumeParts([header, entry(0), entry(1), garbage, b1, b2, entry(3)]);
    expect(found).toEqual(getIds(0, 1, 3));
  });

  test('gets the same parent as its siblings', async () => {
    const sibling = { ...entry(9), parentId: entry(2).id };
    const { ids: found } = await resumeParts([header, entry(0), entry(1), garbage, entry(3), entry(4), sibling]);
    expect(found).toEqual(getIds(0, 1, 9));
  });

  test('follows the entry before it when there is no damage', async () => {
    const { ids: found } = await resumeParts([header, entry(0), entry(1), entry(3), entry(4), entry(6)]);
    expect(found).toEqual(getIds(0, 1, 3, 4, 6));
  });

  test('starts the conversation when there is no entry before it', async () => {
    const { ids: found, damage } = await resumeParts([header, garbage, entry(1), entry(2)]);
    expect(found).toEqual(getIds(1, 2));
    expect(damage.at(-1)?.message).toContain('the conversation starts there');
  });

  test('never follows a later entry, so cycles end', async () => {
    const ring = [{ ...entry(0), parentId: entry(1).id }, entry(1)];
    expect((await resumeParts([header, ...ring])).ids).toEqual(getIds(0, 1));
    expect((await resumeParts([header, { ...entry(0), parentId: entry(0).id }])).ids).toEqual(getIds(0));
  });

  test('the kept part starts after the damage when the first kept entry is lost', async () => {
    const [before, after] = [
      [0, 1, 2].map((n) => entry(n)),
      [compaction('c', entry(5).id, entry(3).id), { ...entry(6), parentId: 'c' }],
    ];
    const { ids: found, session } = await resumeParts([header, ...before, garbage, entry(4), entry(5), ...after]);
    expect(found).toEqual([...getIds(4, 5), 'c', ...getIds(6)]);
    expect(session.path[2]).toMatchObject({ firstKeptEntryId: entry(4).id });
  });

  test('the kept part starts after the first kept entry when that is damaged', async () => {
    const broken = Buffer.from(toLine(entry(1, 'x'.repeat(100))));
    broken.fill(0, 120, 160);
    const after = [compaction('c', entry(2).id, entry(1).id), { ...entry(3), parentId: 'c' }];
    const { ids: found, session } = await resumeParts([header, entry(0), broken, entry(2), ...after]);
    expect(found).toEqual([...getIds(2), 'c', ...getIds(3)]);
    expect(session.path[1]).toMatchObject({ firstKeptEntryId: entry(2).id });
  });
});

test('with any damaged bytes, all complete entries on the path are found', async () => {
  const entries = createConversation(12);
  const whole = Buffer.from([header, ...entries].map(toLine).join(''));
  const headerEnd = Buffer.byteLength(toLine(header));
  const damagedRanges = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 300 })), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(damagedRanges, async (ranges) => {
      const files = createMemoryFiles();
      const { store } = createStoreFixture(files);
      const bytes = Buffer.from(whole);
      for (const [start, length] of ranges) {
        const from = headerEnd + (start % (bytes.length - headerEnd));
        bytes.fill(0, from, Math.min(from + length, bytes.length));
      }
      const path = '/session.jsonl';
      files.contents.set(path, bytes);
      const session = await store.resume(path);
      const readable = parseCompleteLines(bytes);
      expect(session.path.map(({ id }) => id)).toEqual(expect.arrayContaining(readable.map(({ id }) => id)));
      const added = { ...entry(99), parentId: session.leafId };
      await session.log.append([added]);
      await session.log.close();
      const again = await store.resume(path);
      await again.log.close();
      expect(again.path).toEqual([...session.path, added]);
    }),
    { numRuns: 100 },
  );
});

/** The entries of all lines that are JSON. A last line without its line end may be incomplete. */
function parseCompleteLines(bytes: Buffer): SessionEntry[] {
  return bytes
    .toString('utf8')
    .split('\n')
    .slice(1)
    .flatMap((text) => {
      try {
        return [JSON.parse(text) as SessionEntry];
      } catch {
        return [];
      }
    });
}

test('a line that is too long is skipped in bounded memory, and the entries around it are found', async () => {
  const real = createFiles();
  // A line of 1 GiB that takes no disk space: its bytes are generated when they are read.
  const giant = 1024 ** 3;
  const [before, after] = [
    [header, entry(0)].map(toLine).join(''),
    `\n${toLine({ ...entry(1), parentId: entry(0).id })}`,
  ].map((text) => Buffer.from(text)) as [Buffer, Buffer];
  const size = before.length + giant + after.length;
  let largest = 0;
  const filler = Buffer.alloc(256 * 1024, 'x');
  const part = (of: Buffer, offset: number, position: number, length: number) =>
    of.subarray(Math.max(0, position - offset), Math.max(0, position + length - offset));
  const files: Files = {
    ...real,
    async open(path, purpose, options) {
      const file = await real.open(path, purpose, options);
      if (!path.endsWith('.jsonl')) return file;
      const read = async (position: number, length: number) => {
        const stop = Math.min(position + length, size);
        largest = Math.max(largest, process.memoryUsage().arrayBuffers);
        const middle = Math.max(0, Math.min(stop, size - after.length) - Math.max(position, before.length));
        return Buffer.concat([
          part(before, 0, position, stop - position),
          middle === filler.length ? filler : Buffer.alloc(middle, 'x'),
          part(after, size - after.length, position, stop - position),
        ]);
      };
      return { ...file, read, version: async () => ({ size, versionTag: 'giant', changedMs: 0 }) };
    },
  };
  const fixture = createStoreFixture(files);
  const start = process.memoryUsage().arrayBuffers;
  const session = await fixture.store.resume(fixture.write(before));
  expect(session.path).toEqual([entry(0), entry(1)]);
  expect(session.damage).toEqual([{ offset: before.length, message: `a line of ${giant} bytes is too long to read` }]);
  expect(largest - start).toBeLessThan(300 * 1024 * 1024);
  await session.log.close();
});

test('unreadable bytes are kept in the file', async () => {
  const fixture = createStoreFixture();
  const garbage = 'precious but unreadable\n';
  const path = fixture.write(toLine(header) + garbage + toLine(entry(0)));
  const session = await fixture.store.resume(path);
  await session.log.append([entry(1)]);
  await session.log.close();
  expect(readFileSync(path, 'utf8')).toBe(toLine(header) + garbage + toLine(entry(0)) + toLine(entry(1)));
});
