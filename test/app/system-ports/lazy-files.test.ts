import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createFiles } from '../../../src/app/system-ports/files.ts';
import { createLazyFiles } from '../../../src/app/system-ports/lazy-files.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';

function createDirectories() {
  const root = createTemporaryDirectory();
  const [agentDirectory, other] = [join(root, 'own'), join(root, 'other')];
  for (const directory of [agentDirectory, other]) {
    mkdirSync(join(directory, 'folder'), { recursive: true });
    writeFileSync(join(directory, 'small.json'), '{"a":1}', { mode: 0o600 });
    writeFileSync(join(directory, 'big.bin'), Buffer.alloc(300 * 1024, 7));
    symlinkSync('small.json', join(directory, 'link'));
    symlinkSync('nowhere', join(directory, 'loose'));
  }
  return { agentDirectory, other, files: createLazyFiles(agentDirectory), asyncFiles: createFiles() };
}

const NAMES = ['small.json', 'big.bin', 'folder', 'link', 'loose', 'absent', 'small.json/beneath'];

test.each(NAMES)('info() and read() of %s give the same results synchronously and asynchronously', async (name) => {
  const { agentDirectory, other, files, asyncFiles } = createDirectories();
  for (const path of [join(agentDirectory, name), join(other, name)]) {
    for (const follow of [true, false]) {
      expect(await files.info(path, { follow })).toEqual(await asyncFiles.info(path, { follow }));
    }
    const [lazyResult, asyncResult] = await Promise.allSettled([files.read(path), asyncFiles.read(path)]);
    const toOutcome = (result: PromiseSettledResult<Uint8Array>) =>
      result.status === 'fulfilled' ? Buffer.from(result.value) : (result.reason as NodeJS.ErrnoException).code;
    expect(toOutcome(lazyResult)).toEqual(toOutcome(asyncResult));
    expect(toOutcome(lazyResult)).not.toBe(undefined);
  }
});

test('read() returns the requested range', async () => {
  const { agentDirectory, files } = createDirectories();
  expect(Buffer.from(await files.read(join(agentDirectory, 'small.json'), { start: 2, length: 3 })).toString()).toBe(
    'a":',
  );
});

test('reading a pipe in the user’s directory does not block the process', async () => {
  const { agentDirectory, files } = createDirectories();
  const pipe = join(agentDirectory, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const reading = files.read(pipe);
  // Reached only if the read did not block the thread.
  await writeFile(pipe, 'through');
  expect(Buffer.from(await reading).toString()).toBe('through');
});

test('all other operations are passed to the asynchronous files', async () => {
  const { agentDirectory, files, asyncFiles } = createDirectories();
  const path = join(agentDirectory, 'new', 'file');
  await files.makeDirectory(join(agentDirectory, 'new'));
  await files.write(path, Buffer.from('one'), { mode: 0o600 });
  await files.replace(path, Buffer.from('two'));
  const openFile = await files.open(path, 'append');
  await openFile.append(Buffer.from('!'));
  await openFile.close();
  await files.rename(path, `${path}2`);
  expect(await files.list(join(agentDirectory, 'new'))).toEqual([{ name: 'file2', kind: 'file' }]);
  expect(Buffer.from(await asyncFiles.read(`${path}2`)).toString()).toBe('two!');
  expect(await files.realPath(join(agentDirectory, 'link'))).toBe(
    await asyncFiles.realPath(join(agentDirectory, 'small.json')),
  );
  await files.remove(join(agentDirectory, 'new'), { recursive: true });
  expect(await files.info(join(agentDirectory, 'new'))).toBe(undefined);
});
