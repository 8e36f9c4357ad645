// Connects to PostgreSQL with the package `postgres`, which users install only if they need it.
import type postgres from 'postgres';
import type { Options, Sql, TransactionSql } from 'postgres';
import { Fault, getErrorMessage, getSystemErrorCode } from '../../base/index.ts';
import type { Database, ListenOptions, SqlConnection, SqlRow, SqlValue } from '../../contracts/index.ts';
import { createPostgresSockets, type PostgresSockets } from './postgres-socket.ts';
import { type PostgresTarget, parsePostgresTarget } from './postgres-target.ts';
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
/** By then a lost connection is closed. */
const LOST_CONNECTION_MS = 2000;
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
  // Connects with the first query.
  const sql = connect(createOptions(options, target, sockets));
  const listening = createListening(sql, listenCheckMs);
  return {
    label,
    query: (text, values) => wrapErrors(label, () => createConnection(sql).query(text, values)),
    async transaction(act) {
      migrations += 1;
      try {
        return await wrapErrors(label, () => transact(sql, act));
      } finally {
        migrations -= 1;
      }
    },
    tenantTransaction: (tenant, act) =>
      wrapErrors(label, () =>
        transact(sql, async (connection) => {
          // Both are sent at once: the first statement of `act` does not wait for the reply to this one.
          const setting = connection.query("select set_config('parley.tenant', $1, true)", [tenant]);
          const [result] = await Promise.all([act(connection), setting]);
          return result;
        }),
      ),
    listen: (channel, listener) => wrapErrors(label, () => listening.add(channel, listener)),
    async close() {
      listening.close();
      await sql.end({ timeout: 2 });
      sockets.destroyAll();
    },
  };
}

/**
 * When the connection is lost, the driver would send a rollback to it, which ends the process with an error that cannot be caught. So the
 * driver does not learn that a statement has failed for this reason: its transaction rejects because the connection was closed.
 */
async function transact<T>(sql: Sql, act: (connection: SqlConnection) => Promise<T>): Promise<T> {
  let isLost = false;
  try {
    return (await sql.begin((inner) => {
      const { query } = createConnection(inner);
      const connection: SqlConnection = {
        async query(text, values) {
          // It would be sent to a connection that is closed, or that others use.
          if (isLost) throw createClosedError();
          try {
            return await query(text, values);
          } catch (problem) {
            isLost ||= isConnectionLost(problem);
            throw problem;
          }
        },
      };
      return new Promise<T>((resolve, reject) => {
        const settle = (act: () => void) => {
          if (isLost) setTimeout(reject, LOST_CONNECTION_MS, createClosedError()).unref();
          else act();
        };
        act(connection).then(
          (result) => settle(() => resolve(result)),
          (problem: unknown) => settle(() => reject(problem)),
        );
      });
    })) as T;
  } finally {
    isLost = true;
  }
}

/** Errors that the driver finds before it sends a statement. */
const STATEMENT_ERROR = /^(MAX_PARAMETERS|UNDEFINED_VALUE|NOT_TAGGED|COPY_IN|UNSAFE_)/;

/** Errors of SQL have a severity. The driver and the system have other codes. */
function isConnectionLost(problem: unknown): boolean {
  const code = getSystemErrorCode(problem);
  return code !== undefined && !('severity' in (problem as object)) && !STATEMENT_ERROR.test(code);
}

function createClosedError(): Error {
  return Object.assign(new Error('the connection of the transaction was closed'), { code: 'CONNECTION_CLOSED' });
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

function createOptions(
  { applicationName, maxConnections = DEFAULT_CONNECTIONS }: DatabaseOptions,
  { user, password, database, parameters, connectTimeout = CONNECT_TIMEOUT_S }: PostgresTarget,
  sockets: PostgresSockets,
): Options<never> {
  return {
    ...(user === undefined ? {} : { user }),
    ...(password === undefined ? {} : { password }),
    ...(database === undefined ? {} : { database }),
    // The addresses are those of the sockets. With several ones, the driver waits for the next when one fails.
    ...{ host: 'localhost', port: 5432, socket: sockets.open, ssl: false },
    max: maxConnections,
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

function createConnection(connection: Sql | TransactionSql): SqlConnection {
  return {
    async query<Row extends object = SqlRow>(text: string, values: readonly SqlValue[] = []) {
      // Without values the text may contain several statements.
      const options = values.length > 0 ? { prepare: true } : {};
      return [...(await connection.unsafe(text, values as never, options))] as unknown as readonly Row[];
    },
  };
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
