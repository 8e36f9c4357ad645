// Tests of sessions in an empty file that the user chose.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createFiles } from '../../src/app/system-ports/files.ts';
import type { Files } from '../../src/contracts/ports.ts';
import { header } from './contract.ts';
import { createStoreFixture } from './store-fixture.ts';

test('an empty file that cannot be opened is refused before anything is written', async () => {
  const files: Files = {
    ...createFiles(),
    open: (path) => Promise.reject(Object.assign(new Error(`EACCES: permission denied, open '${path}'`))),
  };
  const { store, write } = createStoreFixture(files);
  const path = write('', 'e.jsonl');
  await expect(store.findEmptyFile?.(path)).rejects.toMatchObject({
    code: 'storage',
    message: `Cannot open session file ${path}: EACCES: permission denied, open '${path}'`,
  });
});

test.each([
  ['a file with content', 'x.jsonl', 'x'],
  ['a name without a path', 'abc', undefined],
])('no session starts in %s', async (_, name, content) => {
  const { store, write, directory } = createStoreFixture();
  if (content) write(content, name);
  expect(await store.findEmptyFile?.(content ? join(directory, name) : name)).toBeUndefined();
});

test('an existing empty file is kept when the first entries cannot be written', async () => {
  const files = createFiles();
  const { store, write } = createStoreFixture({
    ...files,
    async open(path, purpose, options) {
      const file = await files.open(path, purpose, options);
      return path.endsWith('.lock') ? file : { ...file, append: () => Promise.reject(new Error('full')) };
    },
  });
  const path = write('', 'e.jsonl');
  const log = store.create(header, path);
  const entry = { type: 'custom' as const, id: 'a', parentId: null, timestamp: '', customType: 'x' };
  await expect(log.append([entry])).rejects.toThrow('full');
  await log.close();
  expect(readFileSync(path, 'utf8')).toBe('');
});

test('a file that another program has written to is not changed', async () => {
  const { store, write } = createStoreFixture();
  const path = write('', 'e.jsonl');
  const log = store.create(header, path);
  writeFileSync(path, 'something\n');
  const entry = { type: 'custom' as const, id: 'a', parentId: null, timestamp: '', customType: 'x' };
  await expect(log.append([entry])).rejects.toThrow('is no longer empty');
  await log.close();
  expect(readFileSync(path, 'utf8')).toBe('something\n');
});
