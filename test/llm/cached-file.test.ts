import { expect, test } from 'vitest';
import type { FileInfo, Files } from '../../src/contracts/index.ts';
import { createCachedFile } from '../../src/llm/cached-file.ts';

const INFO = { kind: 'file', size: 2, modifiedMs: 1, mode: 0o600 } as FileInfo;

function createFiles(reads: (() => Promise<Uint8Array>)[]): Pick<Files, 'info' | 'read'> {
  return { info: async () => INFO, read: () => (reads.shift() as () => Promise<Uint8Array>)() };
}

const succeed = async () => Buffer.from('ok');

test('an unchanged file is read once', async () => {
  const file = createCachedFile(createFiles([succeed]), '/auth.json', async (text) => text);
  expect([await file.read(), await file.read()]).toEqual(['ok', 'ok']);
});

test('after a failed read the next reader tries again, although the file has not changed', async () => {
  const fail = () => Promise.reject(new Error('EMFILE: too many open files'));
  const file = createCachedFile(createFiles([fail, succeed]), '/auth.json', async (text) => text);
  await expect(file.read()).rejects.toThrow('EMFILE');
  expect(await file.read()).toBe('ok');
});
