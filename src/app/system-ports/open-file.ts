// Operations of an open file, based on Node's file handles.
import { constants, readSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import type { FileVersion, OpenFile } from '../../contracts/ports.ts';

const { O_APPEND, O_CREAT, O_EXCL, O_RDONLY, O_RDWR } = constants;
export const OPEN_FLAGS = {
  read: O_RDONLY,
  append: O_CREAT | O_APPEND | O_RDWR,
  create: O_CREAT | O_EXCL | O_APPEND | O_RDWR,
};
const READ_CHUNK_BYTES = 256 * 1024;

/** Never requests bytes beyond `length`, and allocates memory only for data that exists. */
export async function readAt(handle: FileHandle, position: number, length: number): Promise<Uint8Array> {
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

async function readInto(handle: FileHandle, position: number, into: Uint8Array): Promise<Uint8Array> {
  let total = 0;
  while (total < into.length) {
    const { bytesRead } = await handle.read(into, total, into.length - total, position + total);
    if (bytesRead === 0) break;
    total += bytesRead;
  }
  return into.subarray(0, total);
}

/** Uses ctime, because programs can restore an old mtime but not an old ctime. */
async function readVersion(handle: FileHandle): Promise<FileVersion> {
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

function readSyncAt(handle: FileHandle, position: number, length: number): Uint8Array {
  const bytes = Buffer.allocUnsafe(length);
  let total = 0;
  while (total < length) {
    const bytesRead = readSync(handle.fd, bytes, total, length - total, position + total);
    if (bytesRead === 0) break;
    total += bytesRead;
  }
  return bytes.subarray(0, total);
}

export function createOpenFile(handle: FileHandle): OpenFile {
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
