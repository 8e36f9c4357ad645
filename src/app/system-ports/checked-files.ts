// Files port in which every operation is checked on the object that the system has found, and is then done with exactly this object.
import { constants } from 'node:fs';
import * as fs from 'node:fs/promises';
import { getSystemErrorCode } from '../../base/fault.ts';
import type { AccessCheckOptions, CheckAccess, FileInfo, Files } from '../../contracts/ports.ts';
import { makeCheckedDirectory, removeChecked } from './checked-directories.ts';
import { type AccessScope, isMissing, resolveForChange, useFile, useParent } from './checked-path.ts';
import { readUserId, toFileInfo, toFileKind } from './file-info.ts';
import { makeTemporaryDirectory } from './make-directory.ts';
import { createOpenFile, OPEN_FLAGS, readAt } from './open-file.ts';
import { choosePinFile, type PinFile, type PinnedFile } from './pin-file.ts';
import { replaceResolvedFile } from './replace-file.ts';
import { resolveLinks } from './resolve-links.ts';

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_RDONLY, O_WRONLY } = constants;
/** Another process may create or remove the file between two system calls. Then the operation starts again. */
const MAX_ATTEMPTS = 20;

export function createCheckedFiles(
  check: CheckAccess,
  options: AccessCheckOptions = {},
  pinFile: PinFile = choosePinFile(),
): Files {
  const scope: AccessScope = { check, pinFile, shouldSplitHardLinks: options.shouldSplitHardLinks ?? false };
  return {
    get userId() {
      return readUserId();
    },
    info: (file, { follow = true } = {}) => readInfo(scope, file, follow),
    realPath: (file) => readRealPath(scope, file),
    list: (directory) =>
      useFile(scope, directory, { access: 'list' }, async ({ accessPath, confirm }) => {
        const entries = await fs.readdir(accessPath, { withFileTypes: true });
        await confirm();
        return entries.map((entry) => ({ name: entry.name, kind: toFileKind(entry) }));
      }),
    read: (file, range) => readBytes(scope, file, range),
    write: (file, bytes, { mode } = {}) => writeBytes(scope, file, bytes, mode),
    replace: async (file, bytes, { mode } = {}) =>
      useParent(scope, await resolveForChange(scope, file), (target) => replaceResolvedFile(target, bytes, { mode })),
    rename: (from, to) =>
      useParent(scope, from, (source) => useParent(scope, to, (target) => fs.rename(source, target))),
    makeDirectory: (directory, { mode } = {}) => makeCheckedDirectory(scope, directory, mode),
    makeTemporaryDirectory: (prefix) => makeCheckedTemporaryDirectory(scope, prefix),
    remove: (target, { recursive = false } = {}) => removeChecked(scope, target, recursive),
    open: async (file, purpose, { mode } = {}) =>
      createOpenFile(
        purpose === 'read'
          ? await useFile(scope, file, { access: 'read' }, (pinned) => openContent(pinned, O_RDONLY))
          : await openForChange(scope, file, OPEN_FLAGS[purpose], mode),
      ),
    withAccessCheck: (other, { shouldSplitHardLinks = false } = {}) => {
      const checkBoth: CheckAccess = (realPath, access) => {
        check(realPath, access);
        other(realPath, access);
      };
      const shouldSplit = scope.shouldSplitHardLinks || shouldSplitHardLinks;
      return createCheckedFiles(checkBoth, { shouldSplitHardLinks: shouldSplit }, pinFile);
    },
  };
}

async function readInfo(scope: AccessScope, file: string, follow: boolean): Promise<FileInfo | undefined> {
  try {
    return await useFile(scope, file, { access: 'inspect', follow }, async ({ stats }) => toFileInfo(stats));
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

async function readRealPath(scope: AccessScope, file: string): Promise<string> {
  try {
    return await useFile(scope, file, { access: 'inspect' }, async ({ realPath }) => realPath);
  } catch (error) {
    if (!isMissing(error)) throw error;
    const resolved = await resolveLinks(file);
    scope.check(resolved, 'inspect');
    return resolved;
  }
}

function readBytes(scope: AccessScope, file: string, range?: { start?: number; length?: number }): Promise<Uint8Array> {
  return useFile(scope, file, { access: 'read' }, async (pinned) => {
    const handle = await openContent(pinned, O_RDONLY);
    try {
      if (!range) return await handle.readFile();
      return await readAt(handle, range.start ?? 0, range.length ?? Number.POSITIVE_INFINITY);
    } finally {
      await handle.close();
    }
  });
}

async function writeBytes(scope: AccessScope, file: string, bytes: Uint8Array, mode?: number): Promise<void> {
  if (scope.shouldSplitHardLinks && (await splitHardLink(scope, file, bytes, mode))) return;
  const handle = await openForChange(scope, file, O_CREAT | O_WRONLY, mode);
  try {
    await handle.truncate(0);
    await handle.writeFile(bytes);
  } finally {
    await handle.close();
  }
}

/** Returns false when the file has one name, or does not exist. */
async function splitHardLink(scope: AccessScope, file: string, bytes: Uint8Array, mode?: number): Promise<boolean> {
  const linked = await useFile(scope, file, { access: 'write' }, async ({ stats, realPath }) =>
    stats.isFile() && stats.nlink > 1 ? { realPath, mode: mode ?? stats.mode & 0o7777 } : undefined,
  ).catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  if (!linked) return false;
  await useParent(scope, linked.realPath, (target) => replaceResolvedFile(target, bytes, { mode: linked.mode }));
  return true;
}

/** Opens an existing file, or creates it. With O_EXCL it must not exist. */
async function openForChange(
  scope: AccessScope,
  file: string,
  flags: number,
  mode: number | undefined,
): Promise<fs.FileHandle> {
  if ((flags & O_EXCL) !== 0) return createFile(scope, file, flags, mode);
  for (let attempt = 1; ; attempt++) {
    try {
      return await useFile(scope, file, { access: 'write' }, (pinned) => openExisting(scope, pinned, flags));
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
    try {
      return await createFile(scope, await resolveForChange(scope, file), flags | O_EXCL, mode);
    } catch (error) {
      if (getSystemErrorCode(error) !== 'EEXIST' || attempt >= MAX_ATTEMPTS) throw error;
    }
  }
}

function createFile(scope: AccessScope, file: string, flags: number, mode?: number): Promise<fs.FileHandle> {
  return useParent(scope, file, (target) => fs.open(target, flags | O_NOFOLLOW, mode));
}

async function openExisting(scope: AccessScope, pinned: PinnedFile, flags: number): Promise<fs.FileHandle> {
  if (scope.shouldSplitHardLinks && pinned.stats.nlink > 1) {
    throw createError('EMLINK', 'the file has several names, which may be anywhere', pinned.realPath);
  }
  return openContent(pinned, flags & ~O_CREAT);
}

/** Not a FIFO, which waits for another process, and not a device. */
async function openContent({ stats, realPath, open }: PinnedFile, flags: number): Promise<fs.FileHandle> {
  if (stats.isFile() || (stats.isDirectory() && flags === O_RDONLY)) return open(flags);
  throw createError(stats.isDirectory() ? 'EISDIR' : 'EINVAL', 'not a regular file', realPath);
}

async function makeCheckedTemporaryDirectory({ check }: AccessScope, prefix: string): Promise<string> {
  const directory = await makeTemporaryDirectory(prefix);
  try {
    check(await fs.realpath(directory), 'write');
    return directory;
  } catch (error) {
    await fs.rmdir(directory);
    throw error;
  }
}

function createError(code: string, reason: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${reason}, '${path}'`), { code });
}
