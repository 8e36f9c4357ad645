// Files port for a fast start. Reads small files and folders of the user's Parley directory synchronously: Node's asynchronous file
// access starts four threads at first use, and each call costs more than the read itself. Everything else is loaded from files.ts
// and asynchronous, because a project may be on a disk that hangs.
import { lstatSync, readdirSync, readFileSync, type Stats, statSync } from 'node:fs';
import { sep } from 'node:path';
import { getSystemErrorCode } from '../../base/fault.ts';
import type { Files } from '../../contracts/ports.ts';
import { forwardFiles } from '../../support/forward-files.ts';
import { readUserId, toFileInfo, toFileKind } from './file-info.ts';
import { makeDirectorySync } from './make-directory-sync.ts';

const SMALL_FILE_BYTES = 256 * 1024;

/** @param agentDirectory The user's Parley directory. */
export function createLazyFiles(agentDirectory?: string): Files {
  let asyncFiles: Files | undefined;
  const load = async () => {
    asyncFiles ??= (await import('./files.ts')).createFiles();
    return asyncFiles;
  };
  const isInAgentDirectory = (path: string) => agentDirectory !== undefined && path.startsWith(agentDirectory + sep);
  return {
    ...forwardFiles(load),
    get userId() {
      return readUserId();
    },
    info: async (path, options) => {
      if (!isInAgentDirectory(path)) return (await load()).info(path, options);
      const stats = statOrUndefined(path, options?.follow ?? true);
      return stats && toFileInfo(stats);
    },
    read: async (path, range) =>
      range === undefined && isInAgentDirectory(path) && isSmallFile(path)
        ? readFileSync(path)
        : (await load()).read(path, range),
    list: async (directory) => {
      if (!isInAgentDirectory(directory)) return (await load()).list(directory);
      return readdirSync(directory, { withFileTypes: true }).map((e) => ({ name: e.name, kind: toFileKind(e) }));
    },
    makeDirectory: async (path, options) => {
      if (!isInAgentDirectory(path)) return (await load()).makeDirectory(path, options);
      makeDirectorySync(path, options);
    },
  };
}

function statOrUndefined(path: string, follow: boolean): Stats | undefined {
  try {
    return (follow ? statSync : lstatSync)(path, { throwIfNoEntry: false });
  } catch (error) {
    if (getSystemErrorCode(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

/** Excludes pipes, because reading one would block the process. */
function isSmallFile(path: string): boolean {
  const stats = statOrUndefined(path, true);
  return stats?.isFile() === true && stats.size <= SMALL_FILE_BYTES;
}
