// The write tool writes a file in place.
import { execFileSync } from 'node:child_process';
import { chmodSync, lstatSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { write } from '../../src/tools/write.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import { createToolFixture, expectFault, getText, ports } from './tool-fixture.ts';

test('creates a new file and missing folders', async () => {
  const fixture = createToolFixture();
  expect(await write.run({ path: 'a/b/c.txt', content: 'hello\n' }, fixture)).toEqual({
    content: [{ type: 'text', text: 'Successfully wrote 6 bytes to a/b/c.txt' }],
  });
  expect(fixture.readText('a/b/c.txt')).toBe('hello\n');
});

test('reports the size in bytes', async () => {
  const fixture = createToolFixture();
  expect(getText(await write.run({ path: 'a', content: 'é€😀' }, fixture))).toBe('Successfully wrote 9 bytes to a');
  expect(statSync(fixture.path('a')).size).toBe(9);
});

test('overwriting preserves inode and mode and truncates the file', async () => {
  const fixture = createToolFixture();
  fixture.writeFiles({ 'run.sh': 'a much longer script' });
  chmodSync(fixture.path('run.sh'), 0o750);
  const { ino } = statSync(fixture.path('run.sh'));
  await write.run({ path: 'run.sh', content: 'short' }, fixture);
  const after = statSync(fixture.path('run.sh'));
  expect([after.ino, after.mode & 0o777, fixture.readText('run.sh')]).toEqual([ino, 0o750, 'short']);
});

test('writes to the target of a link and preserves the link, even if the target does not exist yet', async () => {
  const fixture = createToolFixture();
  const outside = createTemporaryDirectory();
  symlinkSync(join(outside, 'new/target.txt'), fixture.path('link'));
  await write.run({ path: 'link', content: 'first' }, fixture);
  await write.run({ path: 'link', content: 'second' }, fixture);
  expect(lstatSync(fixture.path('link')).isSymbolicLink()).toBe(true);
  expect(readFileSync(join(outside, 'new/target.txt'), 'utf8')).toBe('second');
});

test.each([
  ['a folder', 'folder', 'Cannot write folder: it is a directory'],
  ['a FIFO', 'pipe', 'Cannot write pipe: it is a FIFO'],
  ['a device', '/dev/full', 'Cannot write /dev/full: it is a device'],
])('%s is rejected', async (_, path, message) => {
  const fixture = createToolFixture();
  fixture.writeFiles({ 'folder/x': '' });
  execFileSync('mkfifo', [fixture.path('pipe')]);
  expect((await expectFault(write, { path, content: 'x' }, fixture)).message).toBe(message);
});

test('system errors are reported', async () => {
  const fixture = createToolFixture();
  fixture.writeFiles({ file: '' });
  expect((await expectFault(write, { path: 'file/below', content: 'x' }, fixture)).message).toMatch(
    /^Cannot write file\/below: (ENOTDIR|EEXIST)/,
  );
});

test('an aborted call does not write', async () => {
  const fixture = createToolFixture();
  fixture.abort();
  expect((await expectFault(write, { path: 'a', content: 'x' }, fixture)).message).toBe('Operation aborted');
  expect(await ports.files.info(fixture.path('a'))).toBeUndefined();
});

test('two writes to one file, one of them through a link, are serialized', async () => {
  const fixture = createToolFixture();
  fixture.writeFiles({ target: '' });
  symlinkSync('target', fixture.path('link'));
  const log: string[] = [];
  const files = {
    ...ports.files,
    async write(path: string, bytes: Uint8Array) {
      log.push(`begin ${bytes.length}`);
      await ports.files.write(path, bytes);
      log.push(`end ${bytes.length}`);
    },
  };
  const context = { ...fixture, ports: { ...ports, toolEnv: {}, files } };
  await Promise.all([
    write.run({ path: 'target', content: 'x'.repeat(3_000_000) }, context),
    write.run({ path: 'link', content: 'y' }, context),
  ]);
  expect(log).toEqual(['begin 3000000', 'end 3000000', 'begin 1', 'end 1']);
  expect(fixture.readText('target')).toBe('y');
});

test.each([
  ['a new file', 'new.txt', 'A\nB\n', '+1 A\n+2 B'],
  ['an existing file', 'old.txt', 'one\n2\n', ' 1 one\n-2 two\n+2 2'],
])('previews the change of %s without making it', async (_, path, content, diff) => {
  const fixture = createToolFixture();
  fixture.writeFiles({ 'old.txt': 'one\r\ntwo\r\n' });
  expect(await write.previewDiff?.({ path, content }, fixture)).toBe(diff);
  expect(fixture.readText('old.txt')).toBe('one\r\ntwo\r\n');
});

test('a file that is not text has no preview', async () => {
  const fixture = createToolFixture();
  fixture.writeFiles({ image: new Uint8Array([0xff, 0xfe, 0x00]) });
  await expect(write.previewDiff?.({ path: 'image', content: 'A' }, fixture)).rejects.toThrow();
});
