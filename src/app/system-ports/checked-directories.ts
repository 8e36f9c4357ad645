// Creates and removes directories level by level, each pinned, so that a directory that is exchanged for a link is not followed.
import { lstat, mkdir, readdir, rmdir, unlink } from 'node:fs/promises';
import * as path from 'node:path';
import { getSystemErrorCode } from '../../base/fault.ts';
import { type AccessScope, isMissing, nameRealPath, resolveForChange, useParent } from './checked-path.ts';
import type { PinnedFile } from './pin-file.ts';

/** Creates the parents too. An existing directory is no error. */
export async function makeCheckedDirectory(scope: AccessScope, directory: string, mode?: number): Promise<void> {
  const target = await resolveForChange(scope, directory);
  scope.check(target, 'write');
  const { pinned, missing } = await pinExistingParent(scope, target);
  let current = pinned;
  try {
    for (;;) {
      requireDirectory(current);
      scope.check(path.join(current.realPath, ...missing), 'write');
      const name = missing.shift();
      if (name === undefined) return;
      const child = `${current.accessPath}/${name}`;
      await mkdir(child, { mode }).catch(throwUnlessExists);
      const next = await scope.pinFile(child, false);
      await current.release();
      current = next;
    }
  } catch (error) {
    throw nameRealPath(error, current);
  } finally {
    await current.release();
  }
}

async function pinExistingParent(
  { pinFile }: AccessScope,
  target: string,
): Promise<{ pinned: PinnedFile; missing: string[] }> {
  const missing: string[] = [];
  for (let existing = target; ; existing = path.dirname(existing)) {
    try {
      return { pinned: await pinFile(existing, true), missing };
    } catch (error) {
      if (!isMissing(error) || path.dirname(existing) === existing) throw error;
      missing.unshift(path.basename(existing));
    }
  }
}

export function removeChecked(scope: AccessScope, target: string, recursive: boolean): Promise<void> {
  return useParent(scope, target, (entry) => removeEntry(scope, entry, recursive));
}

async function removeEntry(scope: AccessScope, entry: string, recursive: boolean): Promise<void> {
  if (!(await lstat(entry)).isDirectory()) return unlink(entry);
  if (!recursive) throw Object.assign(new Error(`EISDIR: is a directory, '${entry}'`), { code: 'EISDIR' });
  const pinned = await scope.pinFile(entry, false);
  try {
    requireDirectory(pinned);
    for (const name of await readdir(pinned.accessPath)) {
      scope.check(path.join(pinned.realPath, name), 'write');
      await removeEntry(scope, `${pinned.accessPath}/${name}`, true);
    }
  } finally {
    await pinned.release();
  }
  await rmdir(entry);
}

function requireDirectory({ stats, realPath }: PinnedFile): void {
  if (stats.isDirectory()) return;
  throw Object.assign(new Error(`ENOTDIR: not a directory, '${realPath}'`), { code: 'ENOTDIR', path: realPath });
}

function throwUnlessExists(error: unknown): void {
  if (getSystemErrorCode(error) !== 'EEXIST') throw error;
}
