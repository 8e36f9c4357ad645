// A session store with one append-only JSONL file per session.
import type { Clock, Files } from '../contracts/ports.ts';
import type { ProcessIdentity } from '../contracts/process-identity.ts';
import type { SessionStore } from '../contracts/session-store.ts';
import { createBlockFile } from './block-file.ts';
import { createJsonlLog } from './jsonl-log.ts';
import { createSessionLocks } from './session-lock.ts';
import { formatSessionFileName } from './session-paths.ts';

export interface JsonlStoreOptions {
  readonly files: Files;
  readonly clock: Clock;
  /** Identifies this process in locks and checks whether other processes are alive. */
  readonly identity: ProcessIdentity;
  /** Directory of the session files; see getSessionDirectory. Created with the first file. */
  readonly directory: string;
  /** Name of a new session file. Default: from its time and id. */
  readonly fileName?: string | undefined;
  /** Minimum size of a log for which a digest is written. */
  readonly digestMinBytes?: number | undefined;
}

export function createJsonlStore(options: JsonlStoreOptions): SessionStore {
  const { files, clock, identity, directory, fileName, digestMinBytes } = options;
  const locks = createSessionLocks({ files, clock, identity });
  return {
    directory,
    create(header, requestedFile, requestedDirectory) {
      const file =
        requestedFile ??
        `${requestedDirectory ?? directory}/${fileName ?? formatSessionFileName(clock.now(), header.id)}`;
      const target = createBlockFile(files, file, () => locks.acquire(file), { mayExist: requestedFile !== undefined });
      return createJsonlLog({ files, clock, file, target, header, digestMinBytes });
    },
    // Most starts create a new session and do not need these modules, so they are loaded on use.
    resume: async (path) =>
      (await import('./resume-session.ts')).resumeSession({ files, clock, locks, digestMinBytes }, path),
    read: async (path) => (await import('./read-session.ts')).readSession(files, path),
    locate: async (reference, cwd) =>
      (await import('./locate-session.ts')).locateSession(files, directory, reference, cwd),
    find: async (id) => (await import('./locate-in-folders.ts')).findInFolders(files, [directory], id),
    findEmptyFile: async (reference, cwd) => (await import('./locate-session.ts')).findEmptyFile(files, reference, cwd),
    findLatest: async (requestedDirectory = directory) =>
      (await import('./list-sessions.ts')).findLatestSession(files, requestedDirectory),
    list: async () => (await import('./list-sessions.ts')).listSummaries(files, directory),
    remove: async (path) => (await import('./remove-session.ts')).removeSession(files, locks, path),
  };
}
