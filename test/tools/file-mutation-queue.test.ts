// Changes to one file are serialized and fail independently.
import { expect, test } from 'vitest';
import type { Files } from '../../src/contracts/index.ts';
import { withFileMutationQueue } from '../../src/tools/file-mutation-queue.ts';

const files = {} as Files;

test('a failed change does not affect the next one', async () => {
  const done: string[] = [];
  const first = withFileMutationQueue(files, '/a', async () => {
    done.push('first');
    throw new Error('disk full');
  });
  const second = withFileMutationQueue(files, '/a', async () => {
    done.push('second');
    return 2;
  });
  const third = withFileMutationQueue(files, '/a', async () => done.push('third'));
  await expect(first).rejects.toThrow('disk full');
  expect(await second).toBe(2);
  await third;
  expect(done).toEqual(['first', 'second', 'third']);
});

test('changes to the same path are serialized; other paths are independent', async () => {
  const done: string[] = [];
  let release = () => {};
  const first = withFileMutationQueue(files, '/a', async () => {
    await new Promise<void>((resolve) => {
      release = resolve;
    });
    done.push('first');
  });
  const second = withFileMutationQueue(files, '/a', async () => done.push('second'));
  await withFileMutationQueue(files, '/b', async () => done.push('other'));
  expect(done).toEqual(['other']);
  release();
  await Promise.all([first, second]);
  expect(done).toEqual(['other', 'first', 'second']);
});
