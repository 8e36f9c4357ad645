import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  copyDatabaseProgram,
  findClosedDirectory,
  makePassableDirectory,
} from '../../../src/app/system-ports/database-files.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';

/** A package as npm leaves it when it runs no scripts: without the links, and only readable by its owner. */
function createPackage(): string {
  const native = join(createTemporaryDirectory(), 'native');
  for (const folder of ['bin', 'lib/postgresql/pgxs', 'share/zones'])
    mkdirSync(join(native, folder), { recursive: true });
  for (const file of ['bin/postgres', 'lib/a.so.1.2', 'lib/a.a', 'lib/postgresql/b.so', 'share/zones/UTC']) {
    writeFileSync(join(native, file), file, { mode: 0o600 });
  }
  const links = ['native/lib/a.so', 'native/lib/a.so.1'].map((target) => ({ source: 'native/lib/a.so.1.2', target }));
  writeFileSync(join(native, 'pg-symlinks.json'), JSON.stringify(links));
  return native;
}

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

test('the copy of the program has the links, can be read by all, and has nothing that only compilers need', async () => {
  const target = join(createTemporaryDirectory(), 'copies', 'program');
  await copyDatabaseProgram({ native: createPackage(), target });
  expect(readdirSync(target, { recursive: true }).sort()).toEqual(
    ['bin', 'bin/postgres', 'lib', 'lib/a.so', 'lib/a.so.1', 'lib/a.so.1.2', 'lib/postgresql', 'lib/postgresql/b.so']
      .concat(['share', 'share/zones', 'share/zones/UTC'])
      .sort(),
  );
  expect(readlinkSync(join(target, 'lib/a.so'))).toBe('a.so.1.2');
  expect(readFileSync(join(target, 'lib/a.so.1'), 'utf8')).toBe('lib/a.so.1.2');
  expect(['', 'lib', 'bin/postgres', 'share/zones/UTC'].map((name) => modeOf(join(target, name)))).toEqual([
    '755',
    '755',
    '755',
    '644',
  ]);
});

test('copies at the same time yield one complete program', async () => {
  const directory = createTemporaryDirectory();
  const target = join(directory, 'program');
  const native = createPackage();
  await Promise.all(Array.from({ length: 5 }, () => copyDatabaseProgram({ native, target })));
  expect(readdirSync(directory)).toEqual(['program']);
  expect(lstatSync(join(target, 'lib/a.so')).isSymbolicLink()).toBe(true);
});

test('finds the directory that an account may not pass through', async () => {
  const parent = createTemporaryDirectory();
  const path = join(parent, 'a/b');
  mkdirSync(path, { recursive: true });
  const other = { uid: 65534, gid: 65534 };
  for (const directory of [parent, join(parent, 'a'), path]) chmodSync(directory, 0o711);
  expect(await findClosedDirectory(path, other)).toBe(undefined);
  chmodSync(join(parent, 'a'), 0o766);
  expect(await findClosedDirectory(path, other)).toBe(join(parent, 'a'));
  expect(await findClosedDirectory(path, { uid: statSync(parent).uid, gid: 65534 })).toBe(undefined);
  expect(await findClosedDirectory(path, undefined)).toBe(undefined);
});

test('only new directories are opened for the account', async () => {
  const parent = createTemporaryDirectory();
  await makePassableDirectory(join(parent, 'a/b'), { uid: 65534, gid: 65534 });
  await makePassableDirectory(join(parent, 'c'), undefined);
  expect(['', 'a', 'a/b', 'c'].map((name) => modeOf(join(parent, name)))).toEqual(['700', '711', '711', '700']);
});
