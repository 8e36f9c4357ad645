// Moves a session to the folder of another working directory. At every moment the log is in exactly one of the two folders:
// 1. The log is replaced by one whose header names the new directory and the old file. 2. The log is renamed to the new folder, which
// is atomic. 3. Artifacts and backups follow. After a crash before step 3 the next resume does it.
import { Fault, getErrorMessage } from '../base/fault.ts';
import { isRecord, toJson } from '../base/json.ts';
import type { Files, OpenFile } from '../contracts/ports.ts';
import { removeIfExists, syncDirectory, writeFully } from '../support/file-operations.ts';
import { CHUNK_BYTES, readChunk } from './raw-line.ts';
import { readHeader, resolveSessionPath } from './session-header.ts';
import type { SessionLocks } from './session-lock.ts';
import {
  getArtifactsDirectory,
  getDigestPath,
  getFileName,
  getParentDirectory,
  isBackupOf,
  isSessionFileName,
} from './session-paths.ts';

interface MoveTarget {
  /** The new working directory. */
  readonly cwd: string;
  /** The folder of its sessions. */
  readonly directory: string;
}

/** Returns the new path. Throws a Fault, and changes nothing, when the session is in use or the new folder has such a session. */
export async function moveSession(
  files: Files,
  locks: SessionLocks,
  path: string,
  target: MoveTarget,
): Promise<string> {
  try {
    const file = await resolveSessionPath(files, path);
    if (!isSessionFileName(file)) throw new Fault('refused', `Not moved, because it is not a session file: ${path}`);
    await files.makeDirectory(target.directory, { mode: 0o700 });
    const next = `${await files.realPath(target.directory)}/${getFileName(file)}`;
    const lock = await locks.acquire(file);
    try {
      if (next === file) await replaceHeader(files, file, { cwd: target.cwd });
      else await moveLocked(files, locks, { file, next, cwd: target.cwd });
      return next;
    } finally {
      await lock.release();
    }
  } catch (cause) {
    if (cause instanceof Fault) throw cause;
    throw new Fault('storage', `Cannot move session ${path}: ${getErrorMessage(cause)}`, { cause });
  }
}

async function moveLocked(
  files: Files,
  locks: SessionLocks,
  { file, next, cwd }: { file: string; next: string; cwd: string },
): Promise<void> {
  // So that no other process opens the session in its new place before it is complete.
  const nextLock = await locks.acquire(next);
  try {
    for (const taken of [next, getArtifactsDirectory(next) as string])
      if (await files.info(taken, { follow: false })) throw new Fault('refused', `Not moved, because ${taken} exists`);
    const previous = await replaceHeader(files, file, { cwd, movedFrom: file });
    try {
      await files.rename(file, next);
    } catch (problem) {
      await replaceHeader(files, file, previous);
      throw problem;
    }
    await syncDirectory(files, getParentDirectory(next));
    await syncDirectory(files, getParentDirectory(file));
    await moveCompanions(files, file, next);
  } finally {
    await nextLock.release();
  }
}

/** Replaces the log by a copy with other fields in its header, at once. Returns their previous values. */
async function replaceHeader(
  files: Files,
  file: string,
  fields: Readonly<Record<string, unknown>>,
): Promise<Record<string, unknown>> {
  const temporary = `${file}.moving`;
  // A leftover of a crash. The lock is held, so no other process uses it.
  await removeIfExists(files, temporary);
  const log = await files.open(file, 'read');
  try {
    const { end } = await readHeader(log, file);
    const header: unknown = JSON.parse(new TextDecoder().decode(await readChunk(log, 0, end)));
    if (!isRecord(header)) throw new Error('the header is not an object');
    const copy = await files.open(temporary, 'create', { mode: 0o600 });
    try {
      await writeFully(copy, Buffer.from(`${toJson({ ...header, ...fields })}\n`));
      await copyRest(log, end, copy);
      await copy.sync();
    } finally {
      await copy.close();
    }
    await files.rename(temporary, file);
    await syncDirectory(files, getParentDirectory(file));
    return Object.fromEntries(Object.keys(fields).map((name) => [name, header[name]]));
  } catch (problem) {
    await removeIfExists(files, temporary).catch(() => {});
    throw problem;
  } finally {
    await log.close().catch(() => {});
  }
}

async function copyRest(log: OpenFile, from: number, copy: OpenFile): Promise<void> {
  const size = await log.size();
  for (let at = from; at < size; at += CHUNK_BYTES)
    await writeFully(copy, await readChunk(log, at, Math.min(CHUNK_BYTES, size - at)));
}

/** Moves what lies beside the log. Can be repeated. A digest is only removed, because it belongs to one version of the log. */
async function moveCompanions(files: Files, file: string, next: string): Promise<void> {
  const [artifacts, nextArtifacts] = [getArtifactsDirectory(file), getArtifactsDirectory(next)];
  const kind = artifacts && (await files.info(artifacts, { follow: false }))?.kind;
  if (artifacts && nextArtifacts && kind === 'directory') await files.rename(artifacts, nextArtifacts);
  const folder = getParentDirectory(file);
  for (const { name } of await files.list(folder)) {
    const path = `${folder}/${name}`;
    if (isBackupOf(file, path)) await files.rename(path, `${next}${path.slice(file.length)}`);
  }
  await removeIfExists(files, getDigestPath(file));
}

/** Completes a move that a crash has interrupted after the log was moved. Call only while holding the lock of the log. */
export async function completeMove(files: Files, file: string, movedFrom: unknown): Promise<void> {
  if (typeof movedFrom !== 'string' || movedFrom === file || getFileName(movedFrom) !== getFileName(file)) return;
  const [artifacts, own] = [getArtifactsDirectory(movedFrom), getArtifactsDirectory(file)];
  if (!artifacts || !own) return;
  const [left, log, taken] = await Promise.all(
    [artifacts, movedFrom, own].map((path) => files.info(path, { follow: false })),
  );
  // A log in the old place means that the artifacts belong to it.
  if (left?.kind === 'directory' && !log && !taken) await moveCompanions(files, movedFrom, file);
}
