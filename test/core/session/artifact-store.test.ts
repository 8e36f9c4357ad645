// Artifact store: ids and paths of tool outputs, also after a failure.
import { expect, test } from 'vitest';
import type { Files } from '../../../src/contracts/index.ts';
import { createArtifactStore } from '../../../src/core/session/artifact-store.ts';

function createFiles(failures: number): Files {
  let remaining = failures;
  const files: Partial<Files> = {
    async makeDirectory() {
      if (remaining-- > 0) throw new Error('no space left on the disk');
    },
    list: async () => [{ name: '3.bash.log', kind: 'file' }],
  };
  return files as Files;
}

test('parallel calls get different numbers, after those of an earlier process', async () => {
  const store = createArtifactStore(createFiles(0), { path: '/sessions/a' });
  expect(await Promise.all([store.reserve('bash'), store.reserve('read')])).toEqual([
    { id: '4', path: '/sessions/a/4.bash.log' },
    { id: '5', path: '/sessions/a/5.read.log' },
  ]);
});

test('a directory that could not be created is tried again with the next output', async () => {
  const store = createArtifactStore(createFiles(1), { path: '/sessions/a' });
  await expect(store.reserve('bash')).rejects.toThrow('no space left');
  expect(await store.reserve('bash')).toEqual({ id: '4', path: '/sessions/a/4.bash.log' });
});

test('a directory that could not be listed is listed again with the next output', async () => {
  const files = createFiles(0);
  const { list } = files;
  files.list = () => Promise.reject(new Error('too many open files'));
  const store = createArtifactStore(files, { path: '/sessions/a' });
  const outcomes = await Promise.allSettled([store.reserve('bash'), store.reserve('read')]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  files.list = list;
  expect((await store.reserve('bash')).id).toBe('4');
});
