import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createFiles } from '../../../src/app/system-ports/files.ts';
import { createLazyFiles } from '../../../src/app/system-ports/files-lazy.ts';
import { temporaryDirectory } from '../../support/temporary.ts';

function place() {
  const root = temporaryDirectory();
  const [own, other] = [join(root, 'own'), join(root, 'other')];
  for (const directory of [own, other]) {
    mkdirSync(join(directory, 'folder'), { recursive: true });
    writeFileSync(join(directory, 'small.json'), '{"a":1}', { mode: 0o600 });
    writeFileSync(join(directory, 'big.bin'), Buffer.alloc(300 * 1024, 7));
    symlinkSync('small.json', join(directory, 'link'));
    symlinkSync('nowhere', join(directory, 'loose'));
  }
  return { own, other, files: createLazyFiles(own), plain: createFiles() };
}

const NAMES = ['small.json', 'big.bin', 'folder', 'link', 'loose', 'absent', 'small.json/beneath'];

test.each(NAMES)('what is said of %s is the same, here and by way of another thread', async (name) => {
  const { own, other, files, plain } = place();
  for (const path of [join(own, name), join(other, name)]) {
    for (const follow of [true, false]) {
      expect(await files.info(path, { follow })).toEqual(await plain.info(path, { follow }));
    }
    const [mine, theirs] = await Promise.allSettled([files.read(path), plain.read(path)]);
    const outcome = (result: PromiseSettledResult<Uint8Array>) =>
      result.status === 'fulfilled' ? Buffer.from(result.value) : (result.reason as NodeJS.ErrnoException).code;
    expect(outcome(mine)).toEqual(outcome(theirs));
    expect(outcome(mine)).not.toBe(undefined);
  }
});

test('a part of a file is read as a part', async () => {
  const { own, files } = place();
  expect(Buffer.from(await files.read(join(own, 'small.json'), { start: 2, length: 3 })).toString()).toBe('a":');
});

test('a pipe in the own directory holds nothing up but its reader', async () => {
  const { own, files } = place();
  const pipe = join(own, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const reading = files.read(pipe);
  // Reached only when the reading did not block the thread.
  await writeFile(pipe, 'through');
  expect(Buffer.from(await reading).toString()).toBe('through');
});

test('everything else is done by the real files', async () => {
  const { own, files, plain } = place();
  const path = join(own, 'new', 'file');
  await files.makeDirectory(join(own, 'new'));
  await files.write(path, Buffer.from('one'), { mode: 0o600 });
  await files.replace(path, Buffer.from('two'));
  const held = await files.open(path, 'append');
  await held.append(Buffer.from('!'));
  await held.close();
  await files.rename(path, `${path}2`);
  expect(await files.list(join(own, 'new'))).toEqual([{ name: 'file2', kind: 'file' }]);
  expect(Buffer.from(await plain.read(`${path}2`)).toString()).toBe('two!');
  expect(await files.resolve(join(own, 'link'))).toBe(await plain.resolve(join(own, 'small.json')));
  await files.remove(join(own, 'new'), { recursive: true });
  expect(await files.info(join(own, 'new'))).toBe(undefined);
});
