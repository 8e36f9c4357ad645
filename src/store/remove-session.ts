// Removes a session with its artifacts, backups and digest.
import { Fault, getErrorMessage } from '../base/fault.ts';
import type { Files } from '../contracts/ports.ts';
import { removeIfExists } from '../support/file-operations.ts';
import { readSessionId } from './list-sessions.ts';
import { resolveSessionPath } from './session-header.ts';
import type { SessionLocks } from './session-lock.ts';
import { getArtifactsDirectory, getDigestPath, getParentDirectory, isBackupOf } from './session-paths.ts';

export async function removeSession(files: Files, locks: SessionLocks, path: string): Promise<void> {
  try {
    const file = await resolveSessionPath(files, path);
    if ((await readSessionId(files, file)) === undefined)
      throw new Fault('refused', `Not removed, because it is not a session: ${path}`);
    const lock = await locks.acquire(file);
    try {
      await removeSessionFiles(files, file);
    } finally {
      await lock.release();
    }
  } catch (cause) {
    if (cause instanceof Fault) throw cause;
    throw new Fault('storage', `Cannot remove session ${path}: ${getErrorMessage(cause)}`, { cause });
  }
}

/** The log is removed last: as long as it exists, the session is listed and the removal can be repeated. */
async function removeSessionFiles(files: Files, file: string): Promise<void> {
  const artifacts = getArtifactsDirectory(file);
  const kind = artifacts && (await files.info(artifacts, { follow: false }))?.kind;
  if (artifacts && kind === 'directory') await files.remove(artifacts, { recursive: true });
  const folder = getParentDirectory(file);
  for (const { name } of await files.list(folder)) {
    if (isBackupOf(file, `${folder}/${name}`)) await files.remove(`${folder}/${name}`);
  }
  await removeIfExists(files, getDigestPath(file));
  await files.remove(file);
}
