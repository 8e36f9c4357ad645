// The hall: where the user is at home. Node's `os` says the same, but a start that asks it waits a millisecond more.
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

export function homeDirectory(env: Readonly<Record<string, string | undefined>> = process.env): string {
  if (process.platform !== 'win32' && env.HOME) return env.HOME;
  return os().homedir();
}

/** A path as people and extensions write it. */
export function pathFrom(path: string, { cwd, home }: { cwd: string; home?: string | undefined }): string {
  if (path !== '~' && !path.startsWith('~/')) return resolve(cwd, path);
  return join(home ?? homeDirectory(), path.slice(1));
}

export function hostName(): string {
  return os().hostname();
}

/** Newer versions of Node spare us the making of a `require`, which costs half a millisecond. */
function os(): typeof import('node:os') {
  return process.getBuiltinModule?.('node:os') ?? createRequire(import.meta.url)('node:os');
}
