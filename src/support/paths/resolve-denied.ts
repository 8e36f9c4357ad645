// Resolves the links in many paths, most of which do not exist.
import { basename, dirname, join } from 'node:path';
import type { Files } from '../../contracts/index.ts';

/**
 * Each path as it is written and with its links resolved. Each directory is resolved and listed once: asking for every single path takes
 * ten times as long.
 */
export async function resolveDenied(
  files: Pick<Files, 'realPath' | 'list'>,
  paths: readonly string[],
): Promise<readonly string[]> {
  const byDirectory = new Map<string, string[]>();
  for (const path of paths) {
    const names = byDirectory.get(dirname(path)) ?? [];
    byDirectory.set(dirname(path), [...names, basename(path)]);
  }
  const resolved = await Promise.all(
    [...byDirectory].map(async ([directory, names]) => {
      // A directory that cannot be reached is denied by its name.
      const real = await files.realPath(directory).catch(() => directory);
      const entries = await files.list(real).catch(() => []);
      const links = names.filter((name) => entries.find((entry) => entry.name === name)?.kind === 'link');
      const targets = links.map((name) => files.realPath(join(real, name)).catch(() => join(real, name)));
      return [...names.map((name) => join(real, name)), ...(await Promise.all(targets))];
    }),
  );
  return [...new Set([...paths, ...resolved.flat()])];
}
