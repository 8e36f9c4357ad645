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
import { entry, header } from './contract.ts';
import { line, type Place, place } from './place.ts';

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

/** Makes a session that was written to at this second. */
function session(here: Place, id: string, second: number, lines: readonly unknown[] = [entry(0)]): string {
  const path = here.write([{ ...header, id }, ...lines], `2026-01-01T00-00-00-000Z_${id}.jsonl`);
  utimesSync(path, second, second);
  return path;
}

describe('the list', () => {
  test('says of each session what a person needs to know it again', async () => {
    const here = place();
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
    const path = here.write([{ ...header, parentSession: '/older.jsonl' }, ...lines]);
    utimesSync(path, 1000, 2000);
    mkdirSync(join(here.directory, 'session/deep'), { recursive: true });
    writeFileSync(join(here.directory, 'session/1.bash.log'), 'x'.repeat(100));
    writeFileSync(join(here.directory, 'session/deep/2.log'), 'x'.repeat(11));
    expect(await here.store.list()).toEqual([
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
      },
    ]);
  });

  test('is newest first and passes over what is no session', async () => {
    const here = place();
    session(here, 'old', 100);
    session(here, 'new', 300);
    session(here, 'middle', 200);
    here.write('', 'empty.jsonl');
    here.write('{"type":"message"}\n', 'other.jsonl');
    here.write(Buffer.alloc(10_000), 'zeros.jsonl');
    here.write([header], 'session.json');
    here.write([header], 'session.jsonl.v1.bak');
    mkdirSync(join(here.directory, 'folder.jsonl'));
    symlinkSync('/nowhere', join(here.directory, 'link.jsonl'));
    expect((await here.store.list()).map(({ id }) => id)).toEqual(['new', 'middle', 'old']);
    expect(await here.store.latest()).toContain('_new.jsonl');
  });

  test('is not misled by what was said, nor stopped by damage', async () => {
    const here = place();
    const tricky = '{"type":"message"},"usage":{"cost":{"total":99}}';
    const nested = { ...answer(1, 0.5), extra: { usage: { cost: { total: 99 } } } };
    const calling = (n: number, text: string) => {
      const called = answer(n, 1);
      const call = { type: 'toolCall', id: 'c', name: 'n', arguments: { usage: { cost: { total: 99 } }, text } };
      return { ...called, message: { ...called.message, content: [call] } };
    };
    session(here, 'a', 1, [
      entry(0, tricky),
      answer(0, 0.125, tricky),
      calling(2, 'short'),
      calling(3, 'x'.repeat(3000)),
    ]);
    here.write(
      `${line(header)}${line(entry(0))}garbage\n\0\0\0\n${line(nested)}${line(entry(2)).slice(0, 30)}`,
      'b.jsonl',
    );
    const [b, a] = await here.store.list();
    expect(a).toMatchObject({ messages: 4, cost: 2.125, opening: tricky });
    expect(b).toMatchObject({ messages: 2 });
  });

  test('knows old versions, another order of keys, titles, and openings of any length', async () => {
    const here = place();
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
    const path = here.write([old, ...lines]);
    utimesSync(path, 5, 5);
    const [found] = await here.store.list();
    expect(found).toMatchObject({ id: 'v1', name: 'Above', messages: 2, cost: 3, createdMs: 5000 });
    expect(found?.opening).toBe(`${'y'.repeat(119)}…`);
  });

  test('reads, and changes nothing', async () => {
    const here = place();
    const path = here.write([{ ...header, version: 2 }, entry(0)]);
    const before = readFileSync(path, 'utf8');
    await here.store.list();
    await here.store.latest();
    expect(readdirSync(here.directory)).toEqual(['session.jsonl']);
    expect(readFileSync(path, 'utf8')).toBe(before);
  });

  test('counts nothing twice that has not changed, and believes nothing else that it noted', async () => {
    const here = place();
    const long = [entry(0, 'x'.repeat(600_000)), answer(1, 1)];
    const [one, two] = [session(here, 'one', 1, long), session(here, 'two', 2, long)];
    const broken = here.write(Buffer.alloc(600_000), 'broken.jsonl');
    const list = await here.store.list();
    const notes = join(here.directory, '.parley-sessions.json');
    expect(statSync(notes).mode & 0o777).toBe(0o600);
    // Changed behind our back, with the same size and time: what was noted is what is told.
    const changed = readFileSync(one, 'utf8').replace('"total":1', '"total":7');
    writeFileSync(one, changed);
    utimesSync(one, 1, 1);
    expect(await here.store.list()).toEqual(list);
    expect(list).toMatchObject([
      { id: 'two', cost: 1 },
      { id: 'one', cost: 1 },
    ]);
    utimesSync(one, 3, 3);
    rmSync(two);
    rmSync(broken);
    expect(await here.store.list()).toMatchObject([{ id: 'one', cost: 7 }]);
    for (const nonsense of [
      '',
      '[]',
      '{"format":1,"sessions":{"a":7}}',
      readFileSync(notes, 'utf8').replaceAll('"id"', '"no"'),
    ]) {
      writeFileSync(notes, nonsense);
      expect(await here.store.list()).toMatchObject([{ id: 'one', cost: 7 }]);
    }
  });

  test('shows sessions that are in use', async () => {
    const here = place();
    const log = here.store.create(header);
    await log.append([entry(0)]);
    expect(await here.store.list()).toMatchObject([{ path: log.file, messages: 1 }]);
    await log.close();
  });
});

describe('which one is meant', () => {
  test('a path, or the beginning of an id that only one has', async () => {
    const here = place();
    const [one, two] = [session(here, 'abc1', 1), session(here, 'abd2', 2)];
    const odd = here.write([{ ...header, id: 'xyz' }], 'renamed.jsonl');
    expect(await here.store.locate(one)).toBe(one);
    expect(await here.store.locate('abc')).toBe(one);
    expect(await here.store.locate('abd2')).toBe(two);
    expect(await here.store.locate('xy')).toBe(odd);
  });

  test('none and several are faults that say so', async () => {
    const here = place();
    session(here, 'abc1', 1);
    session(here, 'abd2', 2);
    await expect(here.store.locate('ab')).rejects.toMatchObject({
      code: 'invalid_params',
      message: '2 sessions begin with ab: 2026-01-01T00-00-00-000Z_abd2.jsonl, 2026-01-01T00-00-00-000Z_abc1.jsonl',
    });
    await expect(here.store.locate('q')).rejects.toMatchObject({ code: 'not_found', message: 'Session not found: q' });
    await expect(here.store.locate('')).rejects.toMatchObject({ code: 'invalid_params' });
    await expect(here.store.locate('./abc1')).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('removing', () => {
  test('takes the artifacts and the copies along, and nothing else', async () => {
    const here = place();
    const path = here.write([header, entry(0)]);
    here.write([header], 'session2.jsonl');
    for (const name of [
      'session.jsonl.v1.bak',
      'session.jsonl.v2.2.bak',
      'session.jsonl.notes',
      'session2.jsonl.v1.bak',
    ]) {
      here.write('x', name);
    }
    mkdirSync(join(here.directory, 'session'));
    here.write('x', 'session/1.bash.log');
    await here.store.remove(path);
    expect(readdirSync(here.directory).sort()).toEqual([
      'session.jsonl.notes',
      'session2.jsonl',
      'session2.jsonl.v1.bak',
    ]);
  });

  test('a folder that is only linked to stays, and so does a file that is no session', async () => {
    const here = place();
    const path = here.write([header, entry(0)]);
    const elsewhere = place();
    elsewhere.write('mine', 'keep.txt');
    symlinkSync(elsewhere.directory, join(here.directory, 'session'));
    await here.store.remove(path);
    expect(existsSync(join(here.directory, 'session/keep.txt'))).toBe(true);
    const notes = here.write('# Notes\n', 'notes.jsonl');
    await expect(here.store.remove(notes)).rejects.toMatchObject({
      code: 'refused',
      message: expect.stringContaining(notes),
    });
    expect(existsSync(notes)).toBe(true);
  });

  test('one that is open is refused', async () => {
    const here = place();
    const session = await here.store.resume(here.write([header, entry(0)]));
    await expect(here.store.remove(session.log.file!)).rejects.toMatchObject({ code: 'refused' });
    await session.log.close();
  });
});
