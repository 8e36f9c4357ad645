// The write tool writes one file in place and touches nothing else.
import { execFileSync } from 'node:child_process';
import { chmodSync, lstatSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { write } from '../../src/tools/write.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { ports, refusal, surroundings, textOf } from './surroundings.ts';

test('a new file, in folders that did not exist', async () => {
  const here = surroundings();
  expect(await write.run({ path: 'a/b/c.txt', content: 'hello\n' }, here)).toEqual({
    content: [{ type: 'text', text: 'Successfully wrote 6 bytes to a/b/c.txt' }],
  });
  expect(here.text('a/b/c.txt')).toBe('hello\n');
});

test('bytes are counted as bytes', async () => {
  const here = surroundings();
  expect(textOf(await write.run({ path: 'a', content: 'é€😀' }, here))).toBe('Successfully wrote 9 bytes to a');
  expect(statSync(here.path('a')).size).toBe(9);
});

test('overwriting keeps the inode and its mode, and leaves nothing of a longer content', async () => {
  const here = surroundings();
  here.put({ 'run.sh': 'a much longer script' });
  chmodSync(here.path('run.sh'), 0o750);
  const { ino } = statSync(here.path('run.sh'));
  await write.run({ path: 'run.sh', content: 'short' }, here);
  const after = statSync(here.path('run.sh'));
  expect([after.ino, after.mode & 0o777, here.text('run.sh')]).toEqual([ino, 0o750, 'short']);
});

test('through a link, its target is written and the link stays; also when there is no target yet', async () => {
  const here = surroundings();
  const outside = temporaryDirectory();
  symlinkSync(join(outside, 'new/target.txt'), here.path('link'));
  await write.run({ path: 'link', content: 'first' }, here);
  await write.run({ path: 'link', content: 'second' }, here);
  expect(lstatSync(here.path('link')).isSymbolicLink()).toBe(true);
  expect(readFileSync(join(outside, 'new/target.txt'), 'utf8')).toBe('second');
});

test.each([
  ['a folder', 'folder', 'Cannot write folder: it is a directory'],
  ['a FIFO', 'pipe', 'Cannot write pipe: it is a FIFO'],
  ['a device', '/dev/full', 'Cannot write /dev/full: it is a device'],
])('%s is refused', async (_, path, message) => {
  const here = surroundings();
  here.put({ 'folder/x': '' });
  execFileSync('mkfifo', [here.path('pipe')]);
  expect((await refusal(write, { path, content: 'x' }, here)).message).toBe(message);
});

test('what the system refuses is named', async () => {
  const here = surroundings();
  here.put({ file: '' });
  expect((await refusal(write, { path: 'file/below', content: 'x' }, here)).message).toMatch(
    /^Cannot write file\/below: (ENOTDIR|EEXIST)/,
  );
});

test('an aborted call writes nothing', async () => {
  const here = surroundings();
  here.abort();
  expect((await refusal(write, { path: 'a', content: 'x' }, here)).message).toBe('Operation aborted');
  expect(await ports.files.info(here.path('a'))).toBeUndefined();
});

test('two writes to one file, one of them through a link, happen one after the other', async () => {
  const here = surroundings();
  here.put({ target: '' });
  symlinkSync('target', here.path('link'));
  const log: string[] = [];
  const files = {
    ...ports.files,
    async write(path: string, bytes: Uint8Array) {
      log.push(`begin ${bytes.length}`);
      await ports.files.write(path, bytes);
      log.push(`end ${bytes.length}`);
    },
  };
  const slow = { ...here, ports: { ...ports, toolEnv: {}, files } };
  await Promise.all([
    write.run({ path: 'target', content: 'x'.repeat(3_000_000) }, slow),
    write.run({ path: 'link', content: 'y' }, slow),
  ]);
  expect(log).toEqual(['begin 3000000', 'end 3000000', 'begin 1', 'end 1']);
  expect(here.text('target')).toBe('y');
});
