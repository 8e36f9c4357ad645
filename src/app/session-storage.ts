// Opens the database in which sessions are stored. Loaded only if one is configured.
import { Fault } from '../base/index.ts';
import type {
  Ports,
  QueueLimits,
  RunReference,
  RunWorkflows,
  SessionStorage,
  Submissions,
  TaskOutcome,
  TaskQueue,
  TaskWorker,
} from '../contracts/index.ts';
import type { SettingValues } from '../settings/index.ts';
import { createContentCipher } from '../store/postgres/content-cipher.ts';
import { migrateSchema } from '../store/postgres/migrate-schema.ts';
import { createPostgresIndex } from '../store/postgres/postgres-index.ts';
import { createPostgresStorage, createPostgresStore, type PostgresStorage } from '../store/postgres/postgres-store.ts';
import { digestText } from '../support/digest.ts';
import type { DatabaseSecrets } from './database-secrets.ts';
import { removeLeftovers } from './fleet/remove-leftovers.ts';
import type { DbosContext } from './system-ports/dbos-launch.ts';
import { openDatabase } from './system-ports/postgres-database.ts';
import { createProcessIdentity } from './system-ports/process-identity.ts';

export interface SessionStorageOptions {
  readonly ports: Ports;
  readonly settings: SettingValues;
  readonly agentDirectory: string;
  readonly secrets: DatabaseSecrets;
  /** The flag --session-dir. It excludes a database. */
  readonly sessionDir?: string | undefined;
  /** Removes the text from logs and messages. */
  redact(secret: string): void;
}

export interface OpenedStorage extends TenantStorage {
  /** Records the runs of this process in the same database. */
  startWorkflows(continueRun: (run: RunReference) => Promise<void>): Promise<RunWorkflows>;
  /** Takes tasks from queues. */
  startTaskWorker(options: TaskWorkerOptions): Promise<TaskWorker>;
  /** The sessions of another tenant in the same database. Not closed separately. */
  openTenant(tenant: string): TenantStorage;
}

export interface TenantStorage extends SessionStorage {
  readonly postgres: PostgresStorage;
  openSubmissions(): Promise<Submissions>;
}

export interface TaskWorkerOptions {
  readonly queues: readonly string[];
  readonly limits: QueueLimits;
  runTask(task: RunReference): Promise<TaskOutcome>;
}

/** The part of the time before a takeover after which the registration of a process has expired. The rest is for noticing it. */
const LEASE_SHARE = 0.6;
/** The part of that time after which a node looks again for runs to continue. */
const QUEUE_POLL_SHARE = 0.1;
/** How long a message to the agent waits while the database restarts. */
const RETRY_MS = 15_000;

/** Throws a Fault when the database cannot be used. */
export async function openSessionStorage(options: SessionStorageOptions): Promise<OpenedStorage> {
  const { ports, settings, agentDirectory, secrets, redact } = options;
  const url = getDatabaseUrl(options);
  for (const secret of listSecrets(url, secrets.key)) redact(secret);
  const database = await openDatabase({ url, applicationName: 'parley' });
  try {
    const cipher = createContentCipher(secrets.key, ports.ids);
    await migrateSchema(database);
    const tenant = settings['database.tenant'];
    const getDirectory = (name: string) => `${agentDirectory}/database/${formatDirectoryName(database.label, name)}`;
    void removeLeftovers(ports.files, database, getDirectory(tenant));
    const postgres = createPostgresStorage({
      ...{ database, cipher, tenant, files: ports.files, clock: ports.clock, ids: ports.ids },
      identity: createProcessIdentity(),
      filesParent: getDirectory(tenant),
      retryMs: RETRY_MS,
      leaseMs: settings['database.takeoverSeconds'] * 1000 * LEASE_SHARE,
    });
    const dbosContext = { url, database, executorId: postgres.holder.id, clock: ports.clock, log: ports.log };
    let queue: Promise<TaskQueue> | undefined;
    const openQueue = () => {
      queue ??= openTaskQueueLazily(dbosContext).catch((problem: unknown) => {
        queue = undefined;
        throw problem;
      });
      return queue;
    };
    const openTenant = (storage: PostgresStorage) => createTenantStorage(storage, ports, openQueue);
    return {
      ...openTenant(postgres),
      openTenant: (name) =>
        openTenant({
          ...postgres,
          tenant: name,
          filesDirectory: `${getDirectory(name)}/${postgres.holder.id}`,
        }),
      async startTaskWorker(worker) {
        const { startTaskWorker } = await import('./system-ports/dbos-worker.ts');
        return startTaskWorker({ ...dbosContext, ...worker });
      },
      async startWorkflows(continueRun) {
        const { startDbos } = await import('./system-ports/dbos-workflows.ts');
        const queuePollMs = settings['database.takeoverSeconds'] * 1000 * QUEUE_POLL_SHARE;
        return startDbos({ ...dbosContext, ids: ports.ids, queuePollMs, continueRun });
      },
      async close() {
        await (await queue?.catch(() => undefined))?.close().catch(() => {});
        await postgres.holder.close();
        await database.close();
        await ports.files.remove(postgres.filesDirectory, { recursive: true }).catch(() => {});
      },
    };
  } catch (problem) {
    await database.close().catch(() => {});
    throw problem;
  }
}

function getDatabaseUrl({ settings, secrets, sessionDir }: SessionStorageOptions): string {
  if (sessionDir !== undefined)
    throw new Fault(
      'config',
      '--session-dir has no effect, because sessions are stored in a database. Leave out one of both.',
    );
  const url = settings.store ?? secrets.url;
  if (url === undefined) throw new Fault('internal', 'no database is configured');
  return url;
}

function createTenantStorage(
  postgres: PostgresStorage,
  ports: Ports,
  openQueue: () => Promise<TaskQueue>,
): TenantStorage {
  return {
    postgres,
    openStore: (cwd) => createPostgresStore(postgres, cwd),
    index: createPostgresIndex(postgres),
    async openSubmissions() {
      const { createSubmissions } = await import('./fleet/submissions.ts');
      return createSubmissions({ storage: postgres, ports, queue: await openQueue() });
    },
    close: async () => {},
  };
}

async function openTaskQueueLazily(context: DbosContext): Promise<TaskQueue> {
  const { openTaskQueue } = await import('./system-ports/dbos-tasks.ts');
  return openTaskQueue(context);
}

/** The local directories of two databases or tenants must not be the same. */
function formatDirectoryName(label: string, tenant: string): string {
  return digestText(`${label} ${tenant}`).toString('hex').slice(0, 16);
}

function listSecrets(url: string, key: string | undefined): string[] {
  const { password } = new URL(url);
  const keys = (key ?? '').split(',').map((entry) => entry.trim().replace(/^[^:]*:/, ''));
  return [password, decodeURIComponent(password), ...keys].filter((secret) => secret !== '');
}
