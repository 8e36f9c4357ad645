// Placeholders for missing protected names, used by several commands and processes at the same time.
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { createFiles } from '../../src/app/system-ports/files.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';

/** Own state, as in another process. */
async function startProcess(pid: number, living: ReadonlySet<number>) {
  vi.resetModules();
  const { holdPlaceholders, isPlaceholder } = await import('../../src/sandbox/placeholders.ts');
  const files = createFiles();
  const processIdentity = {
    self: { pid, startTime: 7, host: 'h' },
    isAlive: async (other: number) => living.has(other),
  };
  return {
    hold: (...placeholders: { path: string; content?: string }[]) =>
      holdPlaceholders({ files, processIdentity, removeEmptyDirectory: rmdir }, placeholders),
    isPlaceholder: (path: string) => isPlaceholder(files, { path }),
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
  const release = await hold({ path }, { path: file, content: '' });
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
