// Tests of lists of stored sessions: what they read of a database with many sessions, and how the text of a summary is stored.
import { expect, onTestFinished, test } from 'vitest';
import { createIds } from '../../../src/app/system-ports/ids.ts';
import { openDatabase } from '../../../src/app/system-ports/postgres-database.ts';
import type { Database, SqlConnection } from '../../../src/contracts/index.ts';
import { createContentCipher } from '../../../src/store/postgres/content-cipher.ts';
import { migrateSchema } from '../../../src/store/postgres/migrate-schema.ts';
import { createPostgresIndex } from '../../../src/store/postgres/postgres-index.ts';
import { createTestDatabase } from '../../support/database.ts';
import { withClient } from '../../support/database-server.ts';
import { entry, header } from '../contract.ts';
import { openPostgres, openStore, type PostgresFixture } from './postgres-fixture.ts';

const KEY = `k1:${Buffer.alloc(32, 7).toString('base64')}`;
const NAME = 'naïve 日本 👩‍💻 \\ " \u2028';

async function createSession({ openStorage }: Pick<PostgresFixture, 'openStorage'>, id: string, keys?: string) {
  const storage = openStorage({ cipher: createContentCipher(keys, createIds()) });
  const log = openStore(storage).create({ ...header, id });
  await log.append([entry(0), { ...entry(1), type: 'session_info', name: NAME } as never]);
  await log.close();
  return storage;
}

test('a list has sessions with and without encryption', async () => {
  const fixture = await openPostgres();
  await createSession(fixture, 'plain');
  const storage = await createSession(fixture, 'encrypted', KEY);
  const [encrypted, plain] = (await openStore(storage).list()).toSorted((a, b) => a.id.localeCompare(b.id));
  expect(plain).toMatchObject({ id: 'plain', path: 'postgres:plain', name: NAME, messages: 1, cwd: header.cwd });
  expect(plain?.opening).not.toBe('');
  expect(encrypted).toEqual({ ...plain, id: 'encrypted', path: 'postgres:encrypted' });
});

test('a database whose encoding does not have all characters', async () => {
  const { url, superuserUrl, name } = await createTestDatabase();
  const latin = `${name}_latin`;
  await withClient(superuserUrl, (sql) =>
    sql.unsafe(`create database ${latin} owner parley encoding 'LATIN1' locale 'C' template template0`),
  );
  const database = await openDatabase({
    url: Object.assign(new URL(url), { pathname: `/${latin}` }).href,
    applicationName: 'parley tests',
  });
  onTestFinished(() => database.close());
  await migrateSchema(database);
  const { openStorage } = await openPostgres();
  const fixture: Pick<PostgresFixture, 'openStorage'> = {
    openStorage: (options) => openStorage({ ...options, database }),
  };
  const storage = await createSession(fixture, 'plain');
  expect(await openStore(storage).list()).toMatchObject([{ id: 'plain', name: NAME }]);
});

/** Calls `report` with the plan of each statement that reads sessions. */
function explainStatements(database: Database, report: (plan: string) => void): Database {
  return {
    ...database,
    tenantTransaction: (tenant, act) =>
      database.tenantTransaction(tenant, (connection) => {
        const query: SqlConnection['query'] = async (text, values) => {
          const rows = await connection.query<{ 'QUERY PLAN': string }>(`explain ${text}`, values);
          report(rows.map((row) => row['QUERY PLAN']).join('\n'));
          return connection.query(text, values);
        };
        return act({ query });
      }),
  };
}

test('what needs few sessions finds them with an index', async () => {
  const plans: string[] = [];
  const fixture = await openPostgres((database) => explainStatements(database, (plan) => plans.push(plan)));
  await openTenantWithSessions(fixture, 5000);
  const storage = fixture.openStorage();
  const [index, store] = [createPostgresIndex(storage), openStore(storage, '/directory-7')];
  const { nextCursor } = await index.search({ limit: 20 });
  const reads: Record<string, () => Promise<unknown>> = {
    'the first page': () => index.search({ limit: 20 }),
    'the next page': () => index.search({ limit: 20, cursor: nextCursor }),
    'a page of a directory': () => index.search({ limit: 20, cwd: '/directory-7' }),
    'a page of a directory without sessions': () => index.search({ limit: 20, cwd: '/none' }),
    'the latest of a directory': () => store.findLatest(),
    'all of a directory': () => store.list(),
    'an id': () => index.find('session-77'),
    'an id of a directory': () => store.find('session-57'),
    'the beginning of an id': () => store.locate('session-4999'),
  };
  for (const [what, read] of Object.entries(reads)) {
    plans.length = 0;
    await read();
    expect(plans, what).toHaveLength(1);
    expect(plans.join('\n'), what).toMatch(/Index Scan (using|on) sessions_/);
    expect(plans.join('\n'), what).not.toContain('Seq Scan');
  }
});

async function openTenantWithSessions({ url }: PostgresFixture, count: number): Promise<void> {
  const database = await openDatabase({ url, applicationName: 'parley tests' });
  onTestFinished(() => database.close());
  await database.tenantTransaction('default', ({ query }) =>
    query(
      `insert into parley.sessions (tenant, id, header, cwd, created_ms, modified_ms, details)
        select 'default', 'session-' || n, '\\x7b7d0a', '/directory-' || n % 50, n, n, '\\x7b7d' from generate_series(1, $1) as n`,
      [count],
    ),
  );
  await database.query('analyze parley.sessions');
}
