// Reads a session of a database for `parley export`.
import type { Files, StoredSession } from '../../contracts/index.ts';
import { createLogFiles } from '../../store/postgres/log-files.ts';
import { parseReference } from '../../store/postgres/session-reference.ts';
import { readSession } from '../../store/read-session.ts';
import { formatIdForFileName } from '../../store/session-paths.ts';
import type { OpenedStorage } from '../session-storage.ts';

/** Where the log of a session and those of its subagents are read. */
export interface SessionSource {
  readonly path: string;
  /** Of the page, without the file extension. */
  readonly name: string;
  readonly files: Files;
  read(path: string): Promise<StoredSession>;
}

export async function openStoredSource({ openStore, postgres }: OpenedStorage, name: string): Promise<SessionSource> {
  const path = await openStore().locate(name);
  const files = createLogFiles(postgres);
  const id = parseReference(path) ?? path;
  return { path, name: formatIdForFileName(id), files, read: (file) => readSession(files, file) };
}
