// The connections of DBOS to the database. In its own pool, an error of a connection that was just given back ends the process, and a
// statement waits forever for a server that does not answer.
import { createRequire } from 'node:module';
import { getErrorMessage } from '../../base/index.ts';
import type { Log } from '../../contracts/index.ts';

export interface DbosPoolOptions {
  readonly url: string;
  /** Shown by PostgreSQL in its list of connections. */
  readonly applicationName: string;
  readonly size: number;
  readonly log: Log;
  /** After this time without the result of a statement, its connection is closed. Default: 15 seconds. */
  readonly answerTimeoutMs?: number;
}

export interface DbosPool {
  /** What DBOS calls `systemDatabasePool`. */
  readonly pool: never;
  /** Statements may take long while `act` runs: it changes tables. */
  withoutTimeout<T>(act: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** The part of the package `pg` that is used. */
interface PgClient {
  readonly connection: { readonly stream: { destroy(problem?: Error): void } };
  query(...statement: unknown[]): unknown;
  on(event: 'error' | 'end', listener: () => void): void;
}

interface PgPool {
  on(event: 'connect', listener: (client: PgClient) => void): void;
  on(event: 'error', listener: (problem: unknown) => void): void;
  end(): Promise<void>;
}

type PgModule = { readonly Pool: new (options: object) => PgPool };

const CONNECT_TIMEOUT_MS = 10_000;
const ANSWER_TIMEOUT_MS = 15_000;
const KEEP_ALIVE_MS = 15_000;
const CLOSE_MS = 2000;

export function createDbosPool(options: DbosPoolOptions): DbosPool {
  const { url, applicationName, size, log, answerTimeoutMs = ANSWER_TIMEOUT_MS } = options;
  const pool = new (loadPg().Pool)({
    ...{ connectionString: url, application_name: applicationName, max: size },
    connectionTimeoutMillis: readConnectTimeout(url) ?? CONNECT_TIMEOUT_MS,
    ...{ keepAlive: true, keepAliveInitialDelayMillis: KEEP_ALIVE_MS },
  });
  const clients = new Set<PgClient>();
  let unlimited = 0;
  pool.on('error', (problem) => log('DBOS warning', { message: getErrorMessage(problem) }));
  pool.on('connect', (client) => {
    // DBOS reports the errors of the connections that it uses. One without a listener would end the process.
    client.on('error', () => {});
    clients.add(client);
    client.on('end', () => clients.delete(client));
    limitAnswers(client, () => (unlimited > 0 ? undefined : answerTimeoutMs));
  });
  return {
    pool: pool as never,
    async withoutTimeout(act) {
      unlimited += 1;
      try {
        return await act();
      } finally {
        unlimited -= 1;
      }
    },
    async close() {
      // It waits for connections whose server does not answer.
      const timer = setTimeout(() => {
        for (const { connection } of clients) connection.stream.destroy();
      }, CLOSE_MS);
      await pool.end().finally(() => clearTimeout(timer));
    },
  };
}

function limitAnswers(client: PgClient, getTimeoutMs: () => number | undefined): void {
  const query = client.query.bind(client);
  client.query = (...statement) => {
    const timeoutMs = getTimeoutMs();
    if (timeoutMs === undefined) return query(...statement);
    const timer = setTimeout(() => {
      const problem = new Error(`the server has not answered for ${timeoutMs / 1000} s`);
      client.connection.stream.destroy(Object.assign(problem, { code: 'ETIMEDOUT' }));
    }, timeoutMs);
    // The result is passed to a callback, or returned as a promise.
    const callback = statement.at(-1);
    if (typeof callback === 'function')
      return query(...statement.slice(0, -1), (...result: unknown[]) => {
        clearTimeout(timer);
        callback(...result);
      });
    const result = query(...statement) as Promise<unknown>;
    const stop = () => clearTimeout(timer);
    result.then(stop, stop);
    return result;
  };
}

/** The package that DBOS uses, wherever it is installed. */
function loadPg(): PgModule {
  const own = createRequire(import.meta.url);
  return createRequire(own.resolve('@dbos-inc/dbos-sdk'))('pg') as PgModule;
}

function readConnectTimeout(url: string): number | undefined {
  const seconds = Number(new URL(url).searchParams.get('connect_timeout') ?? Number.NaN);
  return seconds > 0 ? seconds * 1000 : undefined;
}
