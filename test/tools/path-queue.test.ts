// Changes to one file: one after another, and each for itself.
import { expect, test } from 'vitest';
import type { Files } from '../../src/contracts/index.ts';
import { inTurn } from '../../src/tools/path-queue.ts';

const files = {} as Files;

test('a change that fails does not fail the next one', async () => {
  const done: string[] = [];
  const first = inTurn(files, '/a', async () => {
    done.push('first');
    throw new Error('no room');
  });
  const second = inTurn(files, '/a', async () => {
    done.push('second');
    return 2;
  });
  const third = inTurn(files, '/a', async () => done.push('third'));
  await expect(first).rejects.toThrow('no room');
  expect(await second).toBe(2);
  await third;
  expect(done).toEqual(['first', 'second', 'third']);
});

test('changes to one path wait for one another, those to another path do not', async () => {
  const done: string[] = [];
  let release = () => {};
  const first = inTurn(files, '/a', async () => {
    await new Promise<void>((resolve) => {
      release = resolve;
    });
    done.push('first');
  });
  const second = inTurn(files, '/a', async () => done.push('second'));
  await inTurn(files, '/b', async () => done.push('other'));
  expect(done).toEqual(['other']);
  release();
  await Promise.all([first, second]);
  expect(done).toEqual(['other', 'first', 'second']);
});
