import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createFiles } from '../../src/app/system-ports/files.ts';
import type { Files } from '../../src/contracts/ports.ts';
import type { SessionEntry } from '../../src/protocol/entry.ts';
import { entry, header } from './contract.ts';
import { memoryFiles } from './memory-files.ts';
import { compaction, line, place } from './place.ts';

const texts = ['plain', 'ünï 😀', '"quoted" \\ {"type":"message"}', 'line\nbreak', ''];
const conversation = (length: number) => Array.from({ length }, (_, n) => entry(n, texts[n % texts.length]));

/** Resumes a file made of these parts; gives the ids on the path, the damage, and where each part begins. */
async function resumed(parts: readonly (unknown | Buffer)[]) {
  const at = place();
  const pieces = parts.map((part) => (Buffer.isBuffer(part) ? part : Buffer.from(line(part))));
  const offsets = pieces.map((_, i) => pieces.slice(0, i).reduce((sum, { length }) => sum + length, 0));
  const path = at.write(Buffer.concat(pieces));
  const session = await at.store.resume(path);
  const all = await session.log.readAll();
  await session.log.close();
  return { ids: session.path.map(({ id }) => id), damage: session.damage, offsets, session, all };
}

const ids = (...numbers: number[]) => numbers.map((n) => entry(n).id);

/** Two hundred entries, some of them compactions that keep the two before them. */
function longConversation(): SessionEntry[] {
  return conversation(200).map((plain, n) => {
    if (n % 25 !== 24) return plain;
    return compaction(plain.id, entry(n - 1).id, entry(n - 2).id) as SessionEntry;
  });
}

/** What resuming a log of the first `count` of them must give. */
function expectedPath(entries: readonly SessionEntry[], count: number): SessionEntry[] {
  const given = entries.slice(0, count);
  const newest = given.findLast((of) => of.type === 'compaction');
  return newest?.type === 'compaction'
    ? given.slice(given.findIndex(({ id }) => id === newest.firstKeptEntryId))
    : given;
}

test('a log of 200 entries, cut off at every byte: load, append, load again', async () => {
  const files = memoryFiles();
  const { store } = place(files);
  const entries = longConversation();
  const lines = [header, ...entries].map((of) => Buffer.from(line(of)));
  const whole = Buffer.concat(lines);
  const ends = lines.map((_, i) => lines.slice(0, i + 1).reduce((sum, { length }) => sum + length, 0));
  const added = { ...entry(999), parentId: null };
  const path = '/session.jsonl';
  for (let cut = whole.length; cut >= ends[0]! - 1; cut -= 1) {
    files.contents.set(path, whole.subarray(0, cut));
    const first = await store.resume(path);
    // An entry that lacks only its line end counts.
    const complete = ends.filter((end) => end - 1 <= cut).length;
    await first.log.append([added]);
    await first.log.close();
    const again = await store.resume(path);
    await again.log.close();
    const kept = Buffer.concat([whole.subarray(0, ends[complete - 1]), Buffer.from(line(added))]);
    const isWhole = files.contents.get(path)!.equals(kept) && again.damage.length === 0 && again.leafId === added.id;
    const expected = expectedPath(entries, complete - 1);
    const isSame = first.path.length === expected.length && first.leafId === (expected.at(-1)?.id ?? null);
    // Said in full only when it is not so: forty thousand full comparisons would take minutes.
    if (!isWhole || !isSame) expect({ cut, path: first.path, again }).toEqual({ cut, path: expected, again: 'whole' });
    if (cut % 1000 === 0) expect(first.path).toEqual(expected);
  }
});

describe('what cannot be read is passed over, and told', () => {
  test('garbage between the lines', async () => {
    const garbage = Buffer.from('\u0001\u0002 not json\n');
    const { ids: found, damage, offsets, all } = await resumed([header, entry(0), garbage, entry(1), entry(2)]);
    expect(found).toEqual(ids(0, 1, 2));
    expect(damage).toEqual([
      { offset: offsets[2], message: `${garbage.length - 1} unreadable bytes were passed over` },
    ]);
    expect(all).toEqual([entry(0), entry(1), entry(2)]);
  });

  test.each([
    ['one line', 'not JSON\n', ['8 unreadable bytes were passed over']],
    [
      'several lines',
      'not JSON\n\n{"half":\n',
      ['8 unreadable bytes were passed over', '8 unreadable bytes were passed over'],
    ],
    ['JSON that is no entry', '[1]\n', ['a line is not an entry']],
    [
      'an entry without what it is made of',
      line({ type: 'message', id: 'm', parentId: null }),
      ['the message entry m lacks what it is made of'],
    ],
    ['a line longer than what is looked at', `${'x'.repeat(10_000)}\n`, ['a line is not an entry']],
    ['nothing but blank lines', '\n\r\n\n', []],
  ])('garbage right behind the header: %s', async (_, garbage, messages) => {
    const entries = conversation(3);
    const { ids: found, damage } = await resumed([header, Buffer.from(garbage), ...entries]);
    expect(found).toEqual(entries.map(({ id }) => id));
    expect(damage.map(({ message }) => message)).toEqual(messages);
    expect(damage.slice(0, 1).map(({ offset }) => offset)).toEqual(messages.length > 0 ? [line(header).length] : []);
  });

  test('garbage right behind the header of a long log is found without reading the log', async () => {
    const entries = conversation(4000);
    const last = entries.length - 1;
    const summary = compaction('c', entry(last).id, entry(last).id);
    const { damage, ids: found } = await resumed([header, Buffer.from('not JSON\n'), ...entries, summary]);
    expect(found).toEqual([entry(last).id, 'c']);
    expect(damage).toEqual([{ offset: line(header).length, message: '8 unreadable bytes were passed over' }]);
  });

  test('a block of zeros, with and without a line end', async () => {
    const zeros = Buffer.alloc(4096);
    const apart = await resumed([header, entry(0), Buffer.concat([zeros, Buffer.from('\n')]), entry(1)]);
    expect(apart.ids).toEqual(ids(0, 1));
    expect(apart.damage).toEqual([
      { offset: apart.offsets[2], message: '4096 unreadable bytes (zeros among them) were passed over' },
    ]);
    const fused = await resumed([header, entry(0), zeros, entry(1), entry(2)]);
    expect(fused.ids).toEqual(ids(0, 1, 2));
    expect(fused.damage).toHaveLength(1);
    expect(fused.damage[0]).toMatchObject({ offset: fused.offsets[2], message: expect.stringContaining('was kept') });
    expect(fused.all).toEqual([entry(0), entry(1), entry(2)]);
  });

  test('zeros at the very end', async () => {
    const { ids: found, damage, offsets } = await resumed([header, entry(0), Buffer.alloc(8192)]);
    expect(found).toEqual(ids(0));
    expect(damage).toEqual([{ offset: offsets[2], message: 'the last line broke off after 8192 bytes' }]);
  });

  test('a torn line that the next entry was written behind', async () => {
    const torn = Buffer.from(line(entry(1, 'torn')).slice(0, 70));
    const { ids: found, damage } = await resumed([header, entry(0), torn, { ...entry(1, 'again') }, entry(2)]);
    expect(found).toEqual(ids(0, 1, 2));
    expect(damage).toHaveLength(1);
  });

  test('the end of a line, and with it the line end: the entry behind is found, and the way goes on before both', async () => {
    const wounded = Buffer.from(line(entry(1)));
    wounded.fill(0, wounded.length - 20);
    const { ids: found, all } = await resumed([header, entry(0), wounded, entry(2), entry(3)]);
    expect(found).toEqual(ids(0, 2, 3));
    expect(all).toEqual([entry(0), entry(2), entry(3)]);
  });

  test('lines that are JSON and no entries', async () => {
    const strange = [7, null, [], {}, { type: 'message' }, { type: 'message', id: '' }];
    const { ids: found, damage } = await resumed([header, entry(0), ...strange, entry(1)]);
    expect(found).toEqual(ids(0, 1));
    expect(damage).toHaveLength(strange.length);
  });

  test('entries without what they are made of; their place in the tree still counts', async () => {
    const hollow = { ...entry(1), message: { role: 'user' } };
    const { ids: found, damage, offsets } = await resumed([header, entry(0), hollow, entry(2)]);
    expect(found).toEqual(ids(0, 2));
    expect(damage).toEqual([
      { offset: offsets[2], message: `the message entry ${entry(1).id} lacks what it is made of` },
    ]);
  });

  test('a line whose middle is damaged still says where it hangs', async () => {
    const broken = Buffer.from(line(entry(2, 'x'.repeat(100))));
    broken.fill(0, 120, 160);
    const branch = { ...entry(1), id: 'branch', parentId: entry(0).id };
    const { ids: found, damage } = await resumed([header, entry(0), entry(1), branch, broken, entry(3)]);
    expect(found).toEqual(ids(0, 1, 3));
    expect(damage).toHaveLength(1);
  });

  test('a last entry that cannot be read: the one before it is where things stand', async () => {
    const broken = Buffer.from(line(entry(2)));
    broken[broken.length - 3] = 0;
    const { ids: found, session } = await resumed([header, entry(0), entry(1), broken]);
    expect(found).toEqual(ids(0, 1));
    expect(session.leafId).toBe(entry(1).id);
  });

  test('another header in the middle is nobody’s damage', async () => {
    const { ids: found, damage } = await resumed([header, entry(0), header, entry(1)]);
    expect(found).toEqual(ids(0, 1));
    expect(damage).toEqual([]);
  });
});

describe('an entry whose parent is gone', () => {
  const garbage = Buffer.from('damaged\n');

  test('follows the one before the damage', async () => {
    const {
      ids: found,
      damage,
      offsets,
    } = await resumed([header, entry(0), entry(1), garbage, garbage, entry(3), entry(4)]);
    expect(found).toEqual(ids(0, 1, 3, 4));
    const mended = `entry ${entry(3).id} follows ${entry(2).id}, which is nowhere before it; the conversation goes on from ${entry(1).id}`;
    expect(damage).toContainEqual({ offset: offsets[5], message: mended });
    expect(damage.filter(({ offset }) => offset === offsets[3] || offset === offsets[4])).toHaveLength(2);
  });

  test('even when another branch came between', async () => {
    const [b1, b2] = [
      { ...entry(7), parentId: entry(0).id },
      { ...entry(8), parentId: entry(7).id },
    ];
    const { ids: found } = await resumed([header, entry(0), entry(1), garbage, b1, b2, entry(3)]);
    expect(found).toEqual(ids(0, 1, 3));
  });

  test('stays with its siblings', async () => {
    const sibling = { ...entry(9), parentId: entry(2).id };
    const { ids: found } = await resumed([header, entry(0), entry(1), garbage, entry(3), entry(4), sibling]);
    expect(found).toEqual(ids(0, 1, 9));
  });

  test('follows the one before itself when there is no damage to blame', async () => {
    const { ids: found } = await resumed([header, entry(0), entry(1), entry(3), entry(4), entry(6)]);
    expect(found).toEqual(ids(0, 1, 3, 4, 6));
  });

  test('begins the conversation when nothing is before it', async () => {
    const { ids: found, damage } = await resumed([header, garbage, entry(1), entry(2)]);
    expect(found).toEqual(ids(1, 2));
    expect(damage.at(-1)?.message).toContain('the conversation begins there');
  });

  test('never follows one that comes after it: rings end', async () => {
    const ring = [{ ...entry(0), parentId: entry(1).id }, entry(1)];
    expect((await resumed([header, ...ring])).ids).toEqual(ids(0, 1));
    expect((await resumed([header, { ...entry(0), parentId: entry(0).id }])).ids).toEqual(ids(0));
  });

  test('what was kept begins after the damage that took the first kept entry', async () => {
    const [before, after] = [
      [0, 1, 2].map((n) => entry(n)),
      [compaction('c', entry(5).id, entry(3).id), { ...entry(6), parentId: 'c' }],
    ];
    const { ids: found, session } = await resumed([header, ...before, garbage, entry(4), entry(5), ...after]);
    expect(found).toEqual([...ids(4, 5), 'c', ...ids(6)]);
    expect(session.path[2]).toMatchObject({ firstKeptEntryId: entry(4).id });
  });

  test('the same when only the middle of the first kept entry is damaged', async () => {
    const broken = Buffer.from(line(entry(1, 'x'.repeat(100))));
    broken.fill(0, 120, 160);
    const after = [compaction('c', entry(2).id, entry(1).id), { ...entry(3), parentId: 'c' }];
    const { ids: found, session } = await resumed([header, entry(0), broken, entry(2), ...after]);
    expect(found).toEqual([...ids(2), 'c', ...ids(3)]);
    expect(session.path[1]).toMatchObject({ firstKeptEntryId: entry(2).id });
  });
});

test('whatever bytes are damaged, every entry that is whole and on the way is found', async () => {
  const entries = conversation(12);
  const whole = Buffer.from([header, ...entries].map(line).join(''));
  const headerEnd = Buffer.byteLength(line(header));
  const wounds = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 300 })), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(wounds, async (places) => {
      const files = memoryFiles();
      const { store } = place(files);
      const bytes = Buffer.from(whole);
      for (const [start, length] of places) {
        const from = headerEnd + (start % (bytes.length - headerEnd));
        bytes.fill(0, from, Math.min(from + length, bytes.length));
      }
      const path = '/session.jsonl';
      files.contents.set(path, bytes);
      const session = await store.resume(path);
      const readable = linesWhole(bytes);
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

/** The entries of lines that are JSON; the last one only with its line end, because without it it may be cut off. */
function linesWhole(bytes: Buffer): SessionEntry[] {
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

test('a line too long for memory is passed over in bounded memory, and the entries around it are found', async () => {
  const real = createFiles();
  // A line of 1 GiB that takes no room on the disk: its bytes are made when they are read.
  const giant = 1024 ** 3;
  const [before, after] = [
    [header, entry(0)].map(line).join(''),
    `\n${line({ ...entry(1), parentId: entry(0).id })}`,
  ].map((text) => Buffer.from(text)) as [Buffer, Buffer];
  const size = before.length + giant + after.length;
  let largest = 0;
  const filler = Buffer.alloc(256 * 1024, 'x');
  const part = (of: Buffer, at: number, position: number, length: number) =>
    of.subarray(Math.max(0, position - at), Math.max(0, position + length - at));
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
      return { ...file, read, version: async () => ({ size, mark: 'giant', changedMs: 0 }) };
    },
  };
  const at = place(files);
  const start = process.memoryUsage().arrayBuffers;
  const session = await at.store.resume(at.write(before));
  expect(session.path).toEqual([entry(0), entry(1)]);
  expect(session.damage).toEqual([
    { offset: before.length, message: `a line of ${giant} bytes is too long to be read` },
  ]);
  expect(largest - start).toBeLessThan(300 * 1024 * 1024);
  await session.log.close();
});

test('the bytes of a file that could not be repaired are still there', async () => {
  const at = place();
  const garbage = 'precious but unreadable\n';
  const path = at.write(line(header) + garbage + line(entry(0)));
  const session = await at.store.resume(path);
  await session.log.append([entry(1)]);
  await session.log.close();
  expect(readFileSync(path, 'utf8')).toBe(line(header) + garbage + line(entry(0)) + line(entry(1)));
});
