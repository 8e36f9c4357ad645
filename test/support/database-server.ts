// Starts a database server for tests, with an ordinary role beside the superuser.
import postgres from 'postgres';
import {
  type EmbeddedServer,
  type EmbeddedServerOptions,
  startEmbeddedServer,
} from '../../src/app/fleet/embedded-server.ts';
import { createClock } from '../../src/app/system-ports/clock.ts';
import { createFiles } from '../../src/app/system-ports/files.ts';
import { createIds } from '../../src/app/system-ports/ids.ts';

/** Addresses of the database `postgres` of a server. */
export interface Roles {
  readonly superuserUrl: string;
  /** An ordinary role: it is not exempt from row-level security, and cannot create databases. */
  readonly url: string;
}

/** The tests of several files use one server. */
const MAX_CONNECTIONS = '300';

export async function startDatabaseServer(
  options: Omit<EmbeddedServerOptions, 'ports'>,
): Promise<{ server: EmbeddedServer; roles: Roles }> {
  const ports = { clock: createClock(), ids: createIds(), files: createFiles() };
  const settings = { max_connections: MAX_CONNECTIONS, ...options.settings };
  const server = await startEmbeddedServer({ ...options, settings, ports });
  const url = new URL(server.url);
  url.username = 'parley';
  await withClient(server.url, async (sql) => {
    const [found] = await sql`select 1 from pg_roles where rolname = 'parley'`;
    if (!found) await sql.unsafe(`create role parley login nosuperuser nobypassrls password '${url.password}'`);
  });
  return { server, roles: { superuserUrl: server.url, url: url.href } };
}

/** Connects for one task. */
export async function withClient<T>(url: string, use: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres(url, { max: 1, onnotice: () => {}, fetch_types: false });
  try {
    return await use(sql);
  } finally {
    await sql.end();
  }
}
