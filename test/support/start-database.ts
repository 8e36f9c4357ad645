// Starts the database server of a test run when the first test needs it. Tests use it through `database.ts`.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type {} from 'vitest';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** A directory for the servers of the tests. The file `socket` in it is a socket that sends the address of the shared server. */
    databases: string;
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = mkdtempSync(join(project.config.env?.TMPDIR ?? tmpdir(), 'parley-databases-'));
  // If the tests run as root, the servers run as another user, which must be able to pass through.
  chmodSync(directory, 0o711);
  let starting: ReturnType<typeof startSharedServer> | undefined;
  const listener = createServer((socket) => {
    socket.on('error', () => {});
    starting ??= startSharedServer(directory);
    starting.then(
      ({ roles }) => socket.end(JSON.stringify({ roles })),
      (error) => socket.end(JSON.stringify({ error: String(error) })),
    );
  });
  await new Promise<void>((resolve) => listener.listen(join(directory, 'socket'), resolve));
  listener.unref();
  project.provide('databases', directory);
  return async () => {
    listener.close();
    const started = await starting?.catch(() => undefined);
    await started?.server.stop('immediate');
    rmSync(directory, { recursive: true, force: true });
  };
}

/** Its code is loaded by the first test that needs it. */
async function startSharedServer(directory: string) {
  const { startDatabaseServer } = await import('./database-server.ts');
  return startDatabaseServer({ directory: join(directory, 'shared'), programDirectory: directory, isDurable: false });
}
