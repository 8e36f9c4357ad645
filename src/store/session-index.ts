// Finds the stored sessions of all working directories.
import type { Ports, ProcessIdentity, SessionIndex, SessionStore } from '../contracts/index.ts';
import { createJsonlStore } from './jsonl-store.ts';
import { createSessionLocks } from './session-lock.ts';
import { getSessionDirectory, listSessionDirectories } from './session-paths.ts';

interface SessionIndexOptions {
  readonly ports: Pick<Ports, 'files' | 'clock'>;
  readonly identity: ProcessIdentity;
  readonly agentDirectory: string;
  /** The only folder to search, if set. */
  readonly sessionDirectory?: string | undefined;
}

export function createSessionIndex(options: SessionIndexOptions): SessionIndex {
  const { ports, identity, agentDirectory, sessionDirectory } = options;
  const { files, clock } = ports;
  const listFolders = async () =>
    sessionDirectory === undefined ? await listSessionDirectories(files, agentDirectory) : [sessionDirectory];
  /** The sessions of a working directory are in one folder. */
  const listFoldersOf = async (cwd: string | undefined) =>
    cwd === undefined || sessionDirectory !== undefined ? listFolders() : [getSessionDirectory(agentDirectory, cwd)];
  const openStores = async (): Promise<SessionStore[]> =>
    (await listFolders()).map((directory) => createJsonlStore({ files, clock, identity, directory }));
  const list = async () => {
    const lists = await Promise.all((await openStores()).map((store) => store.list()));
    return lists.flat().sort((a, b) => b.modifiedMs - a.modifiedMs);
  };
  return {
    list,
    async search(query) {
      const { searchSessions } = await import('./search-sessions.ts');
      return searchSessions({ files, clock, directories: await listFoldersOf(query.cwd) }, query);
    },
    async locate(reference) {
      const { locateInFolders } = await import('./locate-in-folders.ts');
      return locateInFolders(files, await listFolders(), reference);
    },
    async find(id) {
      const { findInFolders } = await import('./locate-in-folders.ts');
      return findInFolders(files, await listFolders(), id);
    },
    async readDirectory(path) {
      return (await import('./list-sessions.ts')).readSessionDirectory(files, path);
    },
    async readSidecar(path, name) {
      return (await import('./read-sidecar.ts')).readSidecar(files, path, name);
    },
    async move(path, cwd) {
      const { moveSession } = await import('./move-session.ts');
      const directory = sessionDirectory ?? getSessionDirectory(agentDirectory, cwd);
      return moveSession(files, createSessionLocks({ files, clock, identity }), path, { cwd, directory });
    },
    async remove(path) {
      await (await openStores())[0]?.remove(path);
    },
  };
}
