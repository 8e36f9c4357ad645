// The app's real files. System errors pass through as Node throws them; callers turn them into sentences.
import { constants, readSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import { systemCode } from '../../base/fault.ts';
import type { FileInfo, Files, FileVersion, OpenFile } from '../../contracts/ports.ts';
import { infoOf, kindOf, userId } from './file-info.ts';
import { replaceFile } from './files-replace.ts';
import { resolveLinks } from './files-resolve.ts';
import { makeDirectory } from './make-directory.ts';

const { O_APPEND, O_CREAT, O_EXCL, O_RDONLY, O_RDWR } = constants;
const FLAGS = {
  read: O_RDONLY,
  append: O_CREAT | O_APPEND | O_RDWR,
  create: O_CREAT | O_EXCL | O_APPEND | O_RDWR,
};
const READ_STEP = 256 * 1024;

export function createFiles(): Files {
  return {
    get userId() {
      return userId();
    },
    info: (file, options) => info(file, options?.follow ?? true),
    resolve: resolveLinks,
    list: async (directory) =>
      (await fs.readdir(directory, { withFileTypes: true })).map((e) => ({ name: e.name, kind: kindOf(e) })),
    read: (file, range) => (range === undefined ? fs.readFile(file) : readRange(file, range)),
    write: (file, bytes, options) => fs.writeFile(file, bytes, { mode: options?.mode }),
    replace: replaceFile,
    rename: fs.rename,
    makeDirectory,
    temporaryDirectory: async (prefix) => {
      const { tmpdir } = await import('node:os');
      return fs.mkdtemp(path.join(tmpdir(), prefix));
    },
    remove: (target, options) => fs.rm(target, { recursive: options?.recursive ?? false }),
    open: async (file, purpose, options) => held(await fs.open(file, FLAGS[purpose], options?.mode)),
  };
}

async function info(file: string, follow: boolean): Promise<FileInfo | undefined> {
  try {
    return infoOf(await (follow ? fs.stat(file) : fs.lstat(file)));
  } catch (error) {
    const code = systemCode(error);
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

/** Asks the system for no byte beyond `length`, and reserves memory only for what is there. */
async function readAt(handle: fs.FileHandle, position: number, length: number): Promise<Uint8Array> {
  const parts: Buffer[] = [];
  let total = 0;
  while (total < length) {
    const step = Buffer.allocUnsafe(Math.min(length - total, READ_STEP));
    const { bytesRead } = await handle.read(step, 0, step.length, position + total);
    if (bytesRead === 0) break;
    parts.push(step.subarray(0, bytesRead));
    total += bytesRead;
  }
  return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts, total);
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

/** The time of the last change is the system's own: programs that put back the old times cannot put back this one. */
async function versionOf(handle: fs.FileHandle): Promise<FileVersion> {
  const { dev, ino, size, mtimeNs, ctimeNs } = await handle.stat({ bigint: true });
  const mark = [dev, ino, size, mtimeNs, ctimeNs].join('-');
  const changedMs = Number(ctimeNs / 1_000_000n);
  // Some file systems count in seconds, or in pairs of them.
  return { size: Number(size), mark, changedMs: ctimeNs % 1_000_000_000n === 0n ? changedMs + 2000 : changedMs };
}

function readNow(handle: fs.FileHandle, position: number, length: number): Uint8Array {
  const bytes = Buffer.allocUnsafe(length);
  let total = 0;
  while (total < length) {
    const taken = readSync(handle.fd, bytes, total, length - total, position + total);
    if (taken === 0) break;
    total += taken;
  }
  return bytes.subarray(0, total);
}

function held(handle: fs.FileHandle): OpenFile {
  return {
    size: async () => (await handle.stat()).size,
    version: () => versionOf(handle),
    read: (position, length, into) =>
      into && into.length >= length
        ? readInto(handle, position, into.subarray(0, length))
        : readAt(handle, position, length),
    readNow: (position, length) => readNow(handle, position, length),
    append: async (bytes) => (await handle.write(bytes, 0, bytes.length, null)).bytesWritten,
    sync: () => handle.datasync(),
    truncate: (length) => handle.truncate(length),
    protect: () => handle.chmod(0o600),
    close: () => handle.close(),
  };
}
