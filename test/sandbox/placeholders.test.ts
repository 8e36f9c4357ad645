// Placeholders for missing protected names, used by several commands and processes at the same time.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { createClock } from '../../src/app/system-ports/clock.ts';
import { createFiles } from '../../src/app/system-ports/files.ts';
import { markedDirectories } from '../../src/app/system-ports/marked-directories.ts';
import type { Clock } from '../../src/contracts/index.ts';
import type { PlaceholderFile } from '../../src/sandbox/placeholders.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import { waitUntil } from '../support/wait-until.ts';

/** Own state, as in another process. */
async function startProcess(pid: number, living: ReadonlySet<number>, clock: Clock = createClock()) {
  vi.resetModules();
  const { holdPlaceholders, isPlaceholder, isPlaceholderFile, removeUnusedPlaceholders } = await import(
    '../../src/sandbox/placeholders.ts'
  );
  const files = createFiles();
  const processIdentity = {
    self: { pid, startTime: 7, host: 'h' },
    isAlive: async (other: number) => living.has(other),
  };
  return {
    async hold(...placeholders: { path: string; files?: PlaceholderFile[] }[]) {
      const release = await holdPlaceholders(
        { files, processIdentity, markedDirectories, clock },
        placeholders.map(({ path, files: more = [] }) => ({ path, files: more })),
      );
      return async () => {
        release();
        await removeUnusedPlaceholders();
      };
    },
    holdPlaceholders: (path: string) =>
      holdPlaceholders({ files, processIdentity, markedDirectories, clock }, [{ path, files: [] }]),
    isPlaceholder: (path: string) => isPlaceholder(files, path),
    isPlaceholderFile: (file: PlaceholderFile) => isPlaceholderFile(files, file),
  };
}

test('two commands of a process: it is removed after the last one', async () => {
  const path = join(createTemporaryDirectory(), '.claude');
  const { hold } = await startProcess(1, new Set([1]));
  const [first, second] = await Promise.all([hold({ path }), hold({ path })]);
  await first();
  expect(existsSync(path)).toBe(true);
  await second();
  expect(existsSync(path)).toBe(false);
});

test('two processes: it is removed after the last one, and can be recognised meanwhile', async () => {
  const path = join(createTemporaryDirectory(), '.claude');
  const living = new Set([1, 2]);
  const [one, two] = [await startProcess(1, living), await startProcess(2, living)];
  const releases = [await one.hold({ path }), await two.hold({ path })];
  expect(readdirSync(path)).toHaveLength(2);
  expect(await two.isPlaceholder(path)).toBe(true);
  await releases[0]?.();
  expect(readdirSync(path)).toHaveLength(1);
  await releases[1]?.();
  expect(existsSync(path)).toBe(false);
});

test('what a killed process left behind is removed with the next command', async () => {
  const path = join(createTemporaryDirectory(), '.claude');
  await (await startProcess(1, new Set([1]))).hold({ path });
  const release = await (await startProcess(2, new Set([2]))).hold({ path });
  await release();
  expect(existsSync(path)).toBe(false);
});

test('files and directories of the user are kept', async () => {
  const directory = createTemporaryDirectory();
  const [path, file] = [join(directory, '.claude'), join(directory, 'config')];
  const { hold, isPlaceholder } = await startProcess(1, new Set([1]));
  const release = await hold({ path }, { path: join(directory, 'm'), files: [{ path: file, content: '' }] });
  writeFileSync(join(path, 'settings.json'), '{}');
  writeFileSync(file, '[core]\n');
  await release();
  expect(readdirSync(path)).toEqual(['settings.json']);
  expect(readFileSync(file, 'utf8')).toBe('[core]\n');
  const own = join(directory, 'own');
  mkdirSync(own);
  expect(await isPlaceholder(own)).toBe(false);
});

test('a directory of the user that replaced the placeholder is kept, even if it is empty', async () => {
  const path = join(createTemporaryDirectory(), '.claude');
  const { hold } = await startProcess(1, new Set([1]));
  const release = await hold({ path });
  expect(statSync(path).mode & 0o1000).toBe(0o1000);
  chmodSync(path, 0o755);
  await release();
  expect(existsSync(path)).toBe(true);
});

test('if one cannot be created, the others are removed again', async () => {
  const directory = createTemporaryDirectory();
  writeFileSync(join(directory, 'file'), '');
  const { hold } = await startProcess(1, new Set([1]));
  await expect(hold({ path: join(directory, '.pi') }, { path: join(directory, 'file/x') })).rejects.toThrow();
  expect(readdirSync(directory)).toEqual(['file']);
});

/** As for a git directory. */
function createFilePlaceholder() {
  const directory = createTemporaryDirectory();
  const file = { path: join(directory, 'commondir'), content: '.\n' };
  return { directory, file, placeholder: { path: join(directory, 'parley-sandbox'), files: [file] } };
}

test('a file is removed with the directory that has the marks, after the last process', async () => {
  const { directory, file, placeholder } = createFilePlaceholder();
  const living = new Set([1, 2]);
  const [one, two] = [await startProcess(1, living), await startProcess(2, living)];
  const releaseOne = await one.hold(placeholder);
  expect(readFileSync(file.path, 'utf8')).toBe('.\n');
  expect(await two.isPlaceholderFile(file)).toBe(true);
  const releaseTwo = await two.hold(placeholder);
  await releaseOne();
  expect(readdirSync(directory).sort()).toEqual(['commondir', 'parley-sandbox']);
  await releaseTwo();
  expect(readdirSync(directory)).toEqual([]);
});

test('a file that a killed process left behind is removed with the next command', async () => {
  const { directory, placeholder } = createFilePlaceholder();
  await (await startProcess(1, new Set([1]))).hold(placeholder);
  await (await (await startProcess(2, new Set([2]))).hold(placeholder))();
  expect(readdirSync(directory)).toEqual([]);
});

test('a file of the user with the same content is kept', async () => {
  const { directory, file, placeholder } = createFilePlaceholder();
  writeFileSync(file.path, file.content);
  const { hold, isPlaceholderFile } = await startProcess(1, new Set([1]));
  expect(await isPlaceholderFile(file)).toBe(false);
  await (await hold(placeholder))();
  expect(readdirSync(directory)).toEqual(['commondir']);
});

test('the lock of a killed process is taken over', async () => {
  const { directory, placeholder } = createFilePlaceholder();
  const lock = join(placeholder.path, 'lock');
  mkdirSync(placeholder.path);
  writeFileSync(lock, '');
  chmodSync(placeholder.path, 0o1755);
  utimesSync(lock, 1, 1);
  await (await (await startProcess(1, new Set([1]))).hold(placeholder))();
  expect(readdirSync(directory)).toEqual([]);
});

test('a link that was created in the place of the directory is refused', async () => {
  const directory = createTemporaryDirectory();
  const path = join(directory, '.claude');
  symlinkSync(createTemporaryDirectory(), path);
  await expect((await startProcess(1, new Set([1]))).hold({ path })).rejects.toThrow('EEXIST');
});

test('they are kept for a second, because the next command needs them again', async () => {
  const path = join(createTemporaryDirectory(), '.claude');
  const timers: { ms: number; act: () => void; isCancelled: boolean }[] = [];
  const after: Clock['after'] = (ms, act) => {
    const timer = { ms, act, isCancelled: false };
    timers.push(timer);
    return () => {
      timer.isCancelled = true;
    };
  };
  const { holdPlaceholders } = await startProcess(1, new Set([1]), { ...createClock(), after });
  (await holdPlaceholders(path))();
  const inode = statSync(path).ino;
  const releaseSecond = await holdPlaceholders(path);
  expect(timers.map(({ ms }) => ms)).toEqual([1000]);
  timers[0]?.act();
  await new Promise(setImmediate);
  expect(statSync(path).ino).toBe(inode);
  releaseSecond();
  timers[1]?.act();
  await waitUntil(() => !existsSync(path));
});
