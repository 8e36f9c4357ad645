// The hall: every session that is kept, whatever its directory.
import type { Ports, SessionStore, SessionSummary } from '../../contracts/index.ts';
import { createJsonlStore, sessionFolders } from '../../store/index.ts';
import { createProcessIdentity } from '../system-ports/process-identity.ts';

export interface Shelves {
  /** Newest first. */
  list(): Promise<readonly SessionSummary[]>;
  /** The path of the session with exactly this id. */
  find(id: string): Promise<string | undefined>;
  remove(path: string): Promise<void>;
}

interface Surroundings {
  readonly ports: Pick<Ports, 'files' | 'clock'>;
  readonly agentDirectory: string;
  /** The only folder, where one was named. */
  readonly sessionDirectory?: string | undefined;
}

export function createShelves({ ports, agentDirectory, sessionDirectory }: Surroundings): Shelves {
  const { files, clock } = ports;
  const identity = createProcessIdentity();
  const stores = async (): Promise<SessionStore[]> => {
    const folders = sessionDirectory === undefined ? await sessionFolders(files, agentDirectory) : [sessionDirectory];
    return folders.map((directory) => createJsonlStore({ files, clock, identity, directory }));
  };
  const list = async () => {
    const lists = await Promise.all((await stores()).map((store) => store.list()));
    return lists.flat().sort((a, b) => b.modifiedMs - a.modifiedMs);
  };
  return {
    list,
    async find(id) {
      for (const store of await stores()) {
        const path = await store.locate(id).catch(() => undefined);
        // The beginning of an id is enough to be located; only all of it is meant here.
        if (path !== undefined && (await store.read(path)).header.id === id) return path;
      }
      return undefined;
    },
    async remove(path) {
      await (await stores())[0]?.remove(path);
    },
  };
}
