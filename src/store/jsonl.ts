// The store that remembers: one JSON line per entry, only ever added. Knows what a file is; knows nothing of conversations.
import type { Clock, Files } from '../contracts/ports.ts';
import type { SessionStore } from '../contracts/store.ts';
import { newBlockFile } from './jsonl-file.ts';
import { createJsonlLog } from './jsonl-log.ts';
import { newestSession, summaries } from './listing.ts';
import { locateSession } from './locate.ts';
import { createLocks, type ProcessIdentity } from './lock.ts';
import { sessionFileName } from './places.ts';
import { removeSession } from './removal.ts';
import { resumeSession } from './resume.ts';

export interface JsonlStoreOptions {
  readonly files: Files;
  readonly clock: Clock;
  /** Who we are to other processes, and whether they still run. */
  readonly identity: ProcessIdentity;
  /** Where the files lie; see sessionFolder. Made when the first one is written. */
  readonly directory: string;
}

export function createJsonlStore({ files, clock, identity, directory }: JsonlStoreOptions): SessionStore {
  const locks = createLocks({ files, clock, identity });
  return {
    create(header) {
      const file = `${directory}/${sessionFileName(clock.now(), header.id)}`;
      const target = newBlockFile(files, file, () => locks.take(file));
      return createJsonlLog({ files, file, target, header });
    },
    resume: (path) => resumeSession(files, locks, path),
    locate: (wanted) => locateSession(files, directory, wanted),
    latest: () => newestSession(files, directory),
    list: () => summaries(files, directory),
    remove: (path) => removeSession(files, locks, path),
  };
}
