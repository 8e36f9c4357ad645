// Files port based on Node. System errors are thrown unchanged; callers turn them into messages.
import * as fs from 'node:fs/promises';
import { getSystemErrorCode } from '../../base/fault.ts';
import type { FileInfo, Files } from '../../contracts/ports.ts';
import { createCheckedFiles } from './checked-files.ts';
import { readUserId, toFileInfo, toFileKind } from './file-info.ts';
import { makeDirectory, makeTemporaryDirectory } from './make-directory.ts';
import { createOpenFile, OPEN_FLAGS, readAt } from './open-file.ts';
import { replaceFile } from './replace-file.ts';
import { resolveLinks } from './resolve-links.ts';

export function createFiles(): Files {
  return {
    get userId() {
      return readUserId();
    },
    info: (file, options) => readInfo(file, options?.follow ?? true),
    realPath: resolveLinks,
    list: async (directory) =>
      (await fs.readdir(directory, { withFileTypes: true })).map((e) => ({ name: e.name, kind: toFileKind(e) })),
    read: (file, range) => (range === undefined ? fs.readFile(file) : readRange(file, range)),
    write: (file, bytes, options) => fs.writeFile(file, bytes, { mode: options?.mode }),
    replace: replaceFile,
    rename: fs.rename,
    makeDirectory,
    makeTemporaryDirectory,
    remove: (target, options) => fs.rm(target, { recursive: options?.recursive ?? false }),
    open: async (file, purpose, options) => createOpenFile(await fs.open(file, OPEN_FLAGS[purpose], options?.mode)),
    withAccessCheck: createCheckedFiles,
  };
}

async function readInfo(file: string, follow: boolean): Promise<FileInfo | undefined> {
  try {
    return toFileInfo(await (follow ? fs.stat(file) : fs.lstat(file)));
  } catch (error) {
    const code = getSystemErrorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}

async function readRange(file: string, range: { start?: number; length?: number }): Promise<Uint8Array> {
  const handle = await fs.open(file, OPEN_FLAGS.read);
  try {
    return await readAt(handle, range.start ?? 0, range.length ?? Number.POSITIVE_INFINITY);
  } finally {
    await handle.close();
  }
}
