// Transactions of PostgreSQL, each on a connection that is used for nothing else meanwhile. Those of the driver are not used: when their
// connection is lost, it writes to a closed socket, which ends the process, or to the connection of another transaction.
import type { Sql } from 'postgres';
import type { SqlConnection, SqlRow, SqlValue } from '../../contracts/index.ts';

export interface TransactionsOptions {
  /** A driver with one connection, which it may open again only while this returns true. */
  createClient(mayConnect: () => boolean): Sql;
  readonly maxClients: number;
}

export interface Transactions {
  /** `begin` are the statements that begin it. If a statement fails, the whole transaction fails with its error. */
  run<T>(begin: string, act: (connection: SqlConnection) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

interface Client {
  readonly sql: Sql;
  /** After a lost connection, the other statements must not be executed on a new one. */
  isInTransaction: boolean;
}

export function createTransactions({ createClient, maxClients }: TransactionsOptions): Transactions {
  const clients = new Set<Client>();
  const idle: Client[] = [];
  const waiting: ((client: Client) => void)[] = [];

  function addClient(): Client {
    const client: Client = { sql: createClient(() => !client.isInTransaction), isInTransaction: false };
    clients.add(client);
    return client;
  }

  async function take(): Promise<Client> {
    // The last one used, so that the others are closed when they are not needed.
    const found = idle.pop();
    if (found) return found;
    if (clients.size < maxClients) return addClient();
    return new Promise((resolve) => waiting.push(resolve));
  }

  function give(client: Client): void {
    const next = waiting.shift();
    if (next) next(client);
    else idle.push(client);
  }

  /** Its connection may still be in a transaction. */
  function replace(client: Client): void {
    clients.delete(client);
    void client.sql.end({ timeout: 0 }).catch(() => {});
    const next = waiting.shift();
    if (next) next(addClient());
  }

  return {
    async run(begin, act) {
      const client = await take();
      let isReusable = true;
      try {
        await client.sql.unsafe(begin);
        client.isInTransaction = true;
        return await runStatements(client.sql, act, () => {
          isReusable = false;
        });
      } finally {
        client.isInTransaction = false;
        if (isReusable) give(client);
        else replace(client);
      }
    },
    async close() {
      await Promise.all([...clients].map(({ sql }) => sql.end({ timeout: 2 })));
    },
  };
}

async function runStatements<T>(
  sql: Sql,
  act: (connection: SqlConnection) => Promise<T>,
  onRollbackFailed: () => void,
): Promise<T> {
  let hasEnded = false;
  let failure: { readonly problem: unknown } | undefined;
  // One after another: the driver may send a statement that waits for another one on a new connection.
  let pending: Promise<unknown> = Promise.resolve();
  const query: SqlConnection['query'] = (text, values) => {
    if (hasEnded) return Promise.reject(new Error('the transaction has ended'));
    const result = pending.then(() => sendStatement(sql, text, values));
    pending = result.catch((problem: unknown) => {
      failure ??= { problem };
    });
    return result as Promise<never>;
  };
  try {
    const result = await act({ query });
    hasEnded = true;
    await pending;
    // The server would confirm the commit, and store nothing.
    if (failure) throw failure.problem;
    await sql.unsafe('commit');
    return result;
  } catch (problem) {
    hasEnded = true;
    await pending;
    await sql.unsafe('rollback').catch(onRollbackFailed);
    throw problem;
  }
}

export async function sendStatement(
  sql: Sql,
  text: string,
  values: readonly SqlValue[] = [],
): Promise<readonly SqlRow[]> {
  // Without values the text may contain several statements.
  const options = values.length > 0 ? { prepare: true } : {};
  return [...(await sql.unsafe(text, values as never, options))] as unknown as readonly SqlRow[];
}
