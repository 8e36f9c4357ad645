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
import { temporaryDirectory } from '../../support/temporary.ts';

const files = createFiles();
const bytes = (text: string) => new TextEncoder().encode(text);
const text = (from: Uint8Array) => new TextDecoder().decode(from);
const mode = (path: string) => (statSync(path).mode & 0o7777).toString(8);

let directory: string;
const at = (name: string) => join(directory, name);
beforeEach(() => {
  directory = temporaryDirectory();
});

test('info tells the kind of everything, and nothing of what is not there', async () => {
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

test('system errors pass through', async () => {
  await expect(files.read(at('none'))).rejects.toMatchObject({ code: 'ENOENT' });
  await expect(files.list(at('none'))).rejects.toMatchObject({ code: 'ENOENT' });
  await expect(files.remove(at('none'))).rejects.toMatchObject({ code: 'ENOENT' });
  await expect(files.info('/'.repeat(5000))).rejects.toMatchObject({ code: 'ENAMETOOLONG' });
});

test('resolve follows every link, also one that points at nothing yet', async () => {
  mkdirSync(at('real/deep'), { recursive: true });
  writeFileSync(at('real/file'), '');
  symlinkSync('real', at('folder'));
  symlinkSync(at('real/later'), at('dangling'));
  symlinkSync('dangling', at('chain'));
  symlinkSync('round', at('round'));
  const resolved = async (path: string) => (await files.resolve(`${directory}/${path}`)).replace(`${directory}/`, '');
  expect(await resolved('folder/file')).toBe('real/file');
  expect(await resolved('folder/new/deeper')).toBe('real/new/deeper');
  expect(await resolved('chain')).toBe('real/later');
  expect(await resolved('chain/below')).toBe('real/later/below');
  expect(await resolved('folder/deep/../new')).toBe('real/new');
  expect(await resolved('folder/../new')).toBe('new');
  expect(await resolved('none/../folder/new')).toBe('real/new');
  expect(await resolved('./real//file/below')).toBe('real/file/below');
  await expect(files.resolve(at('round'))).rejects.toMatchObject({ code: 'ELOOP' });
  symlinkSync(at('b'), at('a'));
  symlinkSync(`${at('a')}/x`, at('b'));
  await expect(files.resolve(at('a/new'))).rejects.toMatchObject({ code: 'ELOOP' });
});

test('a relative path is taken from the working directory', async () => {
  expect(await files.resolve('no-such-thing/below')).toBe(join(process.cwd(), 'no-such-thing/below'));
});

test('read gives the whole, or the part that was asked for', async () => {
  writeFileSync(at('file'), 'abcdefghij');
  expect(text(await files.read(at('file')))).toBe('abcdefghij');
  expect(text(await files.read(at('file'), { start: 3, length: 4 }))).toBe('defg');
  expect(text(await files.read(at('file'), { start: 8 }))).toBe('ij');
  expect(text(await files.read(at('file'), { length: 2 }))).toBe('ab');
  expect(text(await files.read(at('file'), { start: 8, length: 100 }))).toBe('ij');
  expect(await files.read(at('file'), { start: 100, length: 5 })).toHaveLength(0);
  expect(await files.read(at('file'), { length: 0 })).toHaveLength(0);
});

test('a part of a huge file costs only the part', async () => {
  writeFileSync(at('huge'), 'start');
  truncateSync(at('huge'), 50 * 2 ** 30);
  expect(text(await files.read(at('huge'), { length: 5 }))).toBe('start');
  expect(await files.read(at('huge'), { start: 49 * 2 ** 30, length: 1_000_000 })).toEqual(Buffer.alloc(1_000_000));
  expect(await files.read('/dev/zero', { length: 3 })).toEqual(Buffer.alloc(3));
});

test('write overwrites in place: same inode, same mode, every name sees it', async () => {
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

test('replace puts a new file in the place of the old, which others keep whole', async () => {
  writeFileSync(at('file'), 'old');
  linkSync(at('file'), at('other'));
  await files.replace(at('file'), bytes('new'));
  expect([readFileSync(at('file'), 'utf8'), readFileSync(at('other'), 'utf8')]).toEqual(['new', 'old']);
  expect(readdirSync(directory).sort()).toEqual(['file', 'other']);
});

test('replace gives the mode it was asked for, otherwise the old one', async () => {
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

test('replace leaves what is no file what it is', async () => {
  execFileSync('mkfifo', [at('pipe')]);
  await expect(files.replace(at('pipe'), bytes('x'))).rejects.toThrow('no regular file');
  expect((await files.info(at('pipe')))?.kind).toBe('fifo');
  // Behind a link of our own, so that nothing is lost where somebody may replace the device itself.
  symlinkSync('/dev/null', at('sink'));
  await files.replace(at('sink'), bytes('x'));
  expect((await files.info('/dev/null'))?.kind).toBe('device');
});

test('replace behind a link replaces what the link points to', async () => {
  mkdirSync(at('elsewhere'));
  writeFileSync(at('elsewhere/file'), 'old');
  symlinkSync('elsewhere/file', at('link'));
  await files.replace(at('link'), bytes('new'));
  expect(readFileSync(at('elsewhere/file'), 'utf8')).toBe('new');
  expect((await files.info(at('link'), { follow: false }))?.kind).toBe('link');
});

test('a replace that fails leaves the old and nothing else', async () => {
  mkdirSync(at('file/full'), { recursive: true });
  await expect(files.replace(at('file'), bytes('new'))).rejects.toMatchObject({ code: expect.stringMatching(/^E/) });
  expect(readdirSync(directory)).toEqual(['file']);
  await expect(files.replace(at('none/file'), bytes('new'))).rejects.toMatchObject({ code: 'ENOENT' });
});

test('fifty replaces at once leave one of the texts, whole', async () => {
  const texts = Array.from({ length: 50 }, (_, i) => String(i).padStart(5_000, '.'));
  await Promise.all(texts.map((each) => files.replace(at('file'), bytes(each))));
  expect(texts).toContain(readFileSync(at('file'), 'utf8'));
  expect(readdirSync(directory)).toEqual(['file']);
});

test('directories are made with all above them, and twice does no harm', async () => {
  await files.makeDirectory(at('one/two'), { mode: 0o700 });
  await files.makeDirectory(at('one/two'), { mode: 0o700 });
  expect([mode(at('one')), mode(at('one/two'))]).toEqual(['700', '700']);
});

test('a temporary directory is private and new', async () => {
  const [first, second] = [await files.temporaryDirectory('parley-t-'), await files.temporaryDirectory('parley-t-')];
  expect(first).not.toBe(second);
  expect(first.startsWith(join(tmpdir(), 'parley-t-'))).toBe(true);
  expect(mode(first)).toBe('700');
  await Promise.all([first, second].map((path) => files.remove(path, { recursive: true })));
});

test('remove takes a file, and a directory only when told so', async () => {
  mkdirSync(at('folder/below'), { recursive: true });
  writeFileSync(at('file'), '');
  await files.remove(at('file'));
  await expect(files.remove(at('folder'))).rejects.toThrow();
  await files.remove(at('folder'), { recursive: true });
  expect(readdirSync(directory)).toEqual([]);
});

test('an open file appends at its end, whoever wrote before, and reads anywhere', async () => {
  const file = await files.open(at('log'), 'create', { mode: 0o600 });
  expect(await file.append(bytes('one\n'))).toBe(4);
  writeFileSync(at('log'), 'two\n', { flag: 'a' });
  await file.append(bytes('three\n'));
  await file.sync();
  expect([await file.size(), text(await file.read(4, 4)), text(await file.read(8, 1000))]).toEqual([
    14,
    'two\n',
    'three\n',
  ]);
  await file.truncate(4);
  await file.append(bytes('four\n'));
  await file.close();
  expect([readFileSync(at('log'), 'utf8'), mode(at('log'))]).toEqual(['one\nfour\n', '600']);
});

test('create wants a new file, append takes an old one too, read wants one', async () => {
  await expect(files.open(at('log'), 'read')).rejects.toMatchObject({ code: 'ENOENT' });
  for (const piece of ['a', 'b']) {
    const file = await files.open(at('log'), 'append');
    await file.append(bytes(piece));
    await file.close();
  }
  await expect(files.open(at('log'), 'create')).rejects.toMatchObject({ code: 'EEXIST' });
  symlinkSync(at('nowhere'), at('link'));
  await expect(files.open(at('link'), 'create')).rejects.toMatchObject({ code: 'EEXIST' });
  const file = await files.open(at('log'), 'read');
  expect(text(await file.read(0, 10))).toBe('ab');
  await expect(file.append(bytes('c'))).rejects.toMatchObject({ code: 'EBADF' });
  await file.close();
});

test('what is read into memory that was given takes no other, and ends where the file ends', async () => {
  const path = join(temporaryDirectory(), 'a');
  writeFileSync(path, 'abcdef');
  const file = await files.open(path, 'read');
  const into = new Uint8Array(4);
  const read = await file.read(1, 4, into);
  expect([Buffer.from(read).toString(), read.buffer === into.buffer]).toEqual(['bcde', true]);
  expect(Buffer.from(await file.read(4, 4, into)).toString()).toBe('ef');
  // Too small for what is asked: never mind.
  expect(Buffer.from(await file.read(0, 6, into)).toString()).toBe('abcdef');
  await file.close();
});
