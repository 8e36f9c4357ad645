// For tests of the store in PostgreSQL: stores that act as different processes, on a database of their own.
import { createFiles } from '../../../src/app/system-ports/files.ts';
import { createIds } from '../../../src/app/system-ports/ids.ts';
import { openDatabase } from '../../../src/app/system-ports/postgres-database.ts';
import type { Database, ProcessId } from '../../../src/contracts/index.ts';
import type { Clock } from '../../../src/contracts/ports.ts';
import type { SessionLog, SessionStore } from '../../../src/contracts/session-store.ts';
import { createContentCipher } from '../../../src/store/postgres/content-cipher.ts';
import { migrateSchema } from '../../../src/store/postgres/migrate-schema.ts';
import {
  createPostgresStorage,
  createPostgresStore,
  type PostgresStorage,
  type PostgresStorageOptions,
} from '../../../src/store/postgres/postgres-store.ts';
import { createTestDatabase } from '../../support/database.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';
import { createFakeProcesses, currentProcess } from '../store-fixture.ts';

export interface PostgresFixture {
  readonly url: string;
  readonly database: Database;
  /** The stores of one process. Two storages act as two processes. */
  openStorage(options?: Partial<PostgresStorageOptions> & { self?: ProcessId }): PostgresStorage;
}

let nextId = 1;

export const LEASE_MS = 60_000;

/** A clock that tests move. Timers never fire. */
export function createManualClock(startMs = Date.parse('2026-01-02T03:04:05.678Z')) {
  let now = startMs;
  const clock = {
    now: () => now,
    after: () => () => {},
    sleep: async (ms: number) => {
      now += ms;
    },
    yieldToEventLoop: () => new Promise<void>((resolve) => setImmediate(resolve)),
  } as unknown as Clock;
  const advance = (ms: number) => {
    now += ms;
  };
  return { clock, advance };
}

export async function openPostgres(
  wrap: (database: Database) => Database = (database) => database,
): Promise<PostgresFixture> {
  const { url } = await createTestDatabase();
  const opened = await openDatabase({ url, applicationName: 'parley tests', maxConnections: 4 });
  const database = wrap(opened);
  await migrateSchema(opened);
  return {
    url,
    database,
    openStorage({ self = currentProcess, ...options } = {}) {
      return createPostgresStorage({
        ...{ database, cipher: createContentCipher(undefined, createIds()), tenant: 'default', files: createFiles() },
        clock: createManualClock().clock,
        filesParent: createTemporaryDirectory(),
        retryMs: 5000,
        leaseMs: LEASE_MS,
        ids: { uuid: () => `holder-${nextId++}` },
        identity: createFakeProcesses([currentProcess]).identity(self),
        ...options,
      });
    },
  };
}

/** The whole log as the store returns it. */
export async function readLog(store: SessionStore, log: SessionLog) {
  try {
    const { header, entries } = await store.read(log.file as string);
    return { header, entries: [...entries] };
  } catch {
    return undefined;
  }
}

export function openStore(storage: PostgresStorage, cwd?: string): SessionStore {
  return createPostgresStore(storage, cwd);
}
