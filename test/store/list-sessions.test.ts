// Tests of listing, locating and removing sessions.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isRunOpen } from '../../src/core/tree/is-run-open.ts';
import { entry, header } from './contract.ts';
import { createStoreFixture, type StoreFixture, toLine } from './store-fixture.ts';

const answer = (n: number, total: number, text = 'yes') => ({
  type: 'message',
  id: `answer${n}`,
  parentId: entry(0).id,
  timestamp: header.timestamp,
  message: {
    role: 'assistant',
    content: [{ type: 'text', text }],
    api: 'a',
    provider: 'p',
    model: 'm',
    usage: {
      input: 1,
      output: 2,
      cacheRead: 3,
      cacheWrite: 4,
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total },
    },
    stopReason: 'stop',
    timestamp: 1,
  },
});

const shellOutput = {
  ...{ type: 'message', id: 'shell', parentId: 'answer1', timestamp: header.timestamp },
  message: { role: 'bashExecution', command: 'ls', output: '', cancelled: false, truncated: false, timestamp: 1 },
};

/** Creates a session with this modification time, in seconds. */
function createSession(
  fixture: StoreFixture,
  id: string,
  second: number,
  lines: readonly unknown[] = [entry(0)],
): string {
  const path = fixture.write([{ ...header, id }, ...lines], `2026-01-01T00-00-00-000Z_${id}.jsonl`);
  utimesSync(path, second, second);
  return path;
}

describe('the list', () => {
  test('contains the details of each session', async () => {
    const fixture = createStoreFixture();
    const lines = [
      entry(0, '  Fix the\n parser,\tplease  '),
      answer(1, 0.25),
      { ...entry(2), type: 'custom', customType: 'x', data: { type: 'message' } },
      { type: 'session_info', id: 'i1', parentId: null, timestamp: '', name: 'first' },
      entry(3, 'more'),
      answer(4, 1.5),
      { type: 'session_info', id: 'i2', parentId: null, timestamp: '', name: 'Parser' },
      { type: 'session_info', id: 'i3', parentId: null, timestamp: '' },
    ];
    const path = fixture.write([{ ...header, parentSession: '/older.jsonl' }, ...lines]);
    utimesSync(path, 1000, 2000);
    mkdirSync(join(fixture.directory, 'session/deep'), { recursive: true });
    writeFileSync(join(fixture.directory, 'session/1.bash.log'), 'x'.repeat(100));
    writeFileSync(join(fixture.directory, 'session/deep/2.log'), 'x'.repeat(11));
    expect(await fixture.store.list()).toEqual([
      {
        path,
        id: header.id,
        cwd: header.cwd,
        name: 'Parser',
        parentSession: '/older.jsonl',
        createdMs: Date.parse(header.timestamp),
        modifiedMs: 2_000_000,
        messages: 4,
        cost: 1.75,
        bytes: readFileSync(path).length + 111,
        opening: 'Fix the parser, please',
        interrupted: false,
      },
    ]);
  });

  test('is newest first and skips files that are not sessions', async () => {
    const fixture = createStoreFixture();
    createSession(fixture, 'old', 100);
    createSession(fixture, 'new', 300);
    createSession(fixture, 'middle', 200);
    fixture.write('', 'empty.jsonl');
    fixture.write('{"type":"message"}\n', 'other.jsonl');
    fixture.write(Buffer.alloc(10_000), 'zeros.jsonl');
    fixture.write([header], 'session.json');
    fixture.write([header], 'session.jsonl.v1.bak');
    mkdirSync(join(fixture.directory, 'folder.jsonl'));
    symlinkSync('/nowhere', join(fixture.directory, 'link.jsonl'));
    expect((await fixture.store.list()).map(({ id }) => id)).toEqual(['new', 'middle', 'old']);
    expect(await fixture.store.findLatest()).toContain('_new.jsonl');
  });

  test('is not affected by message content or damage', async () => {
    const fixture = createStoreFixture();
    const tricky = '{"type":"message"},"usage":{"cost":{"total":99}}';
    const nested = { ...answer(1, 0.5), extra: { usage: { cost: { total: 99 } } } };
    const createCallingAnswer = (n: number, text: string) => {
      const called = answer(n, 1);
      const call = { type: 'toolCall', id: 'c', name: 'n', arguments: { usage: { cost: { total: 99 } }, text } };
      return { ...called, message: { ...called.message, content: [call] } };
    };
    createSession(fixture, 'a', 1, [
      entry(0, tricky),
      answer(0, 0.125, tricky),
      createCallingAnswer(2, 'short'),
      createCallingAnswer(3, 'x'.repeat(3000)),
    ]);
    fixture.write(
      `${toLine(header)}${toLine(entry(0))}garbage\n\0\0\0\n${toLine(nested)}${toLine(entry(2)).slice(0, 30)}`,
      'b.jsonl',
    );
    const [b, a] = await fixture.store.list();
    expect(a).toMatchObject({ messages: 4, cost: 2.125, opening: tricky });
    expect(b).toMatchObject({ messages: 2 });
  });

  test('supports old versions, other key orders, titles and long first messages', async () => {
    const fixture = createStoreFixture();
    const old = { type: 'session', id: 'v1', timestamp: 'no time', cwd: '/w', title: 'Above' };
    const { message } = answer(0, 3);
    const lines = [
      {
        type: 'message',
        timestamp: 't',
        message: { content: [{ type: 'image' }, { type: 'text', text: 'y'.repeat(500) }], role: 'user' },
      },
      { message: { ...message, usage: { cost: { total: 3 } } }, type: 'message' },
    ];
    const path = fixture.write([old, ...lines]);
    utimesSync(path, 5, 5);
    const [found] = await fixture.store.list();
    expect(found).toMatchObject({ id: 'v1', name: 'Above', messages: 2, cost: 3, createdMs: 5000 });
    expect(found?.opening).toBe(`${'y'.repeat(119)}…`);
  });

  test('does not change any file', async () => {
    const fixture = createStoreFixture();
    const path = fixture.write([{ ...header, version: 2 }, entry(0)]);
    const before = readFileSync(path, 'utf8');
    await fixture.store.list();
    await fixture.store.findLatest();
    expect(readdirSync(fixture.directory)).toEqual(['session.jsonl']);
    expect(readFileSync(path, 'utf8')).toBe(before);
  });

  test('reuses cached summaries of unchanged files, and ignores an invalid cache', async () => {
    const fixture = createStoreFixture();
    const long = [entry(0, 'x'.repeat(600_000)), answer(1, 1)];
    const [one, two] = [createSession(fixture, 'one', 1, long), createSession(fixture, 'two', 2, long)];
    const broken = fixture.write(Buffer.alloc(600_000), 'broken.jsonl');
    const list = await fixture.store.list();
    const cacheFile = join(fixture.directory, '.parley-sessions.json');
    expect(statSync(cacheFile).mode & 0o777).toBe(0o600);
    // Changed with the same size and modification time, so the cached summary is used.
    const changed = readFileSync(one, 'utf8').replace('"total":1', '"total":7');
    writeFileSync(one, changed);
    utimesSync(one, 1, 1);
    expect(await fixture.store.list()).toEqual(list);
    expect(list).toMatchObject([
      { id: 'two', cost: 1 },
      { id: 'one', cost: 1 },
    ]);
    utimesSync(one, 3, 3);
    rmSync(two);
    rmSync(broken);
    expect(await fixture.store.list()).toMatchObject([{ id: 'one', cost: 7 }]);
    for (const invalidCache of [
      '',
      '[]',
      '{"format":1,"sessions":{"a":7}}',
      readFileSync(cacheFile, 'utf8').replaceAll('"id"', '"no"'),
    ]) {
      writeFileSync(cacheFile, invalidCache);
      expect(await fixture.store.list()).toMatchObject([{ id: 'one', cost: 7 }]);
    }
  });

  test('a cache of an older version is used, and completed with whether the last run has ended', async () => {
    const fixture = createStoreFixture();
    const long = entry(0, 'x'.repeat(1_100_000));
    createSession(fixture, 'killed', 1, [long]);
    createSession(fixture, 'ended', 2, [long, answer(1, 1)]);
    const expected = [
      { id: 'ended', cost: 7, interrupted: false },
      { id: 'killed', interrupted: true },
    ];
    await fixture.store.list();
    const cacheFile = join(fixture.directory, '.parley-sessions.json');
    const old = readFileSync(cacheFile, 'utf8').replaceAll(/,"interrupted":(true|false)/g, '');
    // A cost that is not in the file shows that the cached summary is used.
    writeFileSync(cacheFile, old.replace('"cost":1', '"cost":7'));
    expect(await fixture.store.list()).toMatchObject(expected);
    expect(readFileSync(cacheFile, 'utf8')).not.toContain('interrupted');
    expect(await fixture.store.list()).toMatchObject(expected);
  });

  test.each([
    ['a prompt without an answer', [entry(0), answer(1, 1), entry(2)], true],
    ['an answer', [entry(0), answer(1, 1)], false],
    ['an answer and output of a shell command', [entry(0), answer(1, 1), shellOutput], false],
    ['a prompt and an incomplete line', [entry(0), '{"type":"message","id":"x","parentId":null,"timestamp":""'], true],
    ['no messages', [], false],
  ])('%s: interrupted is as for the session that is resumed', async (_, lines, interrupted) => {
    const fixture = createStoreFixture();
    const path = fixture.write([header, ...lines]);
    expect(await fixture.store.list()).toMatchObject([{ path, interrupted }]);
    const resumed = await fixture.store.resume(path);
    expect(isRunOpen(resumed.lazyPath ?? resumed.path)).toBe(interrupted);
    expect(isRunOpen(resumed.path)).toBe(interrupted);
    await resumed.log.close();
  });

  test('contains sessions that are in use', async () => {
    const fixture = createStoreFixture();
    const log = fixture.store.create(header);
    await log.append([entry(0)]);
    expect(await fixture.store.list()).toMatchObject([{ path: log.file, messages: 1 }]);
    await log.close();
  });
});

describe('locating', () => {
  test('a path, or the beginning of exactly one id', async () => {
    const fixture = createStoreFixture();
    const [one, two] = [createSession(fixture, 'abc1', 1), createSession(fixture, 'abd2', 2)];
    const odd = fixture.write([{ ...header, id: 'xyz' }], 'renamed.jsonl');
    expect(await fixture.store.locate(one)).toBe(one);
    expect(await fixture.store.locate('abc')).toBe(one);
    expect(await fixture.store.locate('abd2')).toBe(two);
    expect(await fixture.store.locate('xy')).toBe(odd);
  });

  test('a whole id counts more than the beginning of another one', async () => {
    const fixture = createStoreFixture();
    const [one, ten] = [createSession(fixture, 'chat-1', 1), createSession(fixture, 'chat-10', 2)];
    expect(await fixture.store.locate('chat-1')).toBe(one);
    expect(await fixture.store.locate('chat-10')).toBe(ten);
    await expect(fixture.store.locate('chat')).rejects.toMatchObject({ code: 'invalid_params' });
  });

  test('no match and several matches are errors', async () => {
    const fixture = createStoreFixture();
    createSession(fixture, 'abc1', 1);
    createSession(fixture, 'abd2', 2);
    await expect(fixture.store.locate('ab')).rejects.toMatchObject({
      code: 'invalid_params',
      message: '2 sessions begin with ab: 2026-01-01T00-00-00-000Z_abd2.jsonl, 2026-01-01T00-00-00-000Z_abc1.jsonl',
    });
    await expect(fixture.store.locate('q')).rejects.toMatchObject({
      code: 'not_found',
      message: 'Session not found: q',
    });
    await expect(fixture.store.locate('')).rejects.toMatchObject({ code: 'invalid_params' });
    await expect(fixture.store.locate('./abc1')).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('removing', () => {
  test('removes the artifacts and backups too, and nothing else', async () => {
    const fixture = createStoreFixture();
    const path = fixture.write([header, entry(0)]);
    fixture.write([header], 'session2.jsonl');
    for (const name of [
      'session.jsonl.v1.bak',
      'session.jsonl.v2.2.bak',
      'session.jsonl.notes',
      'session2.jsonl.v1.bak',
    ]) {
      fixture.write('x', name);
    }
    mkdirSync(join(fixture.directory, 'session'));
    fixture.write('x', 'session/1.bash.log');
    await fixture.store.remove(path);
    expect(readdirSync(fixture.directory).sort()).toEqual([
      'session.jsonl.notes',
      'session2.jsonl',
      'session2.jsonl.v1.bak',
    ]);
  });

  test('does not remove a linked directory or a file that is not a session', async () => {
    const fixture = createStoreFixture();
    const path = fixture.write([header, entry(0)]);
    const otherFixture = createStoreFixture();
    otherFixture.write('mine', 'keep.txt');
    symlinkSync(otherFixture.directory, join(fixture.directory, 'session'));
    await fixture.store.remove(path);
    expect(existsSync(join(fixture.directory, 'session/keep.txt'))).toBe(true);
    const cacheFile = fixture.write('# Notes\n', 'notes.jsonl');
    await expect(fixture.store.remove(cacheFile)).rejects.toMatchObject({
      code: 'refused',
      message: expect.stringContaining(cacheFile),
    });
    expect(existsSync(cacheFile)).toBe(true);
  });

  test('an open session is not removed', async () => {
    const fixture = createStoreFixture();
    const createSession = await fixture.store.resume(fixture.write([header, entry(0)]));
    await expect(fixture.store.remove(createSession.log.file!)).rejects.toMatchObject({ code: 'refused' });
    await createSession.log.close();
  });
});
