// Tests of connections to PostgreSQL that are lost without an error, and of transactions whose connection is lost.
import { expect, onTestFinished, test } from 'vitest';
import { type DatabaseOptions, openDatabase } from '../../../src/app/system-ports/postgres-database.ts';
import { createDeferred } from '../../../src/base/deferred.ts';
import { createTestDatabase, createTestServer } from '../../support/database.ts';
import { createDatabaseProxy } from './database-proxy.ts';

const ANSWER_TIMEOUT_MS = 250;

async function open(url: string, options: Partial<DatabaseOptions> = {}) {
  const database = await openDatabase({
    ...{ url, applicationName: 'parley tests', maxConnections: 1, answerTimeoutMs: ANSWER_TIMEOUT_MS },
    ...options,
  });
  onTestFinished(() => database.close());
  return database;
}

async function openThroughProxy(options: Partial<DatabaseOptions> = {}) {
  const { url, superuserUrl } = await createTestDatabase();
  const proxy = await createDatabaseProxy(url, onTestFinished);
  return { proxy, directUrl: url, superuserUrl, database: await open(proxy.url, options) };
}

const silent = { code: 'storage', details: { reason: 'database', code: 'ETIMEDOUT' } };

test('statements of a connection that was cut off fail, and the next ones use a new connection', async () => {
  const { proxy, database } = await openThroughProxy();
  await database.query('select 1');
  proxy.cut();
  const results = await Promise.allSettled([
    database.query('select 2'),
    database.query('select $1::int', [3]),
    database.query('select $1::int', [4]),
  ]);
  expect(results).toMatchObject(Array(3).fill({ status: 'rejected', reason: silent }));
  proxy.repair();
  expect(await database.query('select 5 as five')).toEqual([{ five: 5 }]);
});

test('a transaction whose connection is cut off fails, and its other statements are not sent', async () => {
  const { proxy, database, directUrl } = await openThroughProxy();
  await database.query('create table parts (n integer)');
  const ran: string[] = [];
  const failed = database.tenantTransaction('one', async (connection) => {
    await connection.query('insert into parts values (1)');
    proxy.cut();
    await connection.query('insert into parts values (2)').catch(() => ran.push('second failed'));
    await connection.query('insert into parts values (3)').catch(() => ran.push('third failed'));
    return 'done';
  });
  await expect(failed).rejects.toMatchObject({ code: 'storage', details: { reason: 'database' } });
  expect(await (await open(directUrl)).query('select * from parts')).toEqual([]);
  expect(ran).toEqual(['second failed', 'third failed']);
});

test('a reset between two statements of a transaction rejects it, and the process continues', async () => {
  const { proxy, database } = await openThroughProxy();
  const failed = database.transaction(async (connection) => {
    await connection.query('select 1');
    proxy.reset();
    await proxy.waitForOpen(0);
    await new Promise((resolve) => setImmediate(resolve));
    await connection.query('select 2');
  });
  await expect(failed).rejects.toMatchObject({ details: { reason: 'database' } });
  expect(await database.query('select 3 as three')).toEqual([{ three: 3 }]);
});

test('a connection that is lost with its first statement rejects that statement, and the process continues', async () => {
  const { proxy, database } = await openThroughProxy();
  proxy.resetAt('select');
  await expect(database.query('select 1 as one')).rejects.toMatchObject({ details: { reason: 'database' } });
  expect(await database.query('select 2 as two')).toEqual([{ two: 2 }]);
});

test('a statement that fails lets the whole transaction fail, also if its error is ignored', async () => {
  const { database } = await openThroughProxy();
  await database.query('create table parts (n integer)');
  const failed = database.transaction(async (connection) => {
    await connection.query('insert into parts values (1)');
    await connection.query('select 1 / 0').catch(() => {});
  });
  await expect(failed).rejects.toMatchObject({ message: expect.stringContaining('division by zero') });
  expect(await database.query('select * from parts')).toEqual([]);
});

test('a connection that is lost at the commit rejects the transaction, which is stored completely or not at all', async () => {
  const { proxy, database } = await openThroughProxy();
  await database.query('create table parts (n integer)');
  const failed = database.transaction(async (connection) => {
    await connection.query('insert into parts values (1)');
    proxy.resetAt('commit');
  });
  await expect(failed).rejects.toMatchObject({ details: { reason: 'database' } });
  await database.transaction((connection) => connection.query('insert into parts values (2)'));
  expect(await database.query('select * from parts')).toEqual([{ n: 2 }]);
});

test('connections that are lost at any time never mix transactions, and do not end the process', async () => {
  const { proxy, database, directUrl } = await openThroughProxy({ maxConnections: 6 });
  const other = await open(directUrl);
  await other.query('create table parts (pair integer, half integer, primary key (pair, half))');
  const stored: number[] = [];
  let pair = 0;
  const work = async () => {
    for (let n = 0; n < 40; n += 1) {
      const own = ++pair;
      const done = await database
        .tenantTransaction(`it's \\`, async (connection) => {
          await connection.query('insert into parts values ($1, 1)', [own]);
          if (own % 7 === 0) proxy.reset();
          await connection.query('insert into parts values ($1, 2)', [own]);
          if (own % 11 === 0) proxy.reset();
        })
        .then(
          () => true,
          () => false,
        );
      if (done) stored.push(own);
    }
  };
  await Promise.all(Array.from({ length: 6 }, work));
  const rows = await other.query<{ pair: number; halves: number }>(
    'select pair, count(*)::int as halves from parts group by pair',
  );
  expect(rows.filter(({ halves }) => halves !== 2)).toEqual([]);
  const found = new Set(rows.map((row) => row.pair));
  expect(stored.filter((own) => !found.has(own))).toEqual([]);
  expect(stored.length).toBeGreaterThan(0);
});

test('an error in a transaction that is not one of the connection rolls back, also if it looks like one of the system', async () => {
  const { database } = await openThroughProxy();
  await database.query('create table parts (n integer)');
  const missing = Object.assign(new Error('no such file'), { code: 'ENOENT' });
  const failed = database.transaction(async (connection) => {
    await connection.query('insert into parts values (1)');
    throw missing;
  });
  await expect(failed).rejects.toMatchObject({ message: expect.stringContaining('no such file') });
  expect(await database.query('select * from parts')).toEqual([]);
});

test('a new connection to a server that accepts it and sends nothing fails', async () => {
  const { proxy, database } = await openThroughProxy();
  proxy.cut();
  await expect(database.query('select 1')).rejects.toMatchObject(silent);
  proxy.repair();
  expect(await database.query('select 1 as one')).toEqual([{ one: 1 }]);
});

test('many failed connections do not use up the connections', async () => {
  const server = await createTestServer(onTestFinished);
  const { url } = await server.createDatabase();
  const database = await open(url, { maxConnections: 2 });
  await server.kill();
  for (let n = 0; n < 6; n += 1)
    await expect(database.query('select 1')).rejects.toMatchObject({ details: { code: 'ECONNREFUSED' } });
  await server.restart();
  expect(await database.query('select 1 as one')).toEqual([{ one: 1 }]);
});

test('a server that was paused is left, and used again when it answers', async () => {
  const server = await createTestServer(onTestFinished);
  const { url } = await server.createDatabase();
  const database = await open(url);
  await database.query('select 1');
  server.pause();
  await expect(database.query('select 2')).rejects.toMatchObject(silent);
  server.resume();
  expect(await database.query('select 3 as three')).toEqual([{ three: 3 }]);
});

test('a connection that waits for nothing stays open', async () => {
  const { proxy, database } = await openThroughProxy();
  await database.query('select 1');
  await database.transaction(async (connection) => {
    await connection.query('select 2');
    // Another connection is silent for longer than the limit.
    const other = await open(proxy.url);
    const silence = other.query('select pg_sleep($1)', [(ANSWER_TIMEOUT_MS * 2) / 1000]);
    await silence.catch(() => {});
    await connection.query('select 3');
  });
  // One for single statements, one for transactions, and the other one.
  expect(proxy.accepted).toBe(3);
});

test('a transaction of migrations may wait for a lock longer than other statements', async () => {
  const { database, directUrl } = await openThroughProxy();
  const other = await open(directUrl);
  const { promise: locked, resolve: setLocked } = createDeferred();
  const holding = other.transaction(async (connection) => {
    await connection.query('select pg_advisory_xact_lock(1)');
    setLocked();
    await connection.query('select pg_sleep($1)', [(ANSWER_TIMEOUT_MS * 2) / 1000]);
  });
  await locked;
  await expect(database.query('select pg_advisory_xact_lock(1)')).rejects.toMatchObject(silent);
  await database.transaction(async (connection) => connection.query('select pg_advisory_xact_lock(1)'));
  await holding;
});

test('a large result that arrives slowly is received', async () => {
  const { database } = await openThroughProxy();
  // Each row is sent when the next ones no longer fit into the memory of the server.
  const rows = await database.query<{ text: string }>(
    `select repeat('x', 100000) as text, pg_sleep($1) from generate_series(1, 8)`,
    [ANSWER_TIMEOUT_MS / 4000],
  );
  expect(rows).toHaveLength(8);
});

test('a listener whose connection was cut off connects again, and receives what is sent then', async () => {
  const { proxy, database, directUrl } = await openThroughProxy({ listenCheckMs: 100 });
  const messages: string[] = [];
  const { promise: reconnected, resolve: setReconnected } = createDeferred();
  const { promise: received, resolve: setReceived } = createDeferred();
  const unlisten = await database.listen('news', {
    onMessage(payload) {
      messages.push(payload);
      setReceived();
    },
    onReconnected: setReconnected,
  });
  proxy.cut();
  proxy.repair();
  await reconnected;
  await (await open(directUrl)).query("select pg_notify('news', $1)", ['after']);
  await received;
  expect(messages).toEqual(['after']);
  await unlisten();
});

test('a database is closed although its server does not answer', async () => {
  const { proxy, database } = await openThroughProxy();
  await database.query('select 1');
  proxy.cut();
  await database.close();
  await proxy.waitForOpen(0);
});

test('errors contain no values of the statement', async () => {
  const { database } = await openThroughProxy();
  const secret = 'a canary of the conversation';
  await database.query('create table texts (text text check (length(text) < 3))');
  const problem = await database.query('insert into texts values ($1)', [secret]).catch((thrown: unknown) => thrown);
  const { inspect } = await import('node:util');
  expect(inspect(problem, { depth: 10, showHidden: true })).not.toContain(secret);
  expect(problem).toMatchObject({ details: { code: '23514' } });
});
