import postgres from 'postgres';
import { expect, onTestFinished, test } from 'vitest';
import { createTestDatabase, createTestServer } from '../../support/database.ts';
import { isAlive } from '../../support/processes.ts';
import { waitUntil } from '../../support/wait-until.ts';

function connect(url: string, options: postgres.Options<Record<string, never>> = {}): postgres.Sql {
  const sql = postgres(url, { onnotice: () => {}, ...options });
  onTestFinished(() => sql.end({ timeout: 0 }));
  return sql;
}

test('two databases of one server do not see each other', async () => {
  const [one, two] = await Promise.all([createTestDatabase(), createTestDatabase()]);
  expect(new URL(one.url).host).toBe(new URL(two.url).host);
  const [first, second] = [connect(one.url), connect(two.url)];
  await first`create table marks (value int)`;
  await first`insert into marks values (1)`;
  expect(await first`select value from marks`).toEqual([{ value: 1 }]);
  await expect(second`select value from marks`).rejects.toThrow('relation "marks" does not exist');
});

test('the role of a database owns it and is subject to row-level security, unlike the superuser', async () => {
  const { name, url, superuserUrl } = await createTestDatabase();
  const sql = connect(url);
  const [owner] = await sql`
    select pg_get_userbyid(datdba) as owner, current_user as role, current_database() as name, r.rolsuper, r.rolbypassrls
    from pg_database, pg_roles r where datname = current_database() and r.rolname = current_user`;
  expect(owner).toEqual({ owner: 'parley', role: 'parley', name, rolsuper: false, rolbypassrls: false });
  await sql`create table notes (tenant text)`;
  await sql`insert into notes values ('a'), ('b')`;
  await sql`alter table notes enable row level security`;
  await sql`alter table notes force row level security`;
  await sql`create policy own on notes using (tenant = 'a')`;
  expect(await sql`select tenant from notes`).toEqual([{ tenant: 'a' }]);
  expect(await connect(superuserUrl)`select tenant from notes order by tenant`).toHaveLength(2);
});

test('after kill -9 a server continues on its port with everything that was committed', async () => {
  const server = await createTestServer(onTestFinished);
  const database = await server.createDatabase();
  const sql = connect(database.url, { max: 1 });
  await sql`create table numbers as select generate_series(1, 1000) as value`;
  const pid = server.pid;
  // A process of the server that computes does not notice the end of the main process by itself.
  const busy = connect(database.url, { max: 1 })
    .unsafe('do $$ begin loop end loop; end $$')
    .catch((error) => error);
  const isBusy = () => sql`select from pg_stat_activity where query like 'do %' and state = 'active'`;
  await waitUntil(async () => (await isBusy()).length === 1);
  process.kill(pid, 'SIGKILL');
  await server.restart();
  expect(await busy).toBeInstanceOf(Error);
  expect([isAlive(pid), isAlive(server.pid)]).toEqual([false, true]);
  // The client connects again by itself.
  expect(await connect(database.url)`select count(*)::int from numbers`).toEqual([{ count: 1000 }]);
});

test('all processes of a server can be killed', async () => {
  const server = await createTestServer(onTestFinished);
  const sql = connect(server.url, { max: 1 });
  await sql`select 1`;
  const sleep = sql`select pg_sleep(1000)`.catch((error) => error);
  await server.kill();
  expect(isAlive(server.pid)).toBe(false);
  expect(await sleep).toBeInstanceOf(Error);
  await server.restart();
  expect(await connect(server.url)`select 1 as one`).toEqual([{ one: 1 }]);
});

test('a paused server does not answer until it is resumed', async () => {
  const server = await createTestServer(onTestFinished);
  const sql = connect(server.url, { max: 1 });
  await sql`select 1`;
  server.pause();
  let isAnswered = false;
  const answer = sql`select 1 as one`.then((rows) => {
    isAnswered = true;
    return rows;
  });
  const other = connect(server.url, { max: 1, connect_timeout: 1 });
  await expect(other`select 1`).rejects.toThrow('CONNECT_TIMEOUT');
  expect(isAnswered).toBe(false);
  server.resume();
  expect(await answer).toEqual([{ one: 1 }]);
});
