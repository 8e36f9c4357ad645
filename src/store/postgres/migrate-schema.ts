// Brings the tables of a database to the version of this program. Safe when several processes do it at the same time.
import { Fault } from '../../base/fault.ts';
import type { Database, SqlConnection } from '../../contracts/database.ts';
import { MIGRATIONS, type Migration, SCHEMA_VERSION } from './schema.ts';

/** Only one process migrates at a time. The number has no meaning. */
const MIGRATION_LOCK = 7_420_180_001;

export interface SchemaState {
  readonly version: number;
  readonly oldestProgram: number;
}

const EMPTY: SchemaState = { version: 0, oldestProgram: 0 };

/** Throws a Fault when a newer program has changed the tables in a way that this one does not understand. */
export async function migrateSchema(
  database: Database,
  {
    migrations = MIGRATIONS,
    ownVersion = SCHEMA_VERSION,
  }: { migrations?: readonly Migration[]; ownVersion?: number } = {},
): Promise<void> {
  if (isUsable(database, await readSchemaState(database), ownVersion)) return;
  await database.transaction(async (connection) => {
    await connection.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    // Another process may have migrated meanwhile.
    const state = await readSchemaState(connection);
    if (isUsable(database, state, ownVersion)) return;
    if (state.version === 0) await createVersionTable(connection);
    for (const { version, oldestProgram, sql } of migrations) {
      if (version <= state.version) continue;
      await connection.query(sql);
      await connection.query('insert into parley.schema_versions (version, oldest_program) values ($1, $2)', [
        version,
        oldestProgram,
      ]);
    }
  });
}

async function createVersionTable(connection: SqlConnection): Promise<void> {
  await connection.query(`create schema if not exists parley;
    create table parley.schema_versions (
      version integer primary key,
      oldest_program integer not null,
      applied_at timestamptz not null default now()
    );`);
}

/** Reads the catalogue as a table: functions such as `to_regclass` use a cache that another process may have made out of date. */
const VERSION_TABLE = `select from pg_catalog.pg_class join pg_catalog.pg_namespace on pg_namespace.oid = relnamespace
  where nspname = 'parley' and relname = 'schema_versions'`;

/** Version 0 if there are no tables. */
export async function readSchemaState(connection: SqlConnection): Promise<SchemaState> {
  if ((await connection.query(VERSION_TABLE)).length === 0) return EMPTY;
  const [state] = await connection.query<{ version: number; oldestProgram: number }>(
    'select version, oldest_program as "oldestProgram" from parley.schema_versions order by version desc limit 1',
  );
  return state ?? EMPTY;
}

function isUsable({ label }: Database, { version, oldestProgram }: SchemaState, ownVersion: number): boolean {
  if (oldestProgram <= ownVersion) return version >= ownVersion;
  const message = `Database ${label} was upgraded by a newer version of Parley (tables ${version}, this program knows ${ownVersion}). Upgrade this program.`;
  throw new Fault('config', message);
}
