// File operations shared by session files and lock files.
import { getSystemErrorCode } from '../base/fault.ts';
import type { Files, OpenFile } from '../contracts/ports.ts';

/** The system may write only a part of the data, most likely when the disk is nearly full. */
export async function writeFully(target: OpenFile, block: Uint8Array): Promise<void> {
  for (let rest = block; rest.length > 0; ) {
    const written = await target.append(rest);
    if (written <= 0) throw new Error('write returned 0 bytes');
    rest = rest.subarray(written);
  }
}

/** A new directory entry survives a power failure only after a sync of its directory. Not every system supports that. */
export async function syncDirectory(files: Files, directory: string): Promise<void> {
  try {
    const folder = await files.open(directory, 'read');
    await folder.sync().finally(() => folder.close());
  } catch {
    // Ignored: on common file systems, the sync of the file also persists its directory entry.
  }
}

export async function removeIfExists(files: Files, path: string): Promise<void> {
  try {
    await files.remove(path);
  } catch (error) {
    if (getSystemErrorCode(error) !== 'ENOENT') throw error;
  }
}
