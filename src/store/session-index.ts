// Finds the stored sessions of all working directories.
import type { Ports, ProcessIdentity, SessionStore, SessionSummary } from '../contracts/index.ts';
import { createJsonlStore } from './jsonl-store.ts';
import { listSessionDirectories } from './session-paths.ts';

export interface SessionIndex {
  /** Newest first. */
  list(): Promise<readonly SessionSummary[]>;
  /** The path of the session with exactly this id. */
  find(id: string): Promise<string | undefined>;
  remove(path: string): Promise<void>;
}

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
  const openStores = async (): Promise<SessionStore[]> => {
    const folders =
      sessionDirectory === undefined ? await listSessionDirectories(files, agentDirectory) : [sessionDirectory];
    return folders.map((directory) => createJsonlStore({ files, clock, identity, directory }));
  };
  const list = async () => {
    const lists = await Promise.all((await openStores()).map((store) => store.list()));
    return lists.flat().sort((a, b) => b.modifiedMs - a.modifiedMs);
  };
  return {
    list,
    async find(id) {
      const { readSessionId } = await import('./list-sessions.ts');
      for (const store of await openStores()) {
        const path = await store.locate(id).catch(() => undefined);
        // locate() also accepts the beginning of an id; here the whole id must match.
        if (path !== undefined && (await readSessionId(files, path)) === id) return path;
      }
      return undefined;
    },
    async remove(path) {
      await (await openStores())[0]?.remove(path);
    },
  };
}
