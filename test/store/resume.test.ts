import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ResumedSession } from '../../src/contracts/store.ts';
import type { SessionEntry } from '../../src/protocol/entry.ts';
import { entry, header } from './contract.ts';
import { memoryFiles } from './memory-files.ts';
import { compaction, countingFiles, line, linesIn, type Place, place } from './place.ts';

/** Resumes, closes, and gives what was found. */
async function look({ store }: Place, path: string): Promise<ResumedSession> {
  const resumed = await store.resume(path);
  await resumed.log.close();
  return resumed;
}

const idsOf = ({ path }: ResumedSession) => path.map(({ id }) => id);
const info = (id: string, parentId: string | null, name?: string) => ({
  type: 'session_info',
  id,
  parentId,
  timestamp: header.timestamp,
  ...(name === undefined ? {} : { name }),
});
const checkpoint = (id: string, parentId: string, data: unknown) => ({
  type: 'custom',
  id,
  parentId,
  timestamp: header.timestamp,
  customType: 'parley.checkpoint',
  data,
});

describe('what is no session is refused and left as it is', () => {
  test.each([
    ['an empty file', '', 'is empty'],
    ['a text', 'Dear diary,\n', 'does not begin with a session header'],
    ['other JSON lines', '{"type":"message","id":"a"}\n', 'does not begin with a session header'],
    ['a header without an id', '{"type":"session","version":3}\n', 'does not begin with a session header'],
    ['a torn header', line(header).slice(0, 40), 'does not begin with a session header'],
    ['zeros', Buffer.alloc(5000), 'does not begin with a session header'],
    ['a line without end', 'x'.repeat(3_000_000), 'does not begin with a session header'],
    ['a later format', line({ ...header, version: 4 }), 'format version 4'],
    ['a version that is no number', line({ ...header, version: '3' }), 'format version 3'],
  ])('%s', async (_, content, why) => {
    const at = place();
    const path = at.write(content);
    const refused = { name: 'Fault', code: 'refused', message: expect.stringContaining(why) };
    await expect(at.store.resume(path)).rejects.toMatchObject(refused);
    await expect(at.store.resume(path)).rejects.toThrow(path);
    expect(readFileSync(path).equals(Buffer.from(content))).toBe(true);
    expect(readdirSync(at.directory)).toEqual(['session.jsonl']);
  });

  test('a directory and a pipe, without waiting for anybody to write into it', async () => {
    const at = place();
    const [directory, pipe] = [join(at.directory, 'd.jsonl'), join(at.directory, 'p.jsonl')];
    mkdirSync(directory);
    execFileSync('mkfifo', [pipe]);
    await expect(at.store.resume(directory)).rejects.toThrow(`Not a session: ${directory} is a directory`);
    await expect(at.store.resume(pipe)).rejects.toThrow(`Not a session: ${pipe} is a pipe`);
  });

  test('a path where nothing is: nothing is made there', async () => {
    const at = place();
    const path = join(at.directory, 'gone.jsonl');
    await expect(at.store.resume(path)).rejects.toMatchObject({
      code: 'not_found',
      message: `Session not found: ${path}`,
    });
    expect(readdirSync(at.directory)).toEqual([]);
  });
});

describe('the way back', () => {
  test('a log with nothing but its header', async () => {
    const at = place();
    const resumed = await look(at, at.write([header]));
    expect(resumed).toMatchObject({ header, path: [], leafId: null, damage: [] });
    expect(resumed.name).toBeUndefined();
  });

  test('a byte order mark, CRLF, blank lines and a long header change nothing', async () => {
    const at = place();
    const long = { ...header, cwd: `/${'deep/'.repeat(4000)}` };
    const text = `\ufeff${[long, entry(0), entry(1)].map((of) => `${JSON.stringify(of)}\r\n\r\n`).join('')}`;
    const resumed = await look(at, at.write(text));
    expect(resumed).toMatchObject({ header: long, path: [entry(0), entry(1)], damage: [] });
  });

  test('only the branch that the last entry is on', async () => {
    const at = place();
    const branch = { ...entry(9), parentId: entry(1).id };
    const resumed = await look(at, at.write([header, entry(0), entry(1), entry(2), entry(3), branch]));
    expect(idsOf(resumed)).toEqual([entry(0), entry(1), branch].map(({ id }) => id));
    expect(resumed.leafId).toBe(branch.id);
  });

  test('a second root begins anew', async () => {
    const at = place();
    const root = { ...entry(9), parentId: null };
    expect(idsOf(await look(at, at.write([header, entry(0), entry(1), root])))).toEqual([root.id]);
  });

  test('from the first entry that the newest compaction kept', async () => {
    const at = place();
    const entries = [
      ...[0, 1, 2, 3].map((n) => entry(n)),
      compaction('c1', entry(3).id, entry(2).id),
      { ...entry(4), parentId: 'c1' },
      entry(5),
      compaction('c2', entry(5).id, entry(5).id),
      { ...entry(6), parentId: 'c2' },
    ];
    const resumed = await look(at, at.write([header, ...entries]));
    expect(resumed.path).toEqual(entries.slice(6));
  });

  test('a compaction on another branch counts for nothing', async () => {
    const at = place();
    const entries = [entry(0), entry(1), compaction('c1', entry(1).id, entry(1).id), { ...entry(2) }];
    expect(idsOf(await look(at, at.write([header, ...entries])))).toEqual([0, 1, 2].map((n) => entry(n).id));
  });

  test('ids inside of messages mislead nobody', async () => {
    const at = place();
    const text = `{"type":"message","id":"${entry(0).id}","parentId":null,"`;
    const nested = { ...entry(1), extra: { type: 'message', id: entry(0).id, parentId: null } };
    const entries = [entry(0), nested, entry(2, text), entry(3)];
    expect((await look(at, at.write([header, ...entries]))).path).toEqual(entries);
  });

  test('another order of keys and ids of any kind', async () => {
    const at = place();
    const first = {
      timestamp: 't',
      message: { role: 'user', content: 'x' },
      parentId: null,
      id: 'ü "1"',
      type: 'message',
    };
    const entries = [first, { ...entry(1), parentId: 'ü "1"' }, entry(2)];
    const resumed = await look(at, at.write([header, ...entries]));
    expect(resumed.path).toEqual(entries);
    expect(resumed.damage).toEqual([]);
  });

  test('kinds that nobody here knows stand in their place', async () => {
    const at = place();
    const strange = { ...entry(1), type: 'ttsr_injection', injectedRules: ['a'] };
    expect((await look(at, at.write([header, entry(0), strange, entry(2)]))).path[1]).toEqual(strange);
  });

  test('lines longer than a piece of the file, and lines that end exactly where one ends', async () => {
    const at = place();
    const pieces = [64 * 1024, 256 * 1024];
    const sizes = [1, ...pieces.flatMap((size) => [size - 200, size - 1, size, size + 1, 3 * size]), 5];
    const entries = sizes.map((size, n) => entry(n, 'ä'.repeat(size)));
    expect((await look(at, at.write([header, ...entries]))).path).toEqual(entries);
  });

  test('any tree: the same path as following the parents from the last entry', async () => {
    const parents = fc.array(fc.nat(), { minLength: 1, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(parents, fc.nat(3000), async (choices, size) => {
        const at = place();
        const entries = choices.map((choice, n): SessionEntry => {
          const parent = choice % (n + 1);
          return { ...entry(n, 'x'.repeat((size * n) % 5000)), parentId: parent === n ? null : entry(parent).id };
        });
        const expected: SessionEntry[] = [];
        for (let next = entries.at(-1); next; next = entries.find(({ id }) => id === expected[0]!.parentId)) {
          expected.unshift(next);
        }
        const resumed = await look(at, at.write([header, ...entries]));
        expect(resumed.path).toEqual(expected);
        expect(resumed.damage).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  test('what lies before the kept entries is neither read nor parsed', async () => {
    const { files, counts } = countingFiles();
    const at = place(files);
    const before = Array.from({ length: 3000 }, (_, n) => entry(n, 'x'.repeat(2000)));
    const after = [
      compaction('c1', entry(2999).id, entry(2998).id),
      checkpoint('c2', 'c1', { name: 'kept' }),
      { ...entry(3000), parentId: 'c2' },
    ];
    const resumed = await look(at, at.write([header, ...before, ...after]));
    expect(resumed.path).toHaveLength(5);
    expect(resumed.name).toBe('kept');
    expect(counts.bytes).toBeLessThan(100_000);
  });
});

describe('the name', () => {
  const long = Array.from({ length: 700 }, (_, n) => entry(n, 'x'.repeat(997)));
  const kept = [compaction('c1', entry(699).id, entry(699).id), { ...entry(700), parentId: 'c1' }];
  const off = (n: number, name?: string) => info(`name${n}`, n === 0 ? null : entry(n - 1).id, name);

  test.each<[string, unknown[], string | undefined]>([
    ['the newest one', [info('n1', null, 'old'), entry(0), info('n2', entry(0).id, 'new'), entry(1)], 'new'],
    [
      'the newest one that is one',
      [entry(0), info('n1', entry(0).id, 'good'), info('n2', 'n1'), info('n3', 'n2', '')],
      'good',
    ],
    ['given on another branch', [entry(0), info('n1', entry(0).id, 'other'), { ...entry(1) }], 'other'],
    ['given before a compaction', [off(0, 'first'), ...long, ...kept], 'first'],
    [
      'given twice before',
      [off(0, 'first'), ...long.slice(0, 400), off(400, 'second'), ...long.slice(400), ...kept],
      'second',
    ],
    ['none', [...long, ...kept], undefined],
    [
      'in the checkpoint',
      [off(0, 'first'), ...long, kept[0], checkpoint('k', 'c1', { name: 'noted' }), { ...entry(700), parentId: 'k' }],
      'noted',
    ],
    [
      'none says the checkpoint',
      [...long, kept[0], checkpoint('k', 'c1', {}), { ...entry(700), parentId: 'k' }],
      undefined,
    ],
    [
      'newer than the checkpoint',
      [...long, kept[0], checkpoint('k', 'c1', { name: 'noted' }), info('n', 'k', 'newer')],
      'newer',
    ],
    ['only spoken of', [entry(0, '"type":"session_info","name":"no"'), ...long.slice(1), ...kept], undefined],
  ])('%s', async (_, entries, name) => {
    const at = place();
    expect((await look(at, at.write([header, ...entries]))).name).toBe(name);
  });

  test('wherever it stands, on the edge between two pieces of the file too', async () => {
    const files = memoryFiles();
    const { store } = place(files);
    const named = info('n', entry(0).id, 'found');
    const padding = (size: number) => line(entry(0, 'x'.repeat(size)));
    const rest = line(named).length - 1 + padding(0).length;
    for (let shift = -40; shift <= 40; shift += 1) {
      // From the words that are looked for to the end of the part that is looked at.
      const after = padding(256 * 1024 + shift - rest);
      const text = line(header) + padding(1000) + line(named) + after + line(compaction('c1', entry(0).id, 'c1'));
      files.contents.set('/session.jsonl', Buffer.from(text));
      const resumed = await store.resume('/session.jsonl');
      expect(resumed.name, `shift ${shift}`).toBe('found');
      await resumed.log.close();
    }
  });

  test('in the header, where oh-my-pi keeps it, unless there is a newer one', async () => {
    const at = place();
    const titled = { ...header, title: 'From above' };
    expect((await look(at, at.write([titled, entry(0)]))).name).toBe('From above');
    expect((await look(at, at.write([titled, entry(0), info('n', entry(0).id, 'x')]))).name).toBe('x');
  });
});

describe('going on', () => {
  test('resuming alone changes no byte', async () => {
    const at = place();
    const text = [header, entry(0)].map(line).join('') + line(entry(1)).slice(0, 50);
    const path = at.write(text);
    await look(at, path);
    expect(readFileSync(path, 'utf8')).toBe(text);
    expect(readdirSync(at.directory)).toEqual(['session.jsonl']);
  });

  test('a last line that broke off goes before the next one is written', async () => {
    const at = place();
    const start = [header, entry(0)].map(line).join('');
    const path = at.write(start + line(entry(1)).slice(0, 50));
    const resumed = await at.store.resume(path);
    expect(resumed.damage).toEqual([{ offset: start.length, message: 'the last line broke off after 50 bytes' }]);
    expect(resumed.leafId).toBe(entry(0).id);
    expect(await resumed.log.readAll()).toEqual([entry(0)]);
    await resumed.log.append([entry(1)]);
    await resumed.log.close();
    expect(linesIn(path)).toEqual([header, entry(0), entry(1)]);
  });

  test('a last line that lacks only its end is kept', async () => {
    const at = place();
    const path = at.write([header, entry(0), entry(1)].map(line).join('').slice(0, -1));
    const resumed = await at.store.resume(path);
    expect(resumed).toMatchObject({ path: [entry(0), entry(1)], damage: [] });
    expect(await resumed.log.readAll()).toEqual([entry(0), entry(1)]);
    await resumed.log.append([entry(2)]);
    await resumed.log.close();
    expect(linesIn(path)).toEqual([header, entry(0), entry(1), entry(2)]);
  });

  test('what a program that knows no locks wrote meanwhile stays', async () => {
    const at = place();
    const torn = line(entry(1)).slice(0, 50);
    const path = at.write([header, entry(0)].map(line).join('') + torn);
    const resumed = await at.store.resume(path);
    at.write(`${readFileSync(path, 'utf8')}\n${line(entry(7)).trimEnd()}`);
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

  test('through a link, the file that it leads to', async () => {
    const at = place();
    const path = at.write([header, entry(0)]);
    const link = join(at.directory, 'link.jsonl');
    symlinkSync(path, link);
    const resumed = await at.store.resume(link);
    expect(resumed.log.file).toBe(path);
    expect(existsSync(`${path}.lock`)).toBe(true);
    await expect(at.store.resume(path)).rejects.toThrow('in use');
    await resumed.log.close();
  });
});

test('messages on the way are not read before somebody asks what was said', async () => {
  const here = place();
  const entries = Array.from({ length: 9 }, (_, n) => entry(n));
  const session = await here.store.resume(here.write([header, ...entries]));
  expect(session.sketch?.map((one) => [one.type, 'id' in one && one.id])).toEqual(
    entries.map(({ id }, at) => [at < 8 ? 'unread' : 'message', id]),
  );
  expect(session.path).toEqual(entries);
  expect(session.path).toBe(session.path);
  await session.log.close();
});
