// The app's real files: putting a whole new file in the place of an old one. Knows nothing of what is inside.
import { constants } from 'node:fs';
import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import { resolveLinks } from './files-resolve.ts';
import { createIds } from './ids.ts';

const { O_CREAT, O_EXCL, O_RDONLY, O_WRONLY } = constants;
const ids = createIds();

/** Behind a link, the file it points to is replaced and the link stays. Without `mode` the old file's mode is kept. */
export async function replaceFile(file: string, bytes: Uint8Array, options: { mode?: number } = {}): Promise<void> {
  const target = await resolveLinks(file);
  const directory = path.dirname(target);
  const old = await fs.stat(target).catch(() => undefined);
  // /dev/null must not become a file, whoever may do it.
  if (old && !old.isFile() && !old.isDirectory()) return writeInto(target, bytes, old.isCharacterDevice());
  const mode = options.mode ?? (old && old.mode & 0o7777);
  const temporary = path.join(directory, `.parley-${ids.uuid()}.tmp`);
  await writeSynced(temporary, bytes, mode);
  try {
    await fs.rename(temporary, target);
  } catch (error) {
    await fs.rm(temporary, { force: true });
    throw error;
  }
  await syncDirectory(directory);
}

async function writeInto(target: string, bytes: Uint8Array, isDevice: boolean): Promise<void> {
  // A pipe would hold us up until somebody reads it.
  if (!isDevice) throw Object.assign(new Error(`${target} is no regular file`), { code: 'EINVAL' });
  await fs.writeFile(target, bytes);
}

async function writeSynced(file: string, bytes: Uint8Array, mode: number | undefined): Promise<void> {
  const handle = await fs.open(file, O_CREAT | O_EXCL | O_WRONLY, mode);
  try {
    // The umask may have taken bits away that were asked for.
    if (mode !== undefined) await handle.chmod(mode);
    await handle.writeFile(bytes);
    await handle.sync();
  } catch (error) {
    await fs.rm(file, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
}

/** Makes the new name itself survive a power cut. Some systems cannot open or sync a directory; the rename stands anyway. */
async function syncDirectory(directory: string): Promise<void> {
  const handle = await fs.open(directory, O_RDONLY).catch(() => undefined);
  if (!handle) return;
  try {
    await handle.sync();
  } catch {
    // See above.
  } finally {
    await handle.close();
  }
}
