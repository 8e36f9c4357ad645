// Tests with session files of other programs: versions 1 to 3 of pi, and oh-my-pi. Written by hand from their documentation.
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import { entry } from './contract.ts';
import { createStoreFixture, readLines, toLine } from './store-fixture.ts';

const timestamp = '2025-11-20T10:00:00.000Z';
const usage = {
  input: 10,
  output: 5,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 15,
  cost: { input: 0.1, output: 0.2, cacheRead: 0, cacheWrite: 0, total: 0.3 },
};
const user = (text: string) => ({ role: 'user', content: [{ type: 'text', text }], timestamp: 1 });
const assistant = (text: string) => ({
  role: 'assistant',
  content: [{ type: 'text', text }],
  api: 'anthropic-messages',
  provider: 'anthropic',
  model: 'claude',
  usage,
  stopReason: 'stop',
  timestamp: 2,
});

const version1Lines = [
  { type: 'session', id: 'old-session', timestamp, cwd: '/work', provider: 'anthropic', modelId: 'claude' },
  { type: 'message', timestamp, message: user('one') },
  { type: 'message', timestamp, message: assistant('two') },
  { type: 'message', timestamp, message: user('three') },
  { type: 'compaction', timestamp, summary: 'one and two', firstKeptEntryIndex: 3, tokensBefore: 900 },
  {
    type: 'message',
    timestamp,
    message: { role: 'hookMessage', customType: 'x', content: 'hook', display: true, timestamp: 3 },
  },
  { type: 'thinking_level_change', timestamp, thinkingLevel: 'high' },
];

const version2Lines = [
  { type: 'session', version: 2, id: 'second-session', timestamp, cwd: '/work' },
  { type: 'message', id: 'aaaaaaaa', parentId: null, timestamp, message: user('one') },
  { type: 'message', id: 'bbbbbbbb', parentId: 'aaaaaaaa', timestamp, message: assistant('two') },
  {
    type: 'message',
    id: 'cccccccc',
    parentId: 'aaaaaaaa',
    timestamp,
    message: { role: 'hookMessage', customType: 'x', content: 'hook', display: false, timestamp: 3 },
  },
  { type: 'label', id: 'dddddddd', parentId: 'cccccccc', timestamp, targetId: 'aaaaaaaa', label: 'here' },
];

describe('version 1: a plain list', () => {
  test('becomes a chain of entries, and the compaction keeps the same entries', async () => {
    const fixture = createStoreFixture();
    const path = fixture.write(version1Lines);
    const { log, ...session } = await fixture.store.resume(path);
    expect(session).toMatchObject({
      leafId: '00000006',
      damage: [],
      header: { id: 'old-session', version: 3, cwd: '/work' },
    });
    expect(session.path.map(({ id, parentId, type }) => [id, parentId, type])).toEqual([
      ['00000003', '00000002', 'message'],
      ['00000004', '00000003', 'compaction'],
      ['00000005', '00000004', 'message'],
      ['00000006', '00000005', 'thinking_level_change'],
    ]);
    expect(session.path[1]).toMatchObject({ firstKeptEntryId: '00000003', summary: 'one and two' });
    expect(session.path[1]).not.toHaveProperty('firstKeptEntryIndex');
    expect(session.path[2]).toMatchObject({ message: { role: 'custom', content: 'hook' } });
    expect(await log.readAll()).toHaveLength(6);
    await log.append([{ ...entry(0), id: 'new', parentId: session.leafId }]);
    await log.close();
    expect(readLines(path)).toHaveLength(8);
    expect(readLines(path)[0]).toEqual({ ...version1Lines[0], version: 3 });
  });

  test('a compaction without a valid index keeps nothing', async () => {
    for (const firstKeptEntryIndex of [undefined, 0, 99, -1, 1.5]) {
      const fixture = createStoreFixture();
      const compaction = {
        type: 'compaction',
        timestamp,
        summary: 's',
        firstKeptEntryIndex,
        tokensBefore: 1,
      };
      const session = await fixture.store.resume(
        fixture.write([version1Lines[0], version1Lines[1], compaction, version1Lines[3]]),
      );
      expect(session.path.map(({ id }) => id)).toEqual(['00000002', '00000003']);
      await session.log.close();
    }
  });

  test('unreadable lines are reported and stay in the backup', async () => {
    const fixture = createStoreFixture();
    const text = `${toLine(version1Lines[0])}garbage\n${toLine(version1Lines[1])}${toLine(version1Lines[2]).slice(0, 30)}`;
    const path = fixture.write(text);
    const session = await fixture.store.resume(path);
    expect(session.damage.map(({ offset }) => offset).sort((a, b) => a - b)).toEqual([
      toLine(version1Lines[0]).length,
      text.length - 30,
    ]);
    expect(session.path).toHaveLength(1);
    await session.log.close();
    expect(readFileSync(`${path}.v1.bak`, 'utf8')).toBe(text);
    expect(readLines(path)).toHaveLength(2);
  });
});

describe('version 2: another role name', () => {
  test('becomes version 3, and lines that need no change keep their bytes', async () => {
    const fixture = createStoreFixture();
    const path = fixture.write(version2Lines);
    const session = await fixture.store.resume(path);
    expect(session.path.map(({ id }) => id)).toEqual(['aaaaaaaa', 'cccccccc', 'dddddddd']);
    expect(session.path[1]).toMatchObject({ message: { role: 'custom', customType: 'x' } });
    expect(session.header.version).toBe(3);
    await session.log.close();
    const [oldLines, newLines] = [`${path}.v2.bak`, path].map((file) => readFileSync(file, 'utf8').split('\n'));
    expect(newLines).toHaveLength(oldLines!.length);
    expect(newLines!.flatMap((text, i) => (text === oldLines![i] ? [] : [i]))).toEqual([0, 3]);
  });

  test('a damaged line is kept', async () => {
    const fixture = createStoreFixture();
    const path = fixture.write(
      `${toLine(version2Lines[0])}${toLine(version2Lines[1])}"hookMessage" garbage\n${toLine(version2Lines[3])}`,
    );
    const session = await fixture.store.resume(path);
    expect(session.path.map(({ id }) => id)).toEqual(['aaaaaaaa', 'cccccccc']);
    expect(session.damage).toHaveLength(1);
    await session.log.close();
    expect(readFileSync(path, 'utf8').split('\n')[2]).toBe('"hookMessage" garbage');
  });
});

describe('a migration creates a backup first', () => {
  test('readable by the owner only, and without overwriting an earlier one', async () => {
    const fixture = createStoreFixture();
    const path = fixture.write(version1Lines);
    const original = readFileSync(path, 'utf8');
    writeFileSync(`${path}.v1.bak`, 'earlier backup');
    await (await fixture.store.resume(path)).log.close();
    expect(readdirSync(fixture.directory).sort()).toEqual([
      'session.jsonl',
      'session.jsonl.v1.2.bak',
      'session.jsonl.v1.bak',
    ]);
    expect(readFileSync(`${path}.v1.bak`, 'utf8')).toBe('earlier backup');
    expect(readFileSync(`${path}.v1.2.bak`, 'utf8')).toBe(original);
    for (const file of [path, `${path}.v1.2.bak`]) expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('a migrated file is not migrated again', async () => {
    const fixture = createStoreFixture();
    const path = fixture.write(version2Lines);
    await (await fixture.store.resume(path)).log.close();
    const migrated = readFileSync(path, 'utf8');
    await (await fixture.store.resume(path)).log.close();
    expect(readFileSync(path, 'utf8')).toBe(migrated);
    expect(readdirSync(fixture.directory)).toHaveLength(2);
  });

  test('leftovers of an earlier attempt are replaced', async () => {
    const fixture = createStoreFixture();
    const path = fixture.write(version2Lines);
    for (const rest of ['migrating', 'copying']) writeFileSync(`${path}.${rest}`, 'half');
    await (await fixture.store.resume(path)).log.close();
    expect(readdirSync(fixture.directory).sort()).toEqual(['session.jsonl', 'session.jsonl.v2.bak']);
  });
});

describe('version 3 of pi', () => {
  test('is read with all its fields and not rewritten', async () => {
    const fixture = createStoreFixture();
    const lines = [
      { type: 'session', version: 3, id: 'pi', timestamp, cwd: '/work', parentSession: '/older.jsonl' },
      {
        type: 'model_change',
        id: 'a0000000',
        parentId: null,
        timestamp,
        provider: 'anthropic',
        modelId: 'claude',
      },
      {
        type: 'thinking_level_change',
        id: 'a0000001',
        parentId: 'a0000000',
        timestamp,
        thinkingLevel: 'off',
      },
      { type: 'message', id: 'a0000002', parentId: 'a0000001', timestamp, message: user('one') },
      { type: 'message', id: 'a0000003', parentId: 'a0000002', timestamp, message: assistant('two') },
      {
        type: 'branch_summary',
        id: 'a0000004',
        parentId: 'a0000003',
        timestamp,
        fromId: 'root',
        summary: 's',
        fromHook: true,
      },
      { type: 'session_info', id: 'a0000005', parentId: 'a0000004', timestamp, name: 'pi’s' },
    ];
    const path = fixture.write(lines);
    const session = await fixture.store.resume(path);
    expect(session).toMatchObject({ header: lines[0], path: lines.slice(1), name: 'pi’s', leafId: 'a0000005' });
    await session.log.close();
    expect(readFileSync(path, 'utf8')).toBe(lines.map(toLine).join(''));
  });
});

describe('oh-my-pi', () => {
  const header = { type: 'session', version: 3, id: 'omp', title: 'Named above', timestamp, cwd: '/work' };
  const hash = 'ab'.repeat(32);
  const createImage = (data: string) => ({ type: 'image', data, mimeType: 'image/png' });

  test('models, entry types and title are converted', async () => {
    const fixture = createStoreFixture();
    const lines = [
      header,
      { type: 'model_change', id: '1', parentId: null, timestamp, model: 'openrouter/openai/gpt-5' },
      { type: 'model_change', id: '2', parentId: '1', timestamp, model: 'openai/small', role: 'smol' },
      { type: 'mode_change', id: '3', parentId: '2', timestamp, mode: 'plan', data: { planFile: '/p' } },
      { type: 'session_init', id: '4', parentId: '3', timestamp, systemPrompt: 's', task: 't', tools: [] },
      { type: 'ttsr_injection', id: '5', parentId: '4', timestamp, injectedRules: ['a'] },
      {
        type: 'compaction',
        id: '6',
        parentId: '5',
        timestamp,
        summary: 's',
        shortSummary: 'x',
        firstKeptEntryId: '1',
        tokensBefore: 4,
      },
    ];
    const session = await fixture.store.resume(fixture.write(lines));
    expect(session.name).toBe('Named above');
    expect(session.damage).toEqual([]);
    expect(session.path).toEqual([
      { ...lines[1], provider: 'openrouter', modelId: 'openai/gpt-5' },
      {
        type: 'custom',
        id: '2',
        parentId: '1',
        timestamp,
        customType: 'omp.model_change',
        data: { model: 'openai/small', role: 'smol' },
      },
      ...lines.slice(3),
    ]);
    await session.log.close();
  });

  test('images are loaded from the blobs directory, and a missing one becomes a text', async () => {
    const agent = createTemporaryDirectory();
    const fixture = createStoreFixture(undefined, join(agent, 'sessions/--work--'));
    mkdirSync(join(agent, 'blobs'));
    writeFileSync(join(agent, 'blobs', hash), 'pixels');
    const content = [
      createImage(`blob:sha256:${hash}`),
      createImage(`blob:sha256:${'cd'.repeat(32)}`),
      createImage('aGk='),
    ];
    const lines = [
      header,
      {
        type: 'message',
        id: '1',
        parentId: null,
        timestamp,
        message: { role: 'user', content, timestamp: 1 },
      },
      {
        type: 'custom_message',
        id: '2',
        parentId: '1',
        timestamp,
        customType: 'x',
        content: content.slice(0, 1),
      },
    ];
    const path = fixture.write(lines);
    const session = await fixture.store.resume(path);
    const restored = createImage(Buffer.from('pixels').toString('base64'));
    const expected = [
      { message: { content: [restored, { type: 'text', text: '[image no longer available]' }, createImage('aGk=')] } },
      { content: [restored] },
    ];
    expect(session.path).toMatchObject(expected);
    expect(await session.log.readAll()).toMatchObject(expected);
    await session.log.close();
    expect(readFileSync(path, 'utf8')).toBe(lines.map(toLine).join(''));
  });

  test('an invalid blob reference is not followed', async () => {
    const fixture = createStoreFixture();
    const content = [createImage('blob:sha256:../../secret')];
    const lines = [
      header,
      {
        type: 'message',
        id: '1',
        parentId: null,
        timestamp,
        message: { role: 'user', content, timestamp: 1 },
      },
    ];
    const session = await fixture.store.resume(fixture.write(lines));
    expect(session.path).toMatchObject([{ message: { content } }]);
    await session.log.close();
  });
});

describe('reading without changes', () => {
  test.each<[string, readonly unknown[], string[]]>([
    ['version 1', version1Lines, ['00000001', '00000002', '00000003', '00000004', '00000005', '00000006']],
    ['version 2', version2Lines, ['aaaaaaaa', 'bbbbbbbb', 'cccccccc', 'dddddddd']],
    [
      'version 3',
      [{ ...version2Lines[0], version: 3 }, ...version2Lines.slice(1)],
      ['aaaaaaaa', 'bbbbbbbb', 'cccccccc', 'dddddddd'],
    ],
  ])('%s, even while it is locked and damaged', async (_, lines, ids) => {
    const fixture = createStoreFixture();
    const path = fixture.write(`${toLine(lines[0])}garbage\n${lines.slice(1).map(toLine).join('')}{"type":"mess`);
    const before = readFileSync(path, 'utf8');
    writeFileSync(`${path}.lock`, JSON.stringify({ pid: 1, startTime: 1, host: 'there' }));
    const found = await fixture.store.read(path);
    expect(found.entries.map(({ id }) => id)).toEqual(ids);
    expect(found.leafId).toBe(ids.at(-1));
    expect(found.entries.some((of) => JSON.stringify(of).includes('hookMessage'))).toBe(false);
    expect(readFileSync(path, 'utf8')).toBe(before);
    expect(readdirSync(fixture.directory)).toEqual(['session.jsonl', 'session.jsonl.lock']);
  });

  test('a missing file, a file that is not a session, and a session with a title', async () => {
    const fixture = createStoreFixture();
    await expect(fixture.store.read(join(fixture.directory, 'x'))).rejects.toMatchObject({ code: 'not_found' });
    await expect(fixture.store.read(fixture.write('text'))).rejects.toMatchObject({ code: 'refused' });
    const titled = fixture.write([{ type: 'session', version: 3, id: 'a', title: 'T', timestamp, cwd: '/' }]);
    expect(await fixture.store.read(titled)).toMatchObject({ name: 'T', leafId: null, entries: [] });
  });
});
