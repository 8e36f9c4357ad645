// The app's look at the disk that would hold a path. For the doctor only; no run asks for it.
import { constants } from 'node:fs';
import { access, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';

export interface DiskSpace {
  freeBytes: number;
  writable: boolean;
}

/** Of the path, or of the nearest folder above it that exists. */
export async function diskSpace(path: string): Promise<DiskSpace> {
  try {
    const { bavail, bsize } = await statfs(path);
    const writable = await access(path, constants.W_OK).then(
      () => true,
      () => false,
    );
    return { freeBytes: bavail * bsize, writable };
  } catch (problem) {
    const above = dirname(path);
    if (above === path) throw problem;
    return diskSpace(above);
  }
}
