// The app's real files: where a path leads once every link in it is followed. Decides nothing about who may go there.
import { lstat, readlink, realpath } from 'node:fs/promises';
import * as path from 'node:path';
import { systemCode } from '../../base/fault.ts';

/** As many as the kernel follows. */
const MOST_LINKS = 40;

export async function resolveLinks(file: string): Promise<string> {
  try {
    return await realpath(file);
  } catch (error) {
    if (!isAbsence(error)) throw error;
    return walk(file);
  }
}

/**
 * Goes down part by part, as the kernel does. A link whose target does not exist yet is followed too: whoever created
 * "the missing file" would create it where the link points.
 */
async function walk(file: string): Promise<string> {
  // Not path.resolve: it would strike out `link/..` before the link is known.
  const whole = path.isAbsolute(file) ? file : `${process.cwd()}${path.sep}${file}`;
  let at = path.parse(whole).root;
  const rest = partsOf(whole);
  let links = 0;
  for (let part = rest.shift(); part !== undefined; part = rest.shift()) {
    const next = path.join(at, part);
    const target = part === '..' ? undefined : await linkTarget(next);
    if (target === undefined) {
      at = next;
      continue;
    }
    links += 1;
    if (links > MOST_LINKS)
      throw Object.assign(new Error(`ELOOP: too many symbolic links, '${file}'`), { code: 'ELOOP' });
    if (path.isAbsolute(target)) at = path.parse(target).root;
    rest.unshift(...partsOf(target));
  }
  return at;
}

function partsOf(whole: string): string[] {
  const { root } = path.parse(whole);
  return whole
    .slice(root.length)
    .split(path.sep === '/' ? '/' : /[\\/]/)
    .filter((part) => part !== '' && part !== '.');
}

async function linkTarget(file: string): Promise<string | undefined> {
  try {
    return (await lstat(file)).isSymbolicLink() ? await readlink(file) : undefined;
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}

function isAbsence(error: unknown): boolean {
  const code = systemCode(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}
