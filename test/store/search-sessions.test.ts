// The list of stored sessions in pages, and the search in their texts.
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createSystemPorts } from '../../src/app/system-ports/index.ts';
import type { SessionQuery } from '../../src/contracts/index.ts';
import { createSessionIndex } from '../../src/store/session-index.ts';
import { formatSessionFileName, getSessionDirectory } from '../../src/store/session-paths.ts';
import { createTextPattern } from '../../src/store/text-pattern.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import { currentProcess } from './store-fixture.ts';

interface SessionText {
  readonly cwd?: string;
  readonly lines?: readonly object[];
  /** Age in minutes. */
  readonly age: number;
  readonly raw?: string;
}

const message = (role: string, content: unknown) => ({ type: 'message', id: 'm', message: { role, content } });
const says = (text: string) => message('user', [{ type: 'text', text }]);

function open(sessions: Readonly<Record<string, SessionText>>, { onRead }: { onRead?(path: string): void } = {}) {
  const agentDirectory = createTemporaryDirectory();
  for (const [id, { cwd = '/srv/project', lines = [], age, raw }] of Object.entries(sessions)) {
    const directory = getSessionDirectory(agentDirectory, cwd);
    mkdirSync(directory, { recursive: true });
    const header = { type: 'session', version: 3, id, timestamp: '2026-01-02T03:04:05.000Z', cwd };
    const path = join(directory, `2026-01-02T03-04-05-000Z_${id}.jsonl`);
    writeFileSync(path, raw ?? [header, ...lines].map((line) => `${JSON.stringify(line)}\n`).join(''));
    const seconds = 1_760_000_000 - age * 60;
    utimesSync(path, seconds, seconds);
  }
  const system = createSystemPorts({});
  const files: typeof system.files = {
    ...system.files,
    open(path, mode, options) {
      onRead?.(path);
      return system.files.open(path, mode, options);
    },
  };
  let now = 0;
  const clock = { ...system.clock, now: () => now };
  const identity = { self: currentProcess, isAlive: async () => false };
  const index = createSessionIndex({ ports: { files, clock }, identity, agentDirectory });
  const search = async (query: Partial<SessionQuery>) => {
    const page = await index.search({ limit: 100, ...query });
    return { ...page, ids: page.sessions.map(({ id }) => id) };
  };
  /** Stores a session in the file that a new session with this id has. */
  const add = (id: string, startedMs: number) => {
    const cwd = '/srv/project';
    const directory = getSessionDirectory(agentDirectory, cwd);
    mkdirSync(directory, { recursive: true });
    const path = join(directory, formatSessionFileName(startedMs, id));
    writeFileSync(path, `${JSON.stringify({ type: 'session', version: 3, id, timestamp: '', cwd })}\n`);
    return path;
  };
  return {
    ...{ index, search, agentDirectory, add },
    advance(ms: number) {
      now += ms;
    },
  };
}

describe('pages', () => {
  const many = Object.fromEntries(
    Array.from({ length: 50 }, (_, at) => [`s${at}`, { age: at, lines: [says(`n ${at}`)] }]),
  );

  test('contain every session once, newest first', async () => {
    const { search } = open(many);
    const ids: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await search({ limit: 7, cursor });
      ids.push(...page.ids);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(ids).toEqual(Object.keys(many));
  });

  test('the last page has no cursor, also if it is full', async () => {
    const { search } = open({ a: { age: 1 }, b: { age: 2 } });
    const full = await search({ limit: 2 });
    expect(full.ids).toEqual(['a', 'b']);
    expect(full.nextCursor).toBeUndefined();
    expect(await search({ limit: 1 })).toMatchObject({ ids: ['a'], nextCursor: expect.any(String) });
  });

  test('a page reads only the sessions that it shows', async () => {
    const opened: string[] = [];
    const { search } = open(many, { onRead: (path) => opened.push(path) });
    await search({ limit: 5 });
    expect(opened.length).toBeLessThan(25);
  });

  test('files that are no sessions are left out, and a directory has only its own sessions', async () => {
    const { search } = open({ a: { age: 1 }, b: { age: 2, raw: 'not a session\n' }, c: { age: 3, cwd: '/srv/other' } });
    expect((await search({})).ids).toEqual(['a', 'c']);
    expect((await search({ cwd: '/srv/project' })).ids).toEqual(['a']);
  });
});

describe('a search', () => {
  test('finds texts of the user and the model, not outputs of tools, images or field names', async () => {
    const { search } = open({
      user: { age: 1, lines: [message('user', 'A plain NEEDLE')] },
      model: {
        age: 2,
        lines: [
          message('assistant', [
            { type: 'thinking', thinking: 'x' },
            { type: 'text', text: 'needle' },
          ]),
        ],
      },
      tool: { age: 3, lines: [message('toolResult', [{ type: 'text', text: 'needle' }])] },
      image: { age: 4, lines: [message('user', [{ type: 'image', data: 'needle', mimeType: 'image/png' }])] },
      custom: { age: 5, lines: [{ type: 'custom', customType: 'x', data: 'needle' }] },
    });
    const { sessions } = await search({ query: 'needle' });
    expect(sessions.map(({ id, match }) => [id, match])).toEqual([
      ['user', 'A plain NEEDLE'],
      ['model', 'needle'],
    ]);
    expect((await search({ query: 'mimeType' })).ids).toEqual([]);
  });

  test('finds names, ids, and paths; a name that was replaced does not count', async () => {
    const named = (name: string) => ({ type: 'session_info', id: 'i', name });
    const { search, agentDirectory } = open({
      abc: { age: 1, lines: [named('Old title'), named('New title')] },
      abd: { age: 2, cwd: '/srv/deep/folder' },
    });
    expect((await search({ query: 'new TITLE' })).ids).toEqual(['abc']);
    expect((await search({ query: 'old title' })).ids).toEqual([]);
    expect((await search({ query: 'AB' })).ids).toEqual(['abc', 'abd']);
    expect((await search({ query: 'abd' })).ids).toEqual(['abd']);
    expect((await search({ query: '/srv/deep/folder' })).ids).toEqual(['abd']);
    expect((await search({ query: `${agentDirectory}/sessions/--srv-deep` })).ids).toEqual(['abd']);
  });

  test('shows a short excerpt around the first place', async () => {
    const { search } = open({
      a: { age: 1, lines: [says(`${'before '.repeat(50)}\n needle \n${'after '.repeat(50)}`)] },
    });
    const [session] = (await search({ query: 'Needle' })).sessions;
    expect(session?.match).toMatch(/^….*before needle after.*…$/);
    expect(session?.match?.length).toBeLessThan(140);
  });

  test('returns early with a cursor when it takes long, and continues there', async () => {
    const sessions = Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => [`s${at}`, { age: at, lines: [says(at % 20 === 19 ? 'needle' : 'hay')] }]),
    );
    const fixture = open(sessions, { onRead: () => fixture.advance(200) });
    const first = await fixture.search({ query: 'needle' });
    expect(first.ids).toEqual([]);
    const ids: string[] = [];
    for (let cursor = first.nextCursor; cursor !== undefined; ) {
      const page = await fixture.search({ query: 'needle', cursor });
      ids.push(...page.ids);
      cursor = page.nextCursor;
    }
    expect(ids).toEqual(['s19', 's39']);
  });
});

test('a line that contains the text is never skipped', () => {
  const word = fc.stringMatching(/^[a-zA-Z0-9äÖßéΣ中"\\/<>.*()[\]-]{1,6}$/);
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme' }),
      fc.array(word, { minLength: 1, maxLength: 3 }),
      fc.string(),
      (before, words, after) => {
        const pattern = createTextPattern(words.join(' '));
        const changedCase = words.map((text) => (before.length % 2 === 0 ? text.toUpperCase() : text));
        const text = `${before}${changedCase.join('\n')}${after}`;
        if (pattern.findExcerpt(text) === undefined) return;
        const line = Buffer.from(JSON.stringify(says(text))).toString('latin1');
        expect(pattern.mayMatchLine(line)).toBe(true);
      },
    ),
  );
  expect(createTextPattern('straße').findExcerpt('Die STRASSE')).toBeUndefined();
  expect(createTextPattern('a.b').findExcerpt('axb')).toBeUndefined();
});

describe('finding one session', () => {
  test('by its path, its id or the beginning of its id, also if the file has another name', async () => {
    const header = { type: 'session', version: 3, id: 'inner-id', timestamp: '', cwd: '/x' };
    const { index } = open({
      abc: { age: 1 },
      abcd: { age: 2 },
      other: { age: 3, raw: `${JSON.stringify(header)}\n` },
    });
    expect(await index.locate('abc')).toMatchObject({ id: 'abc' });
    expect(await index.locate('abcd')).toMatchObject({ id: 'abcd' });
    expect(await index.locate('inner')).toMatchObject({ id: 'inner-id' });
    const { path } = await index.locate('abcd');
    expect(await index.locate(path)).toMatchObject({ id: 'abcd' });
    await expect(index.locate('ab')).rejects.toThrow('2 sessions begin with ab');
    await expect(index.locate('zz')).rejects.toThrow('Session not found: zz');
    await expect(index.locate('')).rejects.toThrow('Session not found');
    await expect(index.locate('/etc/hostname')).rejects.toThrow('Session not found');
  });

  test('by its whole id, whatever ids the other sessions have', async () => {
    const { index, add } = open({});
    const long = 'x'.repeat(500);
    const ids = [
      'chat-1',
      'chat-10',
      'a/b',
      'a-b',
      '../x',
      '会话',
      '記録',
      '-',
      '--',
      long,
      `${long}y`,
      '記'.repeat(300),
    ];
    const paths = new Map(ids.map((id, at) => [id, add(id, at)]));
    for (const id of ids) {
      expect(await index.find(id)).toBe(paths.get(id));
      expect(await index.locate(id)).toMatchObject({ id });
    }
    for (const id of ['chat', 'a', 'a_b', '', '/etc/hostname', 'package.json'])
      expect(await index.find(id)).toBeUndefined();
  });
});

test('10,000 sessions are listed and searched quickly', async () => {
  const sessions = Object.fromEntries(
    Array.from({ length: 10_000 }, (_, at) => [
      `s${at}`,
      { age: at, lines: [says(`message ${at} ${'x'.repeat(500)}`)] },
    ]),
  );
  const opened: string[] = [];
  const { search } = open(sessions, { onRead: (path) => opened.push(path) });
  // Not wall time, which depends on the other programs of the machine.
  const started = process.cpuUsage();
  const measureMs = () => {
    const { user, system } = process.cpuUsage(started);
    return (user + system) / 1000;
  };
  expect((await search({ limit: 100 })).ids).toHaveLength(100);
  const listedMs = measureMs();
  expect(opened.length).toBeLessThan(200);
  opened.length = 0;
  expect((await search({ query: 'message 9876' })).ids).toEqual(['s9876']);
  expect(opened.length).toBeLessThan(10_200);
  // About 0.3 s and 1.5 s.
  expect(listedMs).toBeLessThan(5000);
  expect(measureMs()).toBeLessThan(20_000);
});
