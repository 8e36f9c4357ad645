// HistoryFacet: branches, switches between sessions, damaged logs and exports.
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { copyPath } from '../../../src/core/session/copy-path.ts';
import type { AgentEvent } from '../../../src/protocol/index.ts';
import { createFaultyFiles } from '../../store/faulty-files.ts';
import { readLines } from '../../store/store-fixture.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';
import { assistant, createEntry, createPath, text, user } from '../entries.ts';
import { openSession } from './session-fixture.ts';

const header = { type: 'session', version: 3, id: 'test-session', timestamp: '2026-01-01T00:00:00.000Z', cwd: '/' };
const prompt = (value: string) => user([text(value)]);
const answers = Array.from({ length: 10 }, () => ({ text: 'ok' }));

function writeSessionFile(directory: string, entries: readonly unknown[]): string {
  mkdirSync(directory, { recursive: true });
  const path = join(directory, 'session.jsonl');
  writeFileSync(
    path,
    [header, ...entries].map((entry) => `${typeof entry === 'string' ? entry : JSON.stringify(entry)}\n`).join(''),
  );
  return path;
}

test('damage inside a message is reported once with its offset when the message is read, and the session continues', async () => {
  const directory = createTemporaryDirectory();
  const entries = createPath(prompt('one'), assistant('1'), prompt('two'), assistant('2')).map((entry) =>
    JSON.stringify(entry),
  );
  entries[1] = (entries[1] as string).replace('"content"', '"con"tent"');
  const session = writeSessionFile(directory, entries);
  const offset = readFileSync(session, 'latin1').indexOf(entries[1] as string);
  const fixture = await openSession({ directory, script: answers, session });
  const storageNotices = () => fixture.events.filter((event) => event.type === 'notice' && event.source === 'storage');
  expect([fixture.session.state().messageCount, storageNotices()]).toEqual([4, []]);
  expect(fixture.session.history.messages().map(({ role }) => role)).toEqual(['user', 'user', 'assistant']);
  await fixture.prompt('go on');
  expect(storageNotices()).toEqual([expect.objectContaining({ level: 'warning', source: 'storage', offset })]);
  expect(fixture.session.state().messageCount).toBe(5);
  await fixture.session.close();
});

test('copyPath does not reuse an id of the path', () => {
  const ids = ['e0', 'e1', 'new'];
  const options = { nextId: () => ids.shift() as string, timestamp: '' };
  const copy = copyPath(
    createPath(prompt('one'), assistant('1')),
    [{ type: 'label', targetId: 'e0', label: 'x' }],
    options,
  );
  expect(copy.map(({ id }) => id)).toEqual(['e0', 'e1', 'new']);
});

describe('a branch', () => {
  test('keeps the labels of its entries', async () => {
    const directory = createTemporaryDirectory();
    const session = writeSessionFile(directory, [
      ...createPath(prompt('one'), assistant('1'), prompt('two'), assistant('2')),
      createEntry({ type: 'label', targetId: 'e1', label: 'good' }, 'l0', 'e3'),
      createEntry({ type: 'label', targetId: 'e2', label: 'not on the path' }, 'l1', 'l0'),
    ]);
    const fixture = await openSession({ directory, script: answers, session });
    await fixture.session.history.branch('e2');
    const { tree } = await fixture.session.history.tree();
    expect(tree[0]?.children[0]).toMatchObject({ entry: { id: 'e1' }, label: 'good' });
    const file = fixture.session.file as string;
    expect(readLines(file).slice(-1)).toMatchObject([{ type: 'label', targetId: 'e1', label: 'good', parentId: 'e1' }]);
    expect(readLines(file)).toHaveLength(4);
    await fixture.session.close();
  });

  test('before the first entry starts with the model and the thinking level, like every new session', async () => {
    const directory = createTemporaryDirectory();
    const session = writeSessionFile(directory, createPath(prompt('one'), assistant('1')));
    const fixture = await openSession({ directory, script: answers, session });
    await fixture.session.history.branch('e0');
    await fixture.prompt('another');
    expect(readLines(fixture.session.file as string).slice(0, 3)).toMatchObject([
      { type: 'session', parentSession: session },
      { type: 'model_change', parentId: null },
      { type: 'thinking_level_change' },
    ]);
    await fixture.session.close();
  });

  test('that cannot be written leaves no files, and the session stays unchanged', async () => {
    const directory = createTemporaryDirectory();
    let isFull = false;
    const files = createFaultyFiles((_, name) => (isFull && name === 'append' ? 'torn' : undefined));
    const fixture = await openSession({ directory, files, script: answers });
    await fixture.prompt('one');
    await fixture.prompt('two');
    const [, second] = await fixture.session.history.branchPoints();
    const before = { file: fixture.session.file, names: readdirSync(join(directory, 'sessions')) };
    isFull = true;
    // The lock is written first, then the first block of the file.
    await expect(fixture.session.history.branch(second?.entryId ?? '')).rejects.toThrow(/ENOSPC/);
    expect({ file: fixture.session.file, names: readdirSync(join(directory, 'sessions')) }).toEqual(before);
    isFull = false;
    await expect(fixture.session.history.branch(second?.entryId ?? '')).resolves.toEqual({
      text: 'two',
      cancelled: false,
    });
    await fixture.session.close();
    expect(readdirSync(join(directory, 'sessions')).filter((name) => name.endsWith('.lock'))).toEqual([]);
    await files.closeLeakedFiles();
  });

  test('that fails after its lock was created removes the lock', async () => {
    const directory = createTemporaryDirectory();
    let isFailing = false;
    const files = createFaultyFiles((_, name) => (isFailing && name === 'sync create' ? 'fail' : undefined));
    const fixture = await openSession({ directory, files, script: answers });
    await fixture.prompt('one');
    const [first] = await fixture.session.history.branchPoints();
    const names = () => readdirSync(join(directory, 'sessions'));
    const before = names();
    isFailing = true;
    await expect(fixture.session.history.branch(first?.entryId ?? '')).rejects.toThrow(/ENOSPC/);
    expect(names()).toEqual(before);
    isFailing = false;
    await fixture.session.close();
    await files.closeLeakedFiles();
  });
});

describe('the open session', () => {
  test('is recognised through a symbolic link: a switch does nothing, and an export to its file is refused', async () => {
    const real = createTemporaryDirectory();
    const directory = join(createTemporaryDirectory(), 'link');
    symlinkSync(real, directory);
    const fixture = await openSession({ directory, script: answers });
    await fixture.prompt('one');
    const file = fixture.session.file as string;
    await expect(fixture.session.history.switchTo(file.replace(directory, real))).resolves.toEqual({
      cancelled: false,
    });
    await expect(fixture.session.history.switchTo(file)).resolves.toEqual({ cancelled: false });
    await expect(fixture.session.history.exportHtml(file.replace(directory, real))).rejects.toThrow(
      /file of this session/,
    );
    expect(fixture.session.file).toBe(file);
    expect(readFileSync(file, 'utf8')).toContain('"one"');
    await fixture.session.close();
  });
});

describe('a damaged session', () => {
  test('is reported once to every listener that subscribes before the next event', async () => {
    const directory = createTemporaryDirectory();
    const [first, second] = createPath(prompt('one'), assistant('1'));
    const session = writeSessionFile(directory, [first, '\0\0\0 not JSON', second]);
    const fixture = await openSession({ directory, script: answers, session });
    const events: AgentEvent[] = [];
    fixture.session.subscribe((event) => void events.push(event));
    await fixture.prompt('two');
    const notices = events.filter((event) => event.type === 'notice' && event.source === 'storage');
    expect(notices).toMatchObject([{ level: 'warning', source: 'storage', offset: expect.any(Number) }]);
    expect(events[0]).toBe(notices[0]);
    expect(fixture.events.filter((event) => event.type === 'notice' && event.source === 'storage')).toEqual(notices);
    const laterEvents: AgentEvent[] = [];
    fixture.session.subscribe((event) => void laterEvents.push(event));
    await fixture.prompt('three');
    expect(laterEvents.some((event) => event.type === 'notice')).toBe(false);
    await fixture.session.close();
  });

  test('can be branched with the messages before the damage', async () => {
    const directory = createTemporaryDirectory();
    const entries = createPath(prompt('one'), assistant('1'), prompt('two'), assistant('2'), prompt('three'));
    const session = writeSessionFile(
      directory,
      entries.map((entry) => (entry.id === 'e2' ? 'garbage' : entry)),
    );
    const fixture = await openSession({ directory, script: answers, session });
    const before = fixture.session.history.messages().length;
    await fixture.session.history.branch('e4');
    expect(fixture.session.history.messages()).toHaveLength(before - 1);
    await fixture.session.close();
  });
});

describe('entries', () => {
  test('read while others are being written are complete and unique', async () => {
    const directory = createTemporaryDirectory();
    const fixture = await openSession({ directory, script: answers });
    const run = fixture.prompt('one');
    const reads = await Promise.all(Array.from({ length: 20 }, () => fixture.session.history.entries()));
    await run;
    for (const { entries } of reads) {
      expect(new Set(entries.map(({ id }) => id)).size).toBe(entries.length);
      expect(entries.map(({ type }) => type).slice(0, 2)).toEqual(['model_change', 'thinking_level_change']);
    }
    await fixture.session.close();
  });
});

describe('an export', () => {
  test('of one branch shows and counts only that branch', async () => {
    const directory = createTemporaryDirectory();
    const session = writeSessionFile(directory, [
      ...createPath(prompt('one'), assistant('1'), prompt('other branch'), assistant('2')),
      createEntry(prompt('current branch prompt'), 'x0', 'e1'),
    ]);
    const fixture = await openSession({ directory, script: answers, session });
    const exportPage = async (options: { branchOnly?: boolean }) =>
      readFileSync((await fixture.session.history.exportHtml(undefined, options)).path, 'utf8');
    const [full, branch] = [await exportPage({}), await exportPage({ branchOnly: true })];
    expect(full).toContain('other branch');
    expect(full).toContain('5 messages');
    expect(branch).not.toContain('other branch');
    expect(branch).toContain('current branch prompt');
    expect(branch).toContain('3 messages');
    await fixture.session.close();
  });

  test('without a path never overwrites a file', async () => {
    const directory = createTemporaryDirectory();
    const fixture = await openSession({ directory, script: answers });
    await fixture.prompt('one');
    const exports = [1, 2, 3].map(() => fixture.session.history.exportHtml());
    const paths = [];
    for (const result of exports) paths.push((await result).path);
    expect(new Set(paths).size).toBe(3);
    await fixture.session.close();
  });
});
