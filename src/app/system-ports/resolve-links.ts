// Resolves all symbolic links in a path, also when the file does not exist.
import { lstat, readlink, realpath } from 'node:fs/promises';
import * as path from 'node:path';
import { getSystemErrorCode } from '../../base/fault.ts';

/** The limit of the Linux kernel. */
const MAX_LINKS = 40;

export async function resolveLinks(file: string): Promise<string> {
  try {
    return await realpath(file);
  } catch (error) {
    if (!isMissing(error)) throw error;
    return resolveParts(file);
  }
}

/**
 * Resolves part by part, as the kernel does. Also follows a link whose target does not exist: creating the file would create it
 * where the link points.
 */
async function resolveParts(file: string): Promise<string> {
  // Not path.resolve, which would remove `link/..` before the link is resolved.
  const absolutePath = path.isAbsolute(file) ? file : `${process.cwd()}${path.sep}${file}`;
  let resolved = path.parse(absolutePath).root;
  const rest = splitPath(absolutePath);
  let links = 0;
  for (let part = rest.shift(); part !== undefined; part = rest.shift()) {
    const next = path.join(resolved, part);
    const target = part === '..' ? undefined : await readLinkTarget(next);
    if (target === undefined) {
      resolved = next;
      continue;
    }
    links += 1;
    if (links > MAX_LINKS)
      throw Object.assign(new Error(`ELOOP: too many symbolic links, '${file}'`), { code: 'ELOOP' });
    if (path.isAbsolute(target)) resolved = path.parse(target).root;
    rest.unshift(...splitPath(target));
  }
  return resolved;
}

function splitPath(filePath: string): string[] {
  const { root } = path.parse(filePath);
  return filePath
    .slice(root.length)
    .split(path.sep === '/' ? '/' : /[\\/]/)
    .filter((part) => part !== '' && part !== '.');
}

async function readLinkTarget(file: string): Promise<string | undefined> {
  try {
    return (await lstat(file)).isSymbolicLink() ? await readlink(file) : undefined;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  const code = getSystemErrorCode(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}
