// Copies a session of the database to a session file with everything that belongs to it. The log gets its name last, so that a crash
// leaves no half session.
import { Fault, getErrorMessage } from '../../base/fault.ts';
import type { Files, OpenFile } from '../../contracts/ports.ts';
import { removeIfExists, syncDirectory, writeFully } from '../../support/file-operations.ts';
import { findInFolders } from '../locate-in-folders.ts';
import type { SessionLocks } from '../session-lock.ts';
import {
  formatSessionFileName,
  getArtifactsDirectory,
  getParentDirectory,
  getSessionDirectory,
  isBackupOf,
  isSessionFileName,
} from '../session-paths.ts';
import type { SessionKey } from './entry-rows.ts';
import { BACKUPS, BLOB_HASH, BLOBS, FILE_NAME } from './hidden-files.ts';
import { openLogReader } from './log-reader.ts';
import type { PostgresStorage } from './postgres-store.ts';
import { formatReference } from './session-reference.ts';
import { readFilePart, readStoredFile } from './stored-directory.ts';

export interface ExportOptions {
  /** The session is written to `sessions/` in it, in the folder of its working directory, and its images to `blobs/`. */
  readonly directory: string;
  /** Changes nothing. The result says what would be done. */
  readonly isDryRun: boolean;
}

export interface ExportedSession {
  readonly id: string;
  /** The session file. */
  readonly path: string;
  readonly outcome: 'exported' | 'exists';
  /** Of the session file and the files that belong to it. */
  readonly bytes: number;
  readonly files: number;
}

interface SessionRow {
  readonly cwd: string;
  readonly createdMs: number;
}

/** Where the parts of one session are written. */
interface Target {
  readonly file: string;
  readonly temporaryFile: string;
  readonly temporaryArtifacts: string;
  readonly blobs: string;
}

const SELECT = `select cwd, created_ms as "createdMs" from parley.sessions where tenant = $1 and id = $2`;
const SELECT_NAMES = `select name, max(part) as "lastPart" from parley.files where tenant = $1 and session = $2
  and name <> '${FILE_NAME}' group by name order by name`;
const CHUNK_BYTES = 4 * 1024 * 1024;
const PRIVATE_FILE = { mode: 0o600 };
const PRIVATE_DIRECTORY = { mode: 0o700 };

/** Only reads the session, which another process may be using. Throws a Fault when it cannot be read or written. */
export async function exportSession(
  storage: PostgresStorage,
  locks: SessionLocks,
  id: string,
  { directory, isDryRun }: ExportOptions,
): Promise<ExportedSession> {
  const { files } = storage;
  try {
    const row = await readRow(storage, id);
    const folder = getSessionDirectory(directory, row.cwd);
    const existing = await findInFolders(files, [folder], id);
    const nothing = { id, bytes: 0, files: 0 };
    if (existing !== undefined) return { ...nothing, path: existing, outcome: 'exists' };
    const file = await chooseFile(storage, folder, id, row);
    if (isDryRun) return { ...nothing, path: file, outcome: 'exported' };
    await files.makeDirectory(folder, PRIVATE_DIRECTORY);
    const lock = await locks.acquire(file);
    try {
      const target = createTarget(file, directory);
      const copied = await writeSession(storage, id, target);
      return { id, path: file, outcome: 'exported', ...copied };
    } finally {
      await lock.release();
    }
  } catch (cause) {
    if (cause instanceof Fault) throw cause;
    throw new Fault('storage', `Cannot export session ${formatReference(id)}: ${getErrorMessage(cause)}`, { cause });
  }
}

async function readRow({ database, tenant }: PostgresStorage, id: string): Promise<SessionRow> {
  const [row] = await database.tenantTransaction(tenant, (connection) =>
    connection.query<SessionRow>(SELECT, [tenant, id]),
  );
  if (!row) throw new Fault('not_found', `Session not found: ${formatReference(id)}`);
  return row;
}

/** The name that the file had before its import, if it is free. */
async function chooseFile(storage: PostgresStorage, folder: string, id: string, row: SessionRow): Promise<string> {
  const previous = await readStoredFile(storage, id, FILE_NAME);
  const own = formatSessionFileName(row.createdMs, id);
  const names = previous !== undefined && isSafeFileName(previous) ? [previous, own] : [own];
  const taken: string[] = [];
  for (const path of names.map((name) => `${folder}/${name}`)) {
    const occupied = [path, getArtifactsDirectory(path) as string];
    const infos = await Promise.all(occupied.map((each) => storage.files.info(each, { follow: false })));
    if (infos.every((info) => info === undefined)) return path;
    taken.push(...occupied.filter((_, at) => infos[at]));
  }
  throw new Fault('refused', `Not exported, because ${taken[0]} exists and does not belong to the session. Move it.`);
}

/** The content of the database is not trusted. */
function isSafeFileName(name: string): boolean {
  return isSessionFileName(name) && !/[/\\\0]/.test(name) && !name.startsWith('.');
}

function createTarget(file: string, directory: string): Target {
  const temporaryArtifacts = `${getArtifactsDirectory(file)}.exporting`;
  return { file, temporaryFile: `${file}.exporting`, temporaryArtifacts, blobs: `${directory}/blobs` };
}

async function writeSession(
  storage: PostgresStorage,
  id: string,
  target: Target,
): Promise<Pick<ExportedSession, 'bytes' | 'files'>> {
  const { files, tenant } = storage;
  const { file, temporaryFile, temporaryArtifacts } = target;
  // What a crash has left. The lock is held, so no other process uses it.
  await removeTemporary(files, target);
  try {
    const session = { tenant, id };
    const logBytes = await writeNewFile(files, temporaryFile, (written) => copyLog(storage, session, written));
    const copied = await copyFiles(storage, session, target);
    if (copied.hasArtifacts) await files.rename(temporaryArtifacts, getArtifactsDirectory(file) as string);
    await files.rename(temporaryFile, file);
    await syncDirectory(files, getParentDirectory(file));
    return { bytes: logBytes + copied.bytes, files: copied.count };
  } catch (problem) {
    await removeTemporary(files, target).catch(() => {});
    throw problem;
  }
}

async function removeTemporary(files: Files, { temporaryFile, temporaryArtifacts }: Target): Promise<void> {
  await removeIfExists(files, temporaryFile);
  if (await files.info(temporaryArtifacts, { follow: false }))
    await files.remove(temporaryArtifacts, { recursive: true });
}

async function writeNewFile(files: Files, path: string, fill: (target: OpenFile) => Promise<number>): Promise<number> {
  const target = await files.open(path, 'create', PRIVATE_FILE);
  try {
    const bytes = await fill(target);
    await target.sync();
    return bytes;
  } finally {
    await target.close();
  }
}

async function copyLog(storage: PostgresStorage, session: SessionKey, target: OpenFile): Promise<number> {
  const reader = await openLogReader(storage, session);
  const size = await reader.size();
  for (let at = 0; at < size; at += CHUNK_BYTES) await writeFully(target, await reader.read(at, CHUNK_BYTES));
  return size;
}

async function copyFiles(
  storage: PostgresStorage,
  session: SessionKey,
  target: Target,
): Promise<{ count: number; bytes: number; hasArtifacts: boolean }> {
  const { database, files } = storage;
  const rows = await database.tenantTransaction(session.tenant, (connection) =>
    connection.query<{ name: string; lastPart: number }>(SELECT_NAMES, [session.tenant, session.id]),
  );
  let bytes = 0;
  let hasArtifacts = false;
  for (const { name, lastPart } of rows) {
    const path = getFilePath(target, name);
    const isArtifact = !name.startsWith('/');
    hasArtifacts ||= isArtifact;
    // Files beside the log may belong to other sessions, too, and have the same content.
    if (!isArtifact && (await files.info(path, { follow: false }))) continue;
    await files.makeDirectory(getParentDirectory(path), PRIVATE_DIRECTORY);
    const temporary = isArtifact ? path : `${path}.exporting`;
    if (!isArtifact) await removeIfExists(files, temporary);
    bytes += await writeNewFile(files, temporary, (written) => copyParts(storage, session, name, lastPart, written));
    if (!isArtifact) await files.rename(temporary, path);
  }
  return { count: rows.length, bytes, hasArtifacts };
}

async function copyParts(
  storage: PostgresStorage,
  session: SessionKey,
  name: string,
  lastPart: number,
  target: OpenFile,
): Promise<number> {
  let bytes = 0;
  for (let part = 0; part <= lastPart; part += 1) {
    const content = await readFilePart(storage, session, name, part);
    await writeFully(target, content);
    bytes += content.length;
  }
  return bytes;
}

/** The content of the database is not trusted: a name must not lead out of its directory. */
function getFilePath({ file, temporaryArtifacts, blobs }: Target, name: string): string {
  const hash = name.startsWith(BLOBS) ? name.slice(BLOBS.length) : undefined;
  if (hash !== undefined && BLOB_HASH.test(hash)) return `${blobs}/${hash}`;
  const backup = name.startsWith(BACKUPS) ? `${file}.${name.slice(BACKUPS.length)}` : undefined;
  if (backup !== undefined && isBackupOf(file, backup)) return backup;
  const parts = name.split('/');
  if (name.includes('\0') || parts.some((part) => part === '' || part === '.' || part === '..'))
    throw new Fault('storage', `The database names a file that is not in the directory of its session: ${name}`);
  return `${temporaryArtifacts}/${name}`;
}
