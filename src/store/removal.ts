// The store's way of forgetting: a session with everything that belongs to it, and nothing that does not.
import { Fault, messageOf } from '../base/fault.ts';
import type { Files } from '../contracts/ports.ts';
import { removeIfThere } from './disk.ts';
import { sessionPath } from './header.ts';
import { idOf } from './listing.ts';
import type { Locks } from './lock.ts';
import { artifactsFolder, digestFile, folderOf, isBackupOf } from './places.ts';

export async function removeSession(files: Files, locks: Locks, path: string): Promise<void> {
  try {
    const file = await sessionPath(files, path);
    if ((await idOf(files, file)) === undefined) throw new Fault('refused', `Not a session, so it stays: ${path}`);
    const lock = await locks.take(file);
    try {
      await removeAll(files, file);
    } finally {
      await lock.release();
    }
  } catch (cause) {
    if (cause instanceof Fault) throw cause;
    throw new Fault('storage', `Cannot remove session ${path}: ${messageOf(cause)}`, { cause });
  }
}

/** The log goes last: as long as it is there, the session is listed and can be removed again. */
async function removeAll(files: Files, file: string): Promise<void> {
  const artifacts = artifactsFolder(file);
  const kind = artifacts && (await files.info(artifacts, { follow: false }))?.kind;
  if (artifacts && kind === 'directory') await files.remove(artifacts, { recursive: true });
  const folder = folderOf(file);
  for (const { name } of await files.list(folder)) {
    if (isBackupOf(file, `${folder}/${name}`)) await files.remove(`${folder}/${name}`);
  }
  await removeIfThere(files, digestFile(file));
  await files.remove(file);
}
