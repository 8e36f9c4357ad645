// Files port based on Node. System errors are thrown unchanged; callers turn them into messages.
import { constants, readSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import { getSystemErrorCode } from '../../base/fault.ts';
import type { FileInfo, Files, FileVersion, OpenFile } from '../../contracts/ports.ts';
import { readUserId, toFileInfo, toFileKind } from './file-info.ts';
import { makeDirectory } from './make-directory.ts';
import { replaceFile } from './replace-file.ts';
import { resolveLinks } from './resolve-links.ts';

const { O_APPEND, O_CREAT, O_EXCL, O_RDONLY, O_RDWR } = constants;
const FLAGS = {
  read: O_RDONLY,
  append: O_CREAT | O_APPEND | O_RDWR,
  create: O_CREAT | O_EXCL | O_APPEND | O_RDWR,
};
const READ_CHUNK_BYTES = 256 * 1024;

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
    makeTemporaryDirectory: async (prefix) => {
      const { tmpdir } = await import('node:os');
      return fs.mkdtemp(path.join(tmpdir(), prefix));
    },
    remove: (target, options) => fs.rm(target, { recursive: options?.recursive ?? false }),
    open: async (file, purpose, options) => createOpenFile(await fs.open(file, FLAGS[purpose], options?.mode)),
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
  const handle = await fs.open(file, O_RDONLY);
  try {
    return await readAt(handle, range.start ?? 0, range.length ?? Number.POSITIVE_INFINITY);
  } finally {
    await handle.close();
  }
}

/** Never requests bytes beyond `length`, and allocates memory only for data that exists. */
async function readAt(handle: fs.FileHandle, position: number, length: number): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let total = 0;
  while (total < length) {
    const chunk = Buffer.allocUnsafe(Math.min(length - total, READ_CHUNK_BYTES));
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, position + total);
    if (bytesRead === 0) break;
    chunks.push(chunk.subarray(0, bytesRead));
    total += bytesRead;
  }
  return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, total);
}

async function readInto(handle: fs.FileHandle, position: number, into: Uint8Array): Promise<Uint8Array> {
  let total = 0;
  while (total < into.length) {
    const { bytesRead } = await handle.read(into, total, into.length - total, position + total);
    if (bytesRead === 0) break;
    total += bytesRead;
  }
  return into.subarray(0, total);
}

/** Uses ctime, because programs can restore an old mtime but not an old ctime. */
async function readVersion(handle: fs.FileHandle): Promise<FileVersion> {
  const { dev, ino, size, mtimeNs, ctimeNs } = await handle.stat({ bigint: true });
  const versionTag = [dev, ino, size, mtimeNs, ctimeNs].join('-');
  const changedMs = Number(ctimeNs / 1_000_000n);
  // Some file systems store times in units of one or two seconds.
  return {
    size: Number(size),
    versionTag,
    changedMs: ctimeNs % 1_000_000_000n === 0n ? changedMs + 2000 : changedMs,
  };
}

function readSyncAt(handle: fs.FileHandle, position: number, length: number): Uint8Array {
  const bytes = Buffer.allocUnsafe(length);
  let total = 0;
  while (total < length) {
    const bytesRead = readSync(handle.fd, bytes, total, length - total, position + total);
    if (bytesRead === 0) break;
    total += bytesRead;
  }
  return bytes.subarray(0, total);
}

function createOpenFile(handle: fs.FileHandle): OpenFile {
  return {
    size: async () => (await handle.stat()).size,
    version: () => readVersion(handle),
    read: (position, length, into) =>
      into && into.length >= length
        ? readInto(handle, position, into.subarray(0, length))
        : readAt(handle, position, length),
    readSync: (position, length) => readSyncAt(handle, position, length),
    append: async (bytes) => (await handle.write(bytes, 0, bytes.length, null)).bytesWritten,
    sync: () => handle.datasync(),
    truncate: (length) => handle.truncate(length),
    restrictToOwner: () => handle.chmod(0o600),
    close: () => handle.close(),
  };
}
