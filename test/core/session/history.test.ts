// Leaving one conversation for another: what a branch begins with, what a failure leaves behind, what the host is told.
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { copyOf } from '../../../src/core/session/copy.ts';
import type { AgentEvent } from '../../../src/protocol/index.ts';
import { faultyFiles } from '../../store/faulty-files.ts';
import { linesIn } from '../../store/place.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { assistant, line, placed, text, user } from '../entries.ts';
import { setStage } from './stage.ts';

const header = { type: 'session', version: 3, id: 'made-by-hand', timestamp: '2026-01-01T00:00:00.000Z', cwd: '/' };
const prompt = (words: string) => user([text(words)]);
const answers = Array.from({ length: 10 }, () => ({ text: 'ok' }));

function sessionFile(directory: string, entries: readonly unknown[]): string {
  mkdirSync(directory, { recursive: true });
  const path = join(directory, 'session.jsonl');
  writeFileSync(
    path,
    [header, ...entries].map((entry) => `${typeof entry === 'string' ? entry : JSON.stringify(entry)}\n`).join(''),
  );
  return path;
}

test('damage inside a message is found when it is read, told once with its place, and the rest goes on', async () => {
  const directory = temporaryDirectory();
  const entries = line(prompt('one'), assistant('1'), prompt('two'), assistant('2')).map((entry) =>
    JSON.stringify(entry),
  );
  entries[1] = (entries[1] as string).replace('"content"', '"con"tent"');
  const session = sessionFile(directory, entries);
  const offset = readFileSync(session, 'latin1').indexOf(entries[1] as string);
  const stage = await setStage({ directory, script: answers, session });
  const told = () => stage.events.filter((event) => event.type === 'notice' && event.source === 'storage');
  expect([stage.session.state().messageCount, told()]).toEqual([4, []]);
  expect(stage.session.history.messages().map(({ role }) => role)).toEqual(['user', 'user', 'assistant']);
  await stage.prompt('go on');
  expect(told()).toEqual([expect.objectContaining({ level: 'warning', source: 'storage', offset })]);
  expect(stage.session.state().messageCount).toBe(5);
  await stage.session.close();
});

test('a branch gives its own entries no id that is taken', () => {
  const ids = ['e0', 'e1', 'new'];
  const places = { id: () => ids.shift() as string, timestamp: '' };
  const copy = copyOf(line(prompt('one'), assistant('1')), [{ type: 'label', targetId: 'e0', label: 'x' }], places);
  expect(copy.map(({ id }) => id)).toEqual(['e0', 'e1', 'new']);
});

describe('a branch', () => {
  test('takes along the names that were given to its entries', async () => {
    const directory = temporaryDirectory();
    const session = sessionFile(directory, [
      ...line(prompt('one'), assistant('1'), prompt('two'), assistant('2')),
      placed({ type: 'label', targetId: 'e1', label: 'good' }, 'l0', 'e3'),
      placed({ type: 'label', targetId: 'e2', label: 'not on the line' }, 'l1', 'l0'),
    ]);
    const stage = await setStage({ directory, script: answers, session });
    await stage.session.history.branch('e2');
    const { tree } = await stage.session.history.tree();
    expect(tree[0]?.children[0]).toMatchObject({ entry: { id: 'e1' }, label: 'good' });
    const file = stage.session.file as string;
    expect(linesIn(file).slice(-1)).toMatchObject([{ type: 'label', targetId: 'e1', label: 'good', parentId: 'e1' }]);
    expect(linesIn(file)).toHaveLength(4);
    await stage.session.close();
  });

  test('before the very first entry says how it began, as every new session does', async () => {
    const directory = temporaryDirectory();
    const session = sessionFile(directory, line(prompt('one'), assistant('1')));
    const stage = await setStage({ directory, script: answers, session });
    await stage.session.history.branch('e0');
    await stage.prompt('another');
    expect(linesIn(stage.session.file as string).slice(0, 3)).toMatchObject([
      { type: 'session', parentSession: session },
      { type: 'model_change', parentId: null },
      { type: 'thinking_level_change' },
    ]);
    await stage.session.close();
  });

  test('that the disk refuses leaves nothing behind, and the session where it was', async () => {
    const directory = temporaryDirectory();
    let full = false;
    const files = faultyFiles((_, name) => (full && name === 'append' ? 'torn' : undefined));
    const stage = await setStage({ directory, files, script: answers });
    await stage.prompt('one');
    await stage.prompt('two');
    const [, second] = await stage.session.history.branchPoints();
    const before = { file: stage.session.file, names: readdirSync(join(directory, 'sessions')) };
    full = true;
    // The lock is the first thing that is written; later the first block of the file.
    await expect(stage.session.history.branch(second?.entryId ?? '')).rejects.toThrow(/ENOSPC/);
    expect({ file: stage.session.file, names: readdirSync(join(directory, 'sessions')) }).toEqual(before);
    full = false;
    await expect(stage.session.history.branch(second?.entryId ?? '')).resolves.toEqual({
      text: 'two',
      cancelled: false,
    });
    await stage.session.close();
    expect(readdirSync(join(directory, 'sessions')).filter((name) => name.endsWith('.lock'))).toEqual([]);
    await files.release();
  });

  test('that fails after its lock was taken gives the lock back', async () => {
    const directory = temporaryDirectory();
    const failing = { now: false };
    const files = faultyFiles((_, name) => (failing.now && name === 'sync create' ? 'fail' : undefined));
    const stage = await setStage({ directory, files, script: answers });
    await stage.prompt('one');
    const [first] = await stage.session.history.branchPoints();
    const names = () => readdirSync(join(directory, 'sessions'));
    const before = names();
    failing.now = true;
    await expect(stage.session.history.branch(first?.entryId ?? '')).rejects.toThrow(/ENOSPC/);
    expect(names()).toEqual(before);
    failing.now = false;
    await stage.session.close();
    await files.release();
  });
});

describe('the session that is open', () => {
  test('is recognised through a link: there is nothing to switch, and no page can take its place', async () => {
    const real = temporaryDirectory();
    const directory = join(temporaryDirectory(), 'link');
    symlinkSync(real, directory);
    const stage = await setStage({ directory, script: answers });
    await stage.prompt('one');
    const file = stage.session.file as string;
    await expect(stage.session.history.switchTo(file.replace(directory, real))).resolves.toEqual({ cancelled: false });
    await expect(stage.session.history.switchTo(file)).resolves.toEqual({ cancelled: false });
    await expect(stage.session.history.exportHtml(file.replace(directory, real))).rejects.toThrow(/session itself/);
    expect(stage.session.file).toBe(file);
    expect(readFileSync(file, 'utf8')).toContain('"one"');
    await stage.session.close();
  });
});

describe('a damaged session', () => {
  test('says so to everybody who begins to listen before anything else happens, and to nobody twice', async () => {
    const directory = temporaryDirectory();
    const [first, second] = line(prompt('one'), assistant('1'));
    const session = sessionFile(directory, [first, '\0\0\0 not JSON', second]);
    const stage = await setStage({ directory, script: answers, session });
    const heard: AgentEvent[] = [];
    stage.session.subscribe((event) => void heard.push(event));
    await stage.prompt('two');
    const notices = heard.filter((event) => event.type === 'notice' && event.source === 'storage');
    expect(notices).toMatchObject([{ level: 'warning', source: 'storage', offset: expect.any(Number) }]);
    expect(heard[0]).toBe(notices[0]);
    expect(stage.events.filter((event) => event.type === 'notice' && event.source === 'storage')).toEqual(notices);
    const late: AgentEvent[] = [];
    stage.session.subscribe((event) => void late.push(event));
    await stage.prompt('three');
    expect(late.some((event) => event.type === 'notice')).toBe(false);
    await stage.session.close();
  });

  test('can be branched with what was said before the damage', async () => {
    const directory = temporaryDirectory();
    const entries = line(prompt('one'), assistant('1'), prompt('two'), assistant('2'), prompt('three'));
    const session = sessionFile(
      directory,
      entries.map((entry) => (entry.id === 'e2' ? 'garbage' : entry)),
    );
    const stage = await setStage({ directory, script: answers, session });
    const before = stage.session.history.messages().length;
    await stage.session.history.branch('e4');
    expect(stage.session.history.messages()).toHaveLength(before - 1);
    await stage.session.close();
  });
});

describe('entries', () => {
  test('asked for while others are on their way are all there, once', async () => {
    const directory = temporaryDirectory();
    const stage = await setStage({ directory, script: answers });
    const run = stage.prompt('one');
    const asked = await Promise.all(Array.from({ length: 20 }, () => stage.session.history.entries()));
    await run;
    for (const { entries } of asked) {
      expect(new Set(entries.map(({ id }) => id)).size).toBe(entries.length);
      expect(entries.map(({ type }) => type).slice(0, 2)).toEqual(['model_change', 'thinking_level_change']);
    }
    await stage.session.close();
  });
});

describe('a page', () => {
  test('of one branch shows and counts that branch only', async () => {
    const directory = temporaryDirectory();
    const session = sessionFile(directory, [
      ...line(prompt('one'), assistant('1'), prompt('the other way'), assistant('2')),
      placed(prompt('this way'), 'x0', 'e1'),
    ]);
    const stage = await setStage({ directory, script: answers, session });
    const page = async (options: { branchOnly?: boolean }) =>
      readFileSync((await stage.session.history.exportHtml(undefined, options)).path, 'utf8');
    const [whole, branch] = [await page({}), await page({ branchOnly: true })];
    expect(whole).toContain('the other way');
    expect(whole).toContain('5 messages');
    expect(branch).not.toContain('the other way');
    expect(branch).toContain('this way');
    expect(branch).toContain('3 messages');
    await stage.session.close();
  });

  test('without a path never takes the place of a file', async () => {
    const directory = temporaryDirectory();
    const stage = await setStage({ directory, script: answers });
    await stage.prompt('one');
    const paths = [1, 2, 3].map(() => stage.session.history.exportHtml());
    const made = [];
    for (const path of paths) made.push((await path).path);
    expect(new Set(made).size).toBe(3);
    await stage.session.close();
  });
});
