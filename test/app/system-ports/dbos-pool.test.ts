// Tests of the connections of DBOS: servers that do not answer, and errors of connections that are not used.
import { expect, onTestFinished, test } from 'vitest';
import { createDbosPool } from '../../../src/app/system-ports/dbos-pool.ts';
import { createTestDatabase } from '../../support/database.ts';
import { createDatabaseProxy } from './database-proxy.ts';

interface Client {
  query(text: string): Promise<{ rows: unknown[] }>;
  release(problem?: Error): void;
  emit(event: 'error', problem: Error): boolean;
}

interface Pool {
  connect(): Promise<Client>;
  query(text: string): Promise<{ rows: unknown[] }>;
}

async function open(answerTimeoutMs: number) {
  const { url } = await createTestDatabase();
  const proxy = await createDatabaseProxy(url, onTestFinished);
  const logged: unknown[] = [];
  const connections = createDbosPool({
    ...{ url: proxy.url, applicationName: 'parley tests', size: 2, answerTimeoutMs },
    log: (_, fields) => void logged.push(fields),
  });
  onTestFinished(() => connections.close());
  return { proxy, connections, logged, pool: connections.pool as unknown as Pool };
}

test('a statement that the server does not answer fails, and the next one uses a new connection', async () => {
  const { proxy, pool } = await open(200);
  expect((await pool.query('select 1 as n')).rows).toEqual([{ n: 1 }]);
  proxy.cut();
  await expect(pool.query('select 2')).rejects.toThrow('the server has not answered for 0.2 s');
  proxy.repair();
  expect((await pool.query('select 3 as n')).rows).toEqual([{ n: 3 }]);
});

test('statements may take long while tables are changed', async () => {
  const { pool, connections } = await open(200);
  const slow = connections.withoutTimeout(() => pool.query('select pg_sleep(0.5)'));
  expect((await slow).rows).toHaveLength(1);
  await expect(pool.query('select pg_sleep(60)')).rejects.toThrow('the server has not answered');
});

test('an error of a connection that was given back does not end the process', async () => {
  const { pool } = await open(60_000);
  const client = await pool.connect();
  client.release(new Error('broken'));
  // The message of a server that ends can arrive after that.
  expect(client.emit('error', new Error('terminating connection'))).toBe(true);
  expect((await pool.query('select 1 as n')).rows).toEqual([{ n: 1 }]);
});
