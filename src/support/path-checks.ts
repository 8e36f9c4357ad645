// Checks whether a path is inside a directory and whether other users could have written a file.
import { isAbsolute, relative } from 'node:path';
import type { FileInfo, Files } from '../contracts/index.ts';

/** Whether `path` is below `root`. Both must have all links resolved. */
export function isInside(root: string, path: string): boolean {
  const relativePath = relative(root, path);
  return relativePath !== '' && relativePath !== '..' && !relativePath.startsWith('../') && !isAbsolute(relativePath);
}

/** The real path with all links resolved; `undefined` when it is not below `directory`. */
export async function resolveInside(
  files: Pick<Files, 'realPath'>,
  directory: string,
  path: string,
): Promise<string | undefined> {
  const [root, real] = await Promise.all([files.realPath(directory), files.realPath(path)]);
  return isInside(root, real) ? real : undefined;
}

/**
 * The reason why users other than this one and root can control the file; `undefined` when they cannot. The sticky bit is
 * ignored: every user may add files to a sticky directory.
 */
export function findOwnershipProblem(
  { owner, mode }: Pick<FileInfo, 'owner' | 'mode'>,
  userId: number | undefined,
): string | undefined {
  if (owner === undefined || userId === undefined) return undefined;
  if (owner !== userId && owner !== 0) return `belongs to another user (id ${owner})`;
  return (mode & 0o002) === 0 ? undefined : 'can be written by every user';
}
