// Checks the path of a session file that the host has named.
import { join } from 'node:path';
import { getSystemErrorCode } from '../../base/index.ts';
import type { SessionGuard } from '../../contracts/index.ts';

export interface SessionFileScope {
  readonly guard: Pick<SessionGuard, 'guardFiles'> | undefined;
  readonly cwd: string;
  readonly agentDirectory: string;
  /** Other directories with sessions: that of the open session, and the configured one. */
  readonly directories: readonly (string | undefined)[];
}

/**
 * Throws a Fault with the code `refused` when the file is neither among the sessions nor in an allowed directory. The file may be missing:
 * a session can be created there.
 */
export async function checkSessionFile(scope: SessionFileScope, file: string): Promise<void> {
  const { guard, cwd, agentDirectory, directories } = scope;
  const roots = [join(agentDirectory, 'sessions'), ...directories.filter((directory) => directory !== undefined)];
  const files = guard?.guardFiles(cwd, { isForHost: true, listReadRoots: () => roots });
  // No bytes are wanted; the access is checked like that of a reader.
  await files?.read(file, { start: 0, length: 0 }).catch((thrown: unknown) => {
    if (getSystemErrorCode(thrown) !== 'ENOENT') throw thrown;
  });
}
