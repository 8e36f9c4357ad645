// The app's real files as a start meets them. Small files and folders of the user's own directory are looked at here and now:
// the first trip to another thread starts four, and every trip costs more than the looking. All else waits for files.ts and goes that way, since
// a project may lie on a disk that hangs.
import { lstatSync, readdirSync, readFileSync, type Stats, statSync } from 'node:fs';
import { sep } from 'node:path';
import { systemCode } from '../../base/fault.ts';
import type { Files } from '../../contracts/ports.ts';
import { infoOf, kindOf, userId } from './file-info.ts';
import { makeDirectoryNow } from './make-directory-now.ts';

const SMALL = 256 * 1024;

/** @param own The user's own directory. */
export function createLazyFiles(own?: string): Files {
  let real: Files | undefined;
  const load = async () => {
    real ??= (await import('./files.ts')).createFiles();
    return real;
  };
  const isOwn = (path: string) => own !== undefined && path.startsWith(own + sep);
  return {
    get userId() {
      return userId();
    },
    info: async (path, options) => {
      if (!isOwn(path)) return (await load()).info(path, options);
      const stats = look(path, options?.follow ?? true);
      return stats && infoOf(stats);
    },
    read: async (path, range) =>
      range === undefined && isOwn(path) && isSmallFile(path) ? readFileSync(path) : (await load()).read(path, range),
    resolve: async (path) => (await load()).resolve(path),
    list: async (directory) => {
      if (!isOwn(directory)) return (await load()).list(directory);
      return readdirSync(directory, { withFileTypes: true }).map((e) => ({ name: e.name, kind: kindOf(e) }));
    },
    write: async (path, bytes, options) => (await load()).write(path, bytes, options),
    replace: async (path, bytes, options) => (await load()).replace(path, bytes, options),
    rename: async (from, to) => (await load()).rename(from, to),
    makeDirectory: async (path, options) => {
      if (!isOwn(path)) return (await load()).makeDirectory(path, options);
      makeDirectoryNow(path, options);
    },
    temporaryDirectory: async (prefix) => (await load()).temporaryDirectory(prefix),
    remove: async (path, options) => (await load()).remove(path, options),
    open: async (path, purpose, options) => (await load()).open(path, purpose, options),
  };
}

function look(path: string, follow: boolean): Stats | undefined {
  try {
    return (follow ? statSync : lstatSync)(path, { throwIfNoEntry: false });
  } catch (error) {
    if (systemCode(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

/** Reading a pipe would hold everything up. */
function isSmallFile(path: string): boolean {
  const stats = look(path, true);
  return stats?.isFile() === true && stats.size <= SMALL;
}
