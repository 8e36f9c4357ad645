// Sessions that other programs wrote: pi's three versions and oh-my-pi's spellings. Made by hand after their descriptions.
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../support/temporary.ts';
import { entry } from './contract.ts';
import { line, linesIn, place } from './place.ts';

const at = '2025-11-20T10:00:00.000Z';
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

const first = [
  { type: 'session', id: 'old-session', timestamp: at, cwd: '/work', provider: 'anthropic', modelId: 'claude' },
  { type: 'message', timestamp: at, message: user('one') },
  { type: 'message', timestamp: at, message: assistant('two') },
  { type: 'message', timestamp: at, message: user('three') },
  { type: 'compaction', timestamp: at, summary: 'one and two', firstKeptEntryIndex: 3, tokensBefore: 900 },
  {
    type: 'message',
    timestamp: at,
    message: { role: 'hookMessage', customType: 'x', content: 'hook', display: true, timestamp: 3 },
  },
  { type: 'thinking_level_change', timestamp: at, thinkingLevel: 'high' },
];

const second = [
  { type: 'session', version: 2, id: 'second-session', timestamp: at, cwd: '/work' },
  { type: 'message', id: 'aaaaaaaa', parentId: null, timestamp: at, message: user('one') },
  { type: 'message', id: 'bbbbbbbb', parentId: 'aaaaaaaa', timestamp: at, message: assistant('two') },
  {
    type: 'message',
    id: 'cccccccc',
    parentId: 'aaaaaaaa',
    timestamp: at,
    message: { role: 'hookMessage', customType: 'x', content: 'hook', display: false, timestamp: 3 },
  },
  { type: 'label', id: 'dddddddd', parentId: 'cccccccc', timestamp: at, targetId: 'aaaaaaaa', label: 'here' },
];

describe('version 1: a plain list', () => {
  test('becomes a line of entries, and the summary keeps what it kept', async () => {
    const here = place();
    const path = here.write(first);
    const { log, ...session } = await here.store.resume(path);
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
    expect(linesIn(path)).toHaveLength(8);
    expect(linesIn(path)[0]).toEqual({ ...first[0], version: 3 });
  });

  test('a summary without an index, or with one that leads nowhere, kept nothing', async () => {
    for (const firstKeptEntryIndex of [undefined, 0, 99, -1, 1.5]) {
      const here = place();
      const compaction = { type: 'compaction', timestamp: at, summary: 's', firstKeptEntryIndex, tokensBefore: 1 };
      const session = await here.store.resume(here.write([first[0], first[1], compaction, first[3]]));
      expect(session.path.map(({ id }) => id)).toEqual(['00000002', '00000003']);
      await session.log.close();
    }
  });

  test('what cannot be read is told and stays in the copy', async () => {
    const here = place();
    const text = `${line(first[0])}garbage\n${line(first[1])}${line(first[2]).slice(0, 30)}`;
    const path = here.write(text);
    const session = await here.store.resume(path);
    expect(session.damage.map(({ offset }) => offset).sort((a, b) => a - b)).toEqual([
      line(first[0]).length,
      text.length - 30,
    ]);
    expect(session.path).toHaveLength(1);
    await session.log.close();
    expect(readFileSync(`${path}.v1.bak`, 'utf8')).toBe(text);
    expect(linesIn(path)).toHaveLength(2);
  });
});

describe('version 2: another word', () => {
  test('becomes version 3; lines that need no change are the same bytes', async () => {
    const here = place();
    const path = here.write(second);
    const session = await here.store.resume(path);
    expect(session.path.map(({ id }) => id)).toEqual(['aaaaaaaa', 'cccccccc', 'dddddddd']);
    expect(session.path[1]).toMatchObject({ message: { role: 'custom', customType: 'x' } });
    expect(session.header.version).toBe(3);
    await session.log.close();
    const [oldLines, newLines] = [`${path}.v2.bak`, path].map((file) => readFileSync(file, 'utf8').split('\n'));
    expect(newLines).toHaveLength(oldLines!.length);
    expect(newLines!.flatMap((text, i) => (text === oldLines![i] ? [] : [i]))).toEqual([0, 3]);
  });

  test('a damaged line stays where it is', async () => {
    const here = place();
    const path = here.write(`${line(second[0])}${line(second[1])}"hookMessage" garbage\n${line(second[3])}`);
    const session = await here.store.resume(path);
    expect(session.path.map(({ id }) => id)).toEqual(['aaaaaaaa', 'cccccccc']);
    expect(session.damage).toHaveLength(1);
    await session.log.close();
    expect(readFileSync(path, 'utf8').split('\n')[2]).toBe('"hookMessage" garbage');
  });
});

describe('before a file is changed, a whole copy of it is beside it', () => {
  test('for its owner only, and never over an earlier one', async () => {
    const here = place();
    const path = here.write(first);
    const original = readFileSync(path, 'utf8');
    writeFileSync(`${path}.v1.bak`, 'somebody’s');
    await (await here.store.resume(path)).log.close();
    expect(readdirSync(here.directory).sort()).toEqual([
      'session.jsonl',
      'session.jsonl.v1.2.bak',
      'session.jsonl.v1.bak',
    ]);
    expect(readFileSync(`${path}.v1.bak`, 'utf8')).toBe('somebody’s');
    expect(readFileSync(`${path}.v1.2.bak`, 'utf8')).toBe(original);
    for (const file of [path, `${path}.v1.2.bak`]) expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('it is done once', async () => {
    const here = place();
    const path = here.write(second);
    await (await here.store.resume(path)).log.close();
    const migrated = readFileSync(path, 'utf8');
    await (await here.store.resume(path)).log.close();
    expect(readFileSync(path, 'utf8')).toBe(migrated);
    expect(readdirSync(here.directory)).toHaveLength(2);
  });

  test('what an earlier attempt left half done is in nobody’s way', async () => {
    const here = place();
    const path = here.write(second);
    for (const rest of ['migrating', 'copying']) writeFileSync(`${path}.${rest}`, 'half');
    await (await here.store.resume(path)).log.close();
    expect(readdirSync(here.directory).sort()).toEqual(['session.jsonl', 'session.jsonl.v2.bak']);
  });
});

describe('pi’s version 3', () => {
  test('opens as it is, with its fields kept, and is not rewritten', async () => {
    const here = place();
    const lines = [
      { type: 'session', version: 3, id: 'pi', timestamp: at, cwd: '/work', parentSession: '/older.jsonl' },
      { type: 'model_change', id: 'a0000000', parentId: null, timestamp: at, provider: 'anthropic', modelId: 'claude' },
      { type: 'thinking_level_change', id: 'a0000001', parentId: 'a0000000', timestamp: at, thinkingLevel: 'off' },
      { type: 'message', id: 'a0000002', parentId: 'a0000001', timestamp: at, message: user('one') },
      { type: 'message', id: 'a0000003', parentId: 'a0000002', timestamp: at, message: assistant('two') },
      {
        type: 'branch_summary',
        id: 'a0000004',
        parentId: 'a0000003',
        timestamp: at,
        fromId: 'root',
        summary: 's',
        fromHook: true,
      },
      { type: 'session_info', id: 'a0000005', parentId: 'a0000004', timestamp: at, name: 'pi’s' },
    ];
    const path = here.write(lines);
    const session = await here.store.resume(path);
    expect(session).toMatchObject({ header: lines[0], path: lines.slice(1), name: 'pi’s', leafId: 'a0000005' });
    await session.log.close();
    expect(readFileSync(path, 'utf8')).toBe(lines.map(line).join(''));
  });
});

describe('oh-my-pi', () => {
  const header = { type: 'session', version: 3, id: 'omp', title: 'Named above', timestamp: at, cwd: '/work' };
  const hash = 'ab'.repeat(32);
  const picture = (data: string) => ({ type: 'image', data, mimeType: 'image/png' });

  test('its models, kinds of entries and title', async () => {
    const here = place();
    const lines = [
      header,
      { type: 'model_change', id: '1', parentId: null, timestamp: at, model: 'openrouter/openai/gpt-5' },
      { type: 'model_change', id: '2', parentId: '1', timestamp: at, model: 'openai/small', role: 'smol' },
      { type: 'mode_change', id: '3', parentId: '2', timestamp: at, mode: 'plan', data: { planFile: '/p' } },
      { type: 'session_init', id: '4', parentId: '3', timestamp: at, systemPrompt: 's', task: 't', tools: [] },
      { type: 'ttsr_injection', id: '5', parentId: '4', timestamp: at, injectedRules: ['a'] },
      {
        type: 'compaction',
        id: '6',
        parentId: '5',
        timestamp: at,
        summary: 's',
        shortSummary: 'x',
        firstKeptEntryId: '1',
        tokensBefore: 4,
      },
    ];
    const session = await here.store.resume(here.write(lines));
    expect(session.name).toBe('Named above');
    expect(session.damage).toEqual([]);
    expect(session.path).toEqual([
      { ...lines[1], provider: 'openrouter', modelId: 'openai/gpt-5' },
      {
        type: 'custom',
        id: '2',
        parentId: '1',
        timestamp: at,
        customType: 'omp.model_change',
        data: { model: 'openai/small', role: 'smol' },
      },
      ...lines.slice(3),
    ]);
    await session.log.close();
  });

  test('its pictures, which lie beside the sessions; one that is gone leaves a word', async () => {
    const agent = temporaryDirectory();
    const here = place(undefined, join(agent, 'sessions/--work--'));
    mkdirSync(join(agent, 'blobs'));
    writeFileSync(join(agent, 'blobs', hash), 'pixels');
    const content = [picture(`blob:sha256:${hash}`), picture(`blob:sha256:${'cd'.repeat(32)}`), picture('aGk=')];
    const lines = [
      header,
      { type: 'message', id: '1', parentId: null, timestamp: at, message: { role: 'user', content, timestamp: 1 } },
      { type: 'custom_message', id: '2', parentId: '1', timestamp: at, customType: 'x', content: content.slice(0, 1) },
    ];
    const path = here.write(lines);
    const session = await here.store.resume(path);
    const restored = picture(Buffer.from('pixels').toString('base64'));
    const expected = [
      { message: { content: [restored, { type: 'text', text: '[image no longer available]' }, picture('aGk=')] } },
      { content: [restored] },
    ];
    expect(session.path).toMatchObject(expected);
    expect(await session.log.readAll()).toMatchObject(expected);
    await session.log.close();
    expect(readFileSync(path, 'utf8')).toBe(lines.map(line).join(''));
  });

  test('a mark that leads somewhere else is not followed', async () => {
    const here = place();
    const content = [picture('blob:sha256:../../secret')];
    const lines = [
      header,
      { type: 'message', id: '1', parentId: null, timestamp: at, message: { role: 'user', content, timestamp: 1 } },
    ];
    const session = await here.store.resume(here.write(lines));
    expect(session.path).toMatchObject([{ message: { content } }]);
    await session.log.close();
  });
});

describe('looking without touching', () => {
  test.each<[string, readonly unknown[], string[]]>([
    ['version 1', first, ['00000001', '00000002', '00000003', '00000004', '00000005', '00000006']],
    ['version 2', second, ['aaaaaaaa', 'bbbbbbbb', 'cccccccc', 'dddddddd']],
    ['version 3', [{ ...second[0], version: 3 }, ...second.slice(1)], ['aaaaaaaa', 'bbbbbbbb', 'cccccccc', 'dddddddd']],
  ])('%s, even while it is open elsewhere and damaged', async (_, lines, ids) => {
    const here = place();
    const path = here.write(`${line(lines[0])}garbage\n${lines.slice(1).map(line).join('')}{"type":"mess`);
    const before = readFileSync(path, 'utf8');
    writeFileSync(`${path}.lock`, JSON.stringify({ pid: 1, startTime: 1, host: 'there' }));
    const found = await here.store.read(path);
    expect(found.entries.map(({ id }) => id)).toEqual(ids);
    expect(found.leafId).toBe(ids.at(-1));
    expect(found.entries.some((of) => JSON.stringify(of).includes('hookMessage'))).toBe(false);
    expect(readFileSync(path, 'utf8')).toBe(before);
    expect(readdirSync(here.directory)).toEqual(['session.jsonl', 'session.jsonl.lock']);
  });

  test('what is not there, is no session or has a title', async () => {
    const here = place();
    await expect(here.store.read(join(here.directory, 'x'))).rejects.toMatchObject({ code: 'not_found' });
    await expect(here.store.read(here.write('text'))).rejects.toMatchObject({ code: 'refused' });
    const titled = here.write([{ type: 'session', version: 3, id: 'a', title: 'T', timestamp: at, cwd: '/' }]);
    expect(await here.store.read(titled)).toMatchObject({ name: 'T', leafId: null, entries: [] });
  });
});
