// Replaces a file atomically: writes a temporary file and renames it.
import { constants } from 'node:fs';
import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import { createIds } from './ids.ts';
import { resolveLinks } from './resolve-links.ts';

const { O_CREAT, O_EXCL, O_RDONLY, O_WRONLY } = constants;
const ids = createIds();

/** If `file` is a link, its target is replaced and the link stays. Without `mode` the mode of the old file is kept. */
export async function replaceFile(file: string, bytes: Uint8Array, options: { mode?: number } = {}): Promise<void> {
  return replaceResolvedFile(await resolveLinks(file), bytes, options);
}

/** If `target` is a link, it is replaced itself. */
export async function replaceResolvedFile(
  target: string,
  bytes: Uint8Array,
  options: { mode?: number | undefined },
): Promise<void> {
  const directory = path.dirname(target);
  const old = await fs.lstat(target).catch(() => undefined);
  // A device such as /dev/null must not be replaced by a file, which root could do.
  if (old && !old.isFile() && !old.isDirectory() && !old.isSymbolicLink())
    return writeInto(target, bytes, old.isCharacterDevice());
  const mode = options.mode ?? (old && !old.isSymbolicLink() ? old.mode & 0o7777 : undefined);
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
  // Writing to a pipe would block until another process reads it.
  if (!isDevice) throw Object.assign(new Error(`${target} is not a regular file`), { code: 'EINVAL' });
  await fs.writeFile(target, bytes);
}

async function writeSynced(file: string, bytes: Uint8Array, mode: number | undefined): Promise<void> {
  const handle = await fs.open(file, O_CREAT | O_EXCL | O_WRONLY, mode);
  try {
    // The umask may have removed requested bits.
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

/** Makes the rename survive a power failure. Ignored on systems that cannot open or sync a directory. */
async function syncDirectory(directory: string): Promise<void> {
  const handle = await fs.open(directory, O_RDONLY).catch(() => undefined);
  if (!handle) return;
  try {
    await handle.sync();
  } catch {
    // Not supported; see above.
  } finally {
    await handle.close();
  }
}
