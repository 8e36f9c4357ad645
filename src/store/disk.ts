// The store's small steps on the disk, shared by its files and its locks. Knows nothing of sessions.
import { systemCode } from '../base/fault.ts';
import type { Files, OpenFile } from '../contracts/ports.ts';

/** The system may take a part of what it is given, most likely just before it takes no more. */
export async function writeWhole(target: OpenFile, block: Uint8Array): Promise<void> {
  for (let rest = block; rest.length > 0; ) {
    const taken = await target.append(rest);
    if (taken <= 0) throw new Error('the system took no bytes');
    rest = rest.subarray(taken);
  }
}

/** A new name survives a power cut only with its directory. Best effort: not every system can sync a directory. */
export async function syncFolder(files: Files, directory: string): Promise<void> {
  try {
    const folder = await files.open(directory, 'read');
    await folder.sync().finally(() => folder.close());
  } catch {
    // The file's own sync carries the name along on the file systems that matter.
  }
}

export async function removeIfThere(files: Files, path: string): Promise<void> {
  try {
    await files.remove(path);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
  }
}
