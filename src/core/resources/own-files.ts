// First floor, core: which files may be read for a project on the word of the project alone. Pure but for resolving links.
import { isAbsolute, relative } from 'node:path';
import type { FileInfo, Files } from '../../contracts/index.ts';

/** Whether `path` is below `root`. Both have every link resolved. */
export function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== '' && way !== '..' && !way.startsWith('../') && !isAbsolute(way);
}

/** Where a path leads, with every link resolved; `undefined` when that is not below `directory`. */
export async function resolveInside(
  files: Pick<Files, 'resolve'>,
  directory: string,
  path: string,
): Promise<string | undefined> {
  const [root, real] = await Promise.all([files.resolve(directory), files.resolve(path)]);
  return isInside(root, real) ? real : undefined;
}

/**
 * Why users other than this one and root decide what is there; `undefined` when they do not. A sticky bit makes no
 * difference: everybody may add a file to such a directory.
 */
export function othersDecide(
  { owner, mode }: Pick<FileInfo, 'owner' | 'mode'>,
  userId: number | undefined,
): string | undefined {
  if (owner === undefined || userId === undefined) return undefined;
  if (owner !== userId && owner !== 0) return `belongs to another user (id ${owner})`;
  return (mode & 0o002) === 0 ? undefined : 'can be written by every user';
}
