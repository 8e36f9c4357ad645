// Finds the home directory and resolves user paths. Loads `node:os` only when needed, which saves about 1 ms at start.
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

export function homeDirectory(env: Readonly<Record<string, string | undefined>> = process.env): string {
  if (process.platform !== 'win32' && env.HOME) return env.HOME;
  return loadOs().homedir();
}

/** Resolves a path from a user or an extension: relative to `cwd`, or to the home directory after `~`. */
export function resolveUserPath(path: string, { cwd, home }: { cwd: string; home?: string | undefined }): string {
  if (path !== '~' && !path.startsWith('~/')) return resolve(cwd, path);
  return join(home ?? homeDirectory(), path.slice(1));
}

/** Paths of the user's settings. Relative ones are relative to the home directory, because the settings apply in every directory. */
export function resolveSettingPaths(paths: readonly string[], home: string): string[] {
  return paths.map((path) => resolveUserPath(path, { cwd: home, home }));
}

export function hostName(): string {
  return loadOs().hostname();
}

/** Newer versions of Node have `getBuiltinModule`, which avoids creating a `require` (about 0.5 ms). */
function loadOs(): typeof import('node:os') {
  return process.getBuiltinModule?.('node:os') ?? createRequire(import.meta.url)('node:os');
}
