import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { createFiles } from '../../../src/app/system-ports/files.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';

const files = createFiles();
const bytes = (decode: string) => new TextEncoder().encode(decode);
const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const mode = (path: string) => (statSync(path).mode & 0o7777).toString(8);

let directory: string;
const at = (name: string) => join(directory, name);
beforeEach(() => {
  directory = createTemporaryDirectory();
});

test('info() returns the kind of each file, and undefined for a missing one', async () => {
  writeFileSync(at('file'), 'four');
  chmodSync(at('file'), 0o640);
  symlinkSync('file', at('link'));
  symlinkSync('nowhere', at('dangling'));
  execFileSync('mkfifo', [at('fifo')]);
  const server = createServer().listen(at('socket'));
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));

  expect(await files.info(at('file'))).toEqual({
    kind: 'file',
    size: 4,
    mode: 0o640,
    modifiedMs: statSync(at('file')).mtimeMs,
    owner: files.userId,
  });
  const kinds = ['file', 'link', 'fifo', 'socket', '.', 'dangling', 'none', 'file/below'].map(at);
  const followed = await Promise.all([...kinds, '/dev/null'].map(async (path) => (await files.info(path))?.kind));
  expect(followed).toEqual(['file', 'file', 'fifo', 'socket', 'directory', undefined, undefined, undefined, 'device']);
  expect((await files.info(at('dangling'), { follow: false }))?.kind).toBe('link');
  expect((await files.list(directory)).sort((a, b) => (a.name < b.name ? -1 : 1))).toEqual([
    { name: 'dangling', kind: 'link' },
    { name: 'fifo', kind: 'fifo' },
    { name: 'file', kind: 'file' },
    { name: 'link', kind: 'link' },
    { name: 'socket', kind: 'socket' },
  ]);
});

test('system errors are thrown unchanged', async () => {
  await expect(files.read(at('none'))).rejects.toMatchObject({ code: 'ENOENT' });
  await expect(files.list(at('none'))).rejects.toMatchObject({ code: 'ENOENT' });
  await expect(files.remove(at('none'))).rejects.toMatchObject({ code: 'ENOENT' });
  await expect(files.info('/'.repeat(5000))).rejects.toMatchObject({ code: 'ENAMETOOLONG' });
});

test('realPath() follows all links, also to a file that does not exist', async () => {
  mkdirSync(at('real/deep'), { recursive: true });
  writeFileSync(at('real/file'), '');
  symlinkSync('real', at('folder'));
  symlinkSync(at('real/later'), at('dangling'));
  symlinkSync('dangling', at('chain'));
  symlinkSync('round', at('round'));
  const resolved = async (path: string) => (await files.realPath(`${directory}/${path}`)).replace(`${directory}/`, '');
  expect(await resolved('folder/file')).toBe('real/file');
  expect(await resolved('folder/new/deeper')).toBe('real/new/deeper');
  expect(await resolved('chain')).toBe('real/later');
  expect(await resolved('chain/below')).toBe('real/later/below');
  expect(await resolved('folder/deep/../new')).toBe('real/new');
  expect(await resolved('folder/../new')).toBe('new');
  expect(await resolved('none/../folder/new')).toBe('real/new');
  expect(await resolved('./real//file/below')).toBe('real/file/below');
  await expect(files.realPath(at('round'))).rejects.toMatchObject({ code: 'ELOOP' });
  symlinkSync(at('b'), at('a'));
  symlinkSync(`${at('a')}/x`, at('b'));
  await expect(files.realPath(at('a/new'))).rejects.toMatchObject({ code: 'ELOOP' });
});

test('realPath() resolves a relative path against the working directory', async () => {
  expect(await files.realPath('no-such-thing/below')).toBe(join(process.cwd(), 'no-such-thing/below'));
});

test('read() returns the whole file or the requested range', async () => {
  writeFileSync(at('file'), 'abcdefghij');
  expect(decode(await files.read(at('file')))).toBe('abcdefghij');
  expect(decode(await files.read(at('file'), { start: 3, length: 4 }))).toBe('defg');
  expect(decode(await files.read(at('file'), { start: 8 }))).toBe('ij');
  expect(decode(await files.read(at('file'), { length: 2 }))).toBe('ab');
  expect(decode(await files.read(at('file'), { start: 8, length: 100 }))).toBe('ij');
  expect(await files.read(at('file'), { start: 100, length: 5 })).toHaveLength(0);
  expect(await files.read(at('file'), { length: 0 })).toHaveLength(0);
});

test('reading a range of a huge file uses memory only for the range', async () => {
  writeFileSync(at('huge'), 'start');
  truncateSync(at('huge'), 50 * 2 ** 30);
  expect(decode(await files.read(at('huge'), { length: 5 }))).toBe('start');
  expect(await files.read(at('huge'), { start: 49 * 2 ** 30, length: 1_000_000 })).toEqual(Buffer.alloc(1_000_000));
  expect(await files.read('/dev/zero', { length: 3 })).toEqual(Buffer.alloc(3));
});

test('write() overwrites in place and keeps inode, mode and hard links', async () => {
  await files.write(at('file'), bytes('a long first text'), { mode: 0o600 });
  expect(mode(at('file'))).toBe('600');
  linkSync(at('file'), at('other'));
  chmodSync(at('file'), 0o751);
  const { ino } = statSync(at('file'));
  await files.write(at('file'), bytes('short'));
  expect([statSync(at('file')).ino, mode(at('file')), readFileSync(at('other'), 'utf8')]).toEqual([
    ino,
    '751',
    'short',
  ]);
});

test('replace() creates a new file; other hard links keep the old content', async () => {
  writeFileSync(at('file'), 'old');
  linkSync(at('file'), at('other'));
  await files.replace(at('file'), bytes('new'));
  expect([readFileSync(at('file'), 'utf8'), readFileSync(at('other'), 'utf8')]).toEqual(['new', 'old']);
  expect(readdirSync(directory).sort()).toEqual(['file', 'other']);
});

test('replace() sets the requested mode, or keeps the old one', async () => {
  const umask = process.umask();
  await files.replace(at('private'), bytes('x'), { mode: 0o600 });
  await files.replace(at('wide'), bytes('x'), { mode: 0o666 });
  await files.replace(at('new'), bytes('x'));
  writeFileSync(at('script'), '');
  chmodSync(at('script'), 0o775);
  await files.replace(at('script'), bytes('x'));
  expect(['private', 'wide', 'new', 'script'].map((name) => mode(at(name)))).toEqual([
    '600',
    '666',
    (0o666 & ~umask).toString(8),
    '775',
  ]);
});

test('replace() does not replace pipes and devices', async () => {
  execFileSync('mkfifo', [at('pipe')]);
  await expect(files.replace(at('pipe'), bytes('x'))).rejects.toThrow('not a regular file');
  expect((await files.info(at('pipe')))?.kind).toBe('fifo');
  // Through a link, so that /dev/null is not lost if the test runs as root and fails.
  symlinkSync('/dev/null', at('sink'));
  await files.replace(at('sink'), bytes('x'));
  expect((await files.info('/dev/null'))?.kind).toBe('device');
});

test('replace() of a link replaces its target', async () => {
  mkdirSync(at('elsewhere'));
  writeFileSync(at('elsewhere/file'), 'old');
  symlinkSync('elsewhere/file', at('link'));
  await files.replace(at('link'), bytes('new'));
  expect(readFileSync(at('elsewhere/file'), 'utf8')).toBe('new');
  expect((await files.info(at('link'), { follow: false }))?.kind).toBe('link');
});

test('a replace() that fails leaves the old file and no temporary file', async () => {
  mkdirSync(at('file/full'), { recursive: true });
  await expect(files.replace(at('file'), bytes('new'))).rejects.toMatchObject({ code: expect.stringMatching(/^E/) });
  expect(readdirSync(directory)).toEqual(['file']);
  await expect(files.replace(at('none/file'), bytes('new'))).rejects.toMatchObject({ code: 'ENOENT' });
});

test('after fifty concurrent replaces the file contains one complete text', async () => {
  const texts = Array.from({ length: 50 }, (_, i) => String(i).padStart(5_000, '.'));
  await Promise.all(texts.map((each) => files.replace(at('file'), bytes(each))));
  expect(texts).toContain(readFileSync(at('file'), 'utf8'));
  expect(readdirSync(directory)).toEqual(['file']);
});

test('makeDirectory() creates parents and accepts an existing directory', async () => {
  await files.makeDirectory(at('one/two'), { mode: 0o700 });
  await files.makeDirectory(at('one/two'), { mode: 0o700 });
  expect([mode(at('one')), mode(at('one/two'))]).toEqual(['700', '700']);
});

test('a temporary directory is new and has mode 700', async () => {
  const [first, second] = [
    await files.makeTemporaryDirectory('parley-t-'),
    await files.makeTemporaryDirectory('parley-t-'),
  ];
  expect(first).not.toBe(second);
  expect(first.startsWith(join(tmpdir(), 'parley-t-'))).toBe(true);
  expect(mode(first)).toBe('700');
  await Promise.all([first, second].map((path) => files.remove(path, { recursive: true })));
});

test('remove() removes a file, and a directory only with `recursive`', async () => {
  mkdirSync(at('folder/below'), { recursive: true });
  writeFileSync(at('file'), '');
  await files.remove(at('file'));
  await expect(files.remove(at('folder'))).rejects.toThrow();
  await files.remove(at('folder'), { recursive: true });
  expect(readdirSync(directory)).toEqual([]);
});

test('an open file appends after data of other writers, and reads at any position', async () => {
  const file = await files.open(at('log'), 'create', { mode: 0o600 });
  expect(await file.append(bytes('one\n'))).toBe(4);
  writeFileSync(at('log'), 'two\n', { flag: 'a' });
  await file.append(bytes('three\n'));
  await file.sync();
  expect([await file.size(), decode(await file.read(4, 4)), decode(await file.read(8, 1000))]).toEqual([
    14,
    'two\n',
    'three\n',
  ]);
  await file.truncate(4);
  await file.append(bytes('four\n'));
  await file.close();
  expect([readFileSync(at('log'), 'utf8'), mode(at('log'))]).toEqual(['one\nfour\n', '600']);
});

test('open() with `create` needs a new file, with `read` an existing one, with `append` either', async () => {
  await expect(files.open(at('log'), 'read')).rejects.toMatchObject({ code: 'ENOENT' });
  for (const chunk of ['a', 'b']) {
    const file = await files.open(at('log'), 'append');
    await file.append(bytes(chunk));
    await file.close();
  }
  await expect(files.open(at('log'), 'create')).rejects.toMatchObject({ code: 'EEXIST' });
  symlinkSync(at('nowhere'), at('link'));
  await expect(files.open(at('link'), 'create')).rejects.toMatchObject({ code: 'EEXIST' });
  const file = await files.open(at('log'), 'read');
  expect(decode(await file.read(0, 10))).toBe('ab');
  await expect(file.append(bytes('c'))).rejects.toMatchObject({ code: 'EBADF' });
  await file.close();
});

test('read() into a given buffer uses that buffer, and ends at the end of the file', async () => {
  const path = join(createTemporaryDirectory(), 'a');
  writeFileSync(path, 'abcdef');
  const file = await files.open(path, 'read');
  const into = new Uint8Array(4);
  const read = await file.read(1, 4, into);
  expect([Buffer.from(read).toString(), read.buffer === into.buffer]).toEqual(['bcde', true]);
  expect(Buffer.from(await file.read(4, 4, into)).toString()).toBe('ef');
  // A buffer that is too small is not used.
  expect(Buffer.from(await file.read(0, 6, into)).toString()).toBe('abcdef');
  await file.close();
});
