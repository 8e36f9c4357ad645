// The store that remembers: one JSON line per entry, only ever added. Knows what a file is; knows nothing of conversations.
import type { Clock, Files } from '../contracts/ports.ts';
import type { SessionStore } from '../contracts/store.ts';
import { newBlockFile } from './jsonl-file.ts';
import { createJsonlLog } from './jsonl-log.ts';
import { createLocks, type ProcessIdentity } from './lock.ts';
import { sessionFileName } from './places.ts';

export interface JsonlStoreOptions {
  readonly files: Files;
  readonly clock: Clock;
  /** Who we are to other processes, and whether they still run. */
  readonly identity: ProcessIdentity;
  /** Where the files lie; see sessionFolder. Made when the first one is written. */
  readonly directory: string;
  /** How a new one is called; by default after its time and id. */
  readonly fileName?: string | undefined;
  /** From how many bytes on something is remembered of a log, beside it. */
  readonly longBytes?: number | undefined;
}

export function createJsonlStore(options: JsonlStoreOptions): SessionStore {
  const { files, clock, identity, directory, fileName, longBytes } = options;
  const locks = createLocks({ files, clock, identity });
  return {
    create(header, given) {
      const file = given ?? `${directory}/${fileName ?? sessionFileName(clock.now(), header.id)}`;
      const target = newBlockFile(files, file, () => locks.take(file), { mayExist: given !== undefined });
      return createJsonlLog({ files, clock, file, target, header, longBytes });
    },
    // Most starts begin a new session and never come here, so these are loaded when they are called.
    resume: async (path) => (await import('./resume.ts')).resumeSession({ files, clock, locks, longBytes }, path),
    read: async (path) => (await import('./read-session.ts')).readSession(files, path),
    locate: async (wanted, cwd) => (await import('./locate.ts')).locateSession(files, directory, wanted, cwd),
    emptyFile: async (wanted, cwd) => (await import('./locate.ts')).emptyFileAt(files, wanted, cwd),
    latest: async () => (await import('./listing.ts')).newestSession(files, directory),
    list: async () => (await import('./listing.ts')).summaries(files, directory),
    remove: async (path) => (await import('./removal.ts')).removeSession(files, locks, path),
  };
}
