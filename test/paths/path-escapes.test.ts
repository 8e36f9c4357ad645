// Path escapes: every operation of guarded files on every path that leads out of the workspace. Nothing is read or changed outside.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Files } from '../../src/contracts/ports.ts';
import { CANARY, createPathFixture, type PathFixture, PIN_FILES } from './path-fixture.ts';

let fixture: PathFixture;

/** Each leads out of the workspace, to a file, a directory, a special file, or a place where a file would be created. */
const ESCAPES: Readonly<Record<string, (fixture: PathFixture) => string>> = {
  'absolute path': ({ canary }) => canary,
  'absolute path of a system file': () => '/etc/passwd',
  'parent directory': ({ workspace }) => `${workspace}/../outside/canary.txt`,
  'parent directory after a directory': ({ workspace }) => `${workspace}/sub/../../outside/canary.txt`,
  'parent directory after a missing directory': ({ workspace }) => `${workspace}/missing/../../outside/canary.txt`,
  'many parent directories': ({ workspace }) => `${workspace}/${'../'.repeat(40)}etc/passwd`,
  'double slashes': ({ workspace }) => `${workspace}//..//outside//canary.txt`,
  'dots between': ({ workspace }) => `${workspace}/./../././outside/./canary.txt`,
  'leading double slash': ({ canary }) => `/${canary}`,
  'leaf link': ({ workspace }) => `${workspace}/leaf-link`,
  'relative leaf link': ({ workspace }) => `${workspace}/relative-link`,
  'link to a link': ({ workspace }) => `${workspace}/link-to-link`,
  'dangling link': ({ workspace }) => `${workspace}/dangling-link`,
  'directory link': ({ workspace }) => `${workspace}/directory-link`,
  'directory link with a slash': ({ workspace }) => `${workspace}/directory-link/`,
  'directory link with a dot': ({ workspace }) => `${workspace}/directory-link/.`,
  'file below a directory link': ({ workspace }) => `${workspace}/directory-link/canary.txt`,
  'new file below a directory link': ({ workspace }) => `${workspace}/directory-link/new.txt`,
  'new directories below a directory link': ({ workspace }) => `${workspace}/directory-link/x/y/new.txt`,
  'directory below a directory link': ({ workspace }) => `${workspace}/directory-link/directory`,
  'link and parent': ({ workspace }) => `${workspace}/directory-link/../outside/canary.txt`,
  'link to the parent': ({ workspace }) => `${workspace}/parent-link/outside/canary.txt`,
  'link to the root': ({ canary, workspace }) => `${workspace}/root-link${canary}`,
  '/proc/self/root': ({ canary }) => `/proc/self/root${canary}`,
  '/proc/self/cwd': ({ canary }) => `/proc/self/cwd/${'../'.repeat(40)}${canary}`,
  '/proc/self/cwd itself': () => '/proc/self/cwd',
  'link to /proc/self/cwd': ({ workspace }) => `${workspace}/proc-link`,
  '/proc/thread-self/root': ({ canary }) => `/proc/thread-self/root${canary}`,
  '/proc/1/root': ({ canary }) => `/proc/1/root${canary}`,
  '/proc/self/environ': () => '/proc/self/environ',
  '/proc/self/exe': () => '/proc/self/exe',
  '/dev/fd': () => '/dev/fd/0',
  '/dev/stdin': () => '/dev/stdin',
  '/dev/null': () => '/dev/null',
  '/dev/zero': () => '/dev/zero',
  'FIFO outside': ({ outside }) => `${outside}/fifo`,
  'prefix of the workspace name': ({ workspace }) => `${workspace}-other`,
  'workspace name in another case': ({ workspace }) => `${workspace.toUpperCase()}/a.txt`,
  'parent of the workspace': ({ base }) => base,
  'root directory': () => '/',
  'missing file outside': ({ outside }) => `${outside}/missing`,
  'missing file in a missing directory': () => '/missing-directory/missing',
  'file as a directory, outside': ({ canary }) => `${canary}/x`,
  'very long name outside': ({ outside }) => `${outside}/${'x'.repeat(300)}`,
  'very long path outside': ({ outside }) => `${outside}/${'x/'.repeat(3000)}x`,
  'name with a newline, outside': ({ outside }) => `${outside}/a\nb`,
  'deep in a directory link, with a newline': ({ workspace }) => `${workspace}/directory-link/a\nb`,
};

const text = new TextEncoder().encode('changed');
const OPERATIONS: Readonly<Record<string, (files: Files, path: string) => Promise<unknown>>> = {
  info: (files, path) => files.info(path),
  realPath: (files, path) => files.realPath(path),
  list: (files, path) => files.list(path),
  read: (files, path) => files.read(path),
  'read a range': (files, path) => files.read(path, { start: 0, length: 100 }),
  write: (files, path) => files.write(path, text),
  replace: (files, path) => files.replace(path, text),
  makeDirectory: (files, path) => files.makeDirectory(path),
  'open to read': (files, path) => files.open(path, 'read'),
  'open to append': (files, path) => files.open(path, 'append'),
};
/** These act on a link itself and never follow it. Both names must be in the workspace. */
const ENTRY_OPERATIONS: Readonly<Record<string, (files: Files, path: string) => Promise<unknown>>> = {
  'rename from': (files, path) => files.rename(path, `${fixture.workspace}/renamed`),
  'rename to': (files, path) => files.rename(`${fixture.workspace}/a.txt`, path),
  remove: (files, path) => files.remove(path, { recursive: true }),
  'open to create': (files, path) => files.open(path, 'create'),
};
/** Links at the end of the path: they are inside, so that they may be renamed and removed. */
const LEAF_LINKS = [
  ...['leaf link', 'relative leaf link', 'link to a link', 'dangling link', 'link to /proc/self/cwd'],
  ...['directory link', 'directory link with a slash'],
];

describe.each(Object.entries(PIN_FILES))('pinned %s', (_, pinFile) => {
  beforeAll(() => {
    fixture = createPathFixture(pinFile);
  });
  afterAll(() => fixture.remove());
  describe.each(Object.keys(ESCAPES))('%s', testEscape);
});

function testEscape(name: string): void {
  const getPath = () => (ESCAPES[name] as (fixture: PathFixture) => string)(fixture);
  const isLeafLink = LEAF_LINKS.includes(name);
  const operations = Object.entries({ ...OPERATIONS, ...(isLeafLink ? {} : ENTRY_OPERATIONS) });

  it.each(operations)('%s', async (_, act) => {
    const before = fixture.snapshotOutside();
    await expect(act(fixture.guard(), getPath())).rejects.toSatisfy(isRefusal);
    expect(fixture.snapshotOutside()).toBe(before);
    expect(statSync(join(fixture.workspace, 'a.txt')).size).toBe(6);
  });
}

/** Some paths cannot be used by any operation. */
function isRefusal(error: { code?: string; message: string }): boolean {
  return !error.message.includes(CANARY) && (error.code === 'refused' || error.code === 'EINVAL');
}
