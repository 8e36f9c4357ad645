// A session that begins in a file of the user's choice.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createFiles } from '../../src/app/system-ports/files.ts';
import type { Files } from '../../src/contracts/ports.ts';
import { header } from './contract.ts';
import { place } from './place.ts';

test('an empty file that cannot be opened is refused before anything is written', async () => {
  const files: Files = {
    ...createFiles(),
    open: (path) => Promise.reject(Object.assign(new Error(`EACCES: permission denied, open '${path}'`))),
  };
  const { store, write } = place(files);
  const path = write('', 'e.jsonl');
  await expect(store.emptyFile?.(path)).rejects.toMatchObject({
    code: 'storage',
    message: `Cannot open session file ${path}: EACCES: permission denied, open '${path}'`,
  });
});

test.each([
  ['a file with content', 'x.jsonl', 'x'],
  ['a name without a path', 'abc', undefined],
])('no session begins in %s', async (_, name, content) => {
  const { store, write, directory } = place();
  if (content) write(content, name);
  expect(await store.emptyFile?.(content ? join(directory, name) : name)).toBeUndefined();
});

test('a file that was there stays when the first entries cannot be written', async () => {
  const files = createFiles();
  const { store, write } = place({
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

test('a file that another program has filled meanwhile is left alone', async () => {
  const { store, write } = place();
  const path = write('', 'e.jsonl');
  const log = store.create(header, path);
  writeFileSync(path, 'something\n');
  const entry = { type: 'custom' as const, id: 'a', parentId: null, timestamp: '', customType: 'x' };
  await expect(log.append([entry])).rejects.toThrow('was empty and is not any more');
  await log.close();
  expect(readFileSync(path, 'utf8')).toBe('something\n');
});
