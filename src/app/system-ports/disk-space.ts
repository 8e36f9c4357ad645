// Reads the free space of the disk that holds a path. Used only by `parley doctor`.
import { constants } from 'node:fs';
import { access, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';

export interface DiskSpace {
  freeBytes: number;
  writable: boolean;
}

/** Checks the path, or the nearest parent folder that exists. */
export async function readDiskSpace(path: string): Promise<DiskSpace> {
  try {
    const { bavail, bsize } = await statfs(path);
    const writable = await access(path, constants.W_OK).then(
      () => true,
      () => false,
    );
    return { freeBytes: bavail * bsize, writable };
  } catch (problem) {
    const parent = dirname(path);
    if (parent === path) throw problem;
    return readDiskSpace(parent);
  }
}
