// Connects to PostgreSQL with the package `postgres`, which users install only if they need it.
import type { Socket } from 'node:net';
import type postgres from 'postgres';
import type { Options, Sql } from 'postgres';
import { Fault, getErrorMessage, getSystemErrorCode } from '../../base/index.ts';
import type { Database, ListenOptions } from '../../contracts/index.ts';
import { createPostgresSockets } from './postgres-socket.ts';
import { type PostgresTarget, parsePostgresTarget } from './postgres-target.ts';
import { createTransactions, sendStatement } from './postgres-transactions.ts';
import { POSTGRES_TYPES } from './postgres-types.ts';

export interface DatabaseOptions {
  readonly url: string;
  /** Shown by PostgreSQL in its list of connections. */
  readonly applicationName: string;
  readonly maxConnections?: number | undefined;
  /** After this time without a byte of an answer, a connection is closed and its statements fail. Default: 15 seconds. */
  readonly answerTimeoutMs?: number | undefined;
  /** How often connections that only listen are checked. Default: 20 seconds. */
  readonly listenCheckMs?: number | undefined;
}

const DEFAULT_CONNECTIONS = 8;
const CONNECT_TIMEOUT_S = 10;
const IDLE_TIMEOUT_S = 300;
const KEEP_ALIVE_S = 15;
const ANSWER_TIMEOUT_MS = 15_000;
const LISTEN_CHECK_MS = 20_000;
/** Only migrations use transactions without a tenant. They wait for each other, and change large tables. */
const MIGRATION_ANSWER_TIMEOUT_MS = 600_000;
/** Seconds. With the limit of the driver, 20 seconds, a server that is there again would not be noticed. */
const MAX_RECONNECT_DELAY = 1;
const CHECK_CHANNEL = 'parley_connection_check';

export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { answerTimeoutMs = ANSWER_TIMEOUT_MS, listenCheckMs = LISTEN_CHECK_MS } = options;
  const target = parsePostgresTarget(options.url);
  const { label, connectTimeout = CONNECT_TIMEOUT_S } = target;
  const connect = await loadDriver();
  let migrations = 0;
  const sockets = createPostgresSockets({
    target,
    connectTimeoutMs: connectTimeout * 1000,
    getAnswerTimeoutMs: () =>
      migrations > 0 ? Math.max(answerTimeoutMs, MIGRATION_ANSWER_TIMEOUT_MS) : answerTimeoutMs,
  });
  // Both connect when they are used.
  const max = Math.max(1, Math.floor((options.maxConnections ?? DEFAULT_CONNECTIONS) / 2));
  const sql = connect(createOptions(options, target, { max, socket: sockets.open }));
  const transactions = createTransactions({
    maxClients: max,
    createClient: (mayConnect) =>
      connect(
        createOptions(options, target, {
          ...{ max: 1, max_lifetime: null },
          socket: () => (mayConnect() ? sockets.open() : sockets.openFailing()),
        }),
      ),
  });
  const listening = createListening(sql, listenCheckMs);
  return {
    label,
    query: (text, values) => wrapErrors(label, async () => (await sendStatement(sql, text, values)) as never),
    async transaction(act) {
      migrations += 1;
      try {
        return await wrapErrors(label, () => transactions.run('begin', act));
      } finally {
        migrations -= 1;
      }
    },
    tenantTransaction(tenant, act) {
      // In one request with the beginning.
      const begin = `begin; select set_config('parley.tenant', ${quoteText(tenant)}, true)`;
      return wrapErrors(label, () => transactions.run(begin, act));
    },
    listen: (channel, listener) => wrapErrors(label, () => listening.add(channel, listener)),
    async close() {
      listening.close();
      await Promise.all([sql.end({ timeout: 2 }), transactions.close()]);
      sockets.destroyAll();
    },
  };
}

/** The text of a string in a statement. */
function quoteText(text: string): string {
  return `E'${text.replace(/['\\]/g, '\\$&')}'`;
}

interface Listening {
  add(channel: string, listener: ListenOptions): Promise<() => Promise<void>>;
  close(): void;
}

/** Connections that listen wait for nothing, so a lost one is noticed only when something is sent. */
function createListening(sql: Sql, checkMs: number): Listening {
  let count = 0;
  let timer: NodeJS.Timeout | undefined;

  async function check(): Promise<void> {
    const { unlisten } = await sql.listen(CHECK_CHANNEL, () => {});
    await unlisten();
  }

  function remove(): void {
    count -= 1;
    if (count > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  return {
    async add(channel, { onMessage, onReconnected }) {
      let isFirst = true;
      const { unlisten } = await sql.listen(channel, onMessage, () => {
        if (!isFirst) onReconnected();
        isFirst = false;
      });
      count += 1;
      timer ??= setInterval(() => void check().catch(() => {}), checkMs).unref();
      let hasEnded = false;
      return async () => {
        if (!hasEnded) remove();
        hasEnded = true;
        await unlisten();
      };
    },
    close: () => clearInterval(timer),
  };
}

async function loadDriver(): Promise<typeof postgres> {
  try {
    return (await import('postgres')).default;
  } catch (cause) {
    if (getSystemErrorCode(cause) !== 'ERR_MODULE_NOT_FOUND' && getSystemErrorCode(cause) !== 'MODULE_NOT_FOUND')
      throw cause;
    const message =
      'Sessions in PostgreSQL need the package postgres. Install it beside parley-agent: npm install postgres';
    throw new Fault('config', message, { cause });
  }
}

interface ClientOptions {
  readonly max: number;
  /** Null: no limit. */
  readonly max_lifetime?: null;
  socket(): Promise<Socket>;
}

function createOptions(
  { applicationName }: DatabaseOptions,
  { user, password, database, parameters, connectTimeout = CONNECT_TIMEOUT_S }: PostgresTarget,
  client: ClientOptions,
): Options<never> {
  return {
    ...(user === undefined ? {} : { user }),
    ...(password === undefined ? {} : { password }),
    ...(database === undefined ? {} : { database }),
    // The addresses are those of the sockets. With several ones, the driver waits for the next when one fails.
    ...{ host: 'localhost', port: 5432, ssl: false },
    ...client,
    connect_timeout: connectTimeout,
    idle_timeout: IDLE_TIMEOUT_S,
    keep_alive: KEEP_ALIVE_S,
    backoff: (attempts: number) => Math.min(0.05 * 2 ** attempts, MAX_RECONNECT_DELAY),
    connection: { application_name: applicationName, ...parameters },
    // Notices, for example of a table that exists already, would be written to stdout.
    onnotice: () => {},
    // The driver would ask for them on each new connection, and end the process when that one is lost meanwhile.
    fetch_types: false,
    types: POSTGRES_TYPES,
  } as unknown as Options<never>;
}

async function wrapErrors<T>(label: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (cause) {
    if (cause instanceof Fault) throw cause;
    const code = getSystemErrorCode(cause);
    const message = `Database ${label}: ${getErrorMessage(cause)}`;
    throw new Fault('storage', message, {
      cause: withoutValues(cause),
      details: { reason: 'database', ...(code ? { code } : {}) },
    });
  }
}

/** The errors of the driver contain the values of the statement, which are content of sessions. */
function withoutValues(cause: unknown): unknown {
  if (!(cause instanceof Error)) return cause;
  const { name, message, stack } = cause;
  const code = getSystemErrorCode(cause);
  return Object.assign(new Error(message), { name, stack, ...(code ? { code } : {}) });
}
