// Starts `parley serve` processes on one database, as the nodes of a fleet.
import { CHAT_MODEL_FLAGS, type ChatProvider, startChatProvider } from './chat-provider.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import type { ProgramDirectories } from './program.ts';
import { type Server, startServer } from './server.ts';
import { createTemporaryDirectory } from './temporary-directory.ts';

export interface Fleet {
  readonly provider: ChatProvider;
  readonly database: TestDatabase;
  /** The working directory of all nodes. */
  readonly cwd: string;
  /** Each node has its own user directory, as on another machine. All of them have the same token. `cwd` replaces the working directory. */
  startNode(args?: readonly string[], cwd?: string): Promise<Server>;
}

export const FLEET_TOKEN = 'a-token-of-all-nodes-of-the-fleet';

export async function createFleet(): Promise<Fleet> {
  const [provider, database] = await Promise.all([startChatProvider(), createTestDatabase()]);
  const cwd = createTemporaryDirectory();
  const env = { PARLEY_DATABASE_URL: database.url, PARLEY_SERVE_TOKEN: FLEET_TOKEN };
  return {
    ...{ provider, database, cwd },
    startNode(args = [], ownCwd = cwd) {
      const directories: ProgramDirectories = { ...provider.createDirectories(), cwd: ownCwd };
      const takeover = ['--set', 'database.takeoverSeconds=2'];
      return startServer([...CHAT_MODEL_FLAGS, ...takeover, ...args], { directories, env });
    },
  };
}
