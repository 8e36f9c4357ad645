// Checks whether the database in which sessions are stored can be used. Changes nothing in it.
import { Fault, getErrorMessage } from '../../base/index.ts';
import type { Database } from '../../contracts/index.ts';
import { createContentCipher } from '../../store/postgres/content-cipher.ts';
import { readSchemaState } from '../../store/postgres/migrate-schema.ts';
import { SCHEMA_VERSION } from '../../store/postgres/schema.ts';
import type { StorageConfiguration } from '../configured-storage.ts';
import type { DatabaseSecrets } from '../database-secrets.ts';
import { createIds } from '../system-ports/ids.ts';
import { openDatabase } from '../system-ports/postgres-database.ts';
import { error, type Finding, ok, warning } from './finding.ts';

const CHECK = 'database';
const CONNECT_REMEDY =
  'Check the address (the setting store, or PARLEY_DATABASE_URL), the user and password, and that the server runs.';

/** The address contains a password, which no finding shows. */
export async function checkDatabase(
  { url, settings }: StorageConfiguration,
  secrets: DatabaseSecrets,
): Promise<Finding[]> {
  if (url === undefined) return [];
  let database: Database | undefined;
  try {
    database = await openDatabase({ url, applicationName: 'parley doctor', maxConnections: 1 });
    const cipher = createContentCipher(secrets.key, createIds());
    return await checkTables(database, settings['database.tenant'], {
      keyIds: cipher.keyIds,
      mode: cipher.keyId === null ? 'not encrypted' : `encrypted with the key ${cipher.keyId}`,
    });
  } catch (thrown) {
    const isConfiguration = thrown instanceof Fault && thrown.code === 'config';
    const message = getErrorMessage(thrown);
    return [error(CHECK, message, isConfiguration ? 'Correct this; docs/database.md describes it.' : CONNECT_REMEDY)];
  } finally {
    await database?.close().catch(() => {});
  }
}

interface Encryption {
  readonly keyIds: readonly string[];
  readonly mode: string;
}

async function checkTables(database: Database, tenant: string, { keyIds, mode }: Encryption): Promise<Finding[]> {
  const { label } = database;
  const { version, oldestProgram } = await readSchemaState(database);
  if (version === 0) return [ok(CHECK, `${label} can be reached; the tables are created with the first session`)];
  if (oldestProgram > SCHEMA_VERSION) {
    const found = `${label} has tables of version ${version}, and this program knows ${SCHEMA_VERSION}`;
    return [error(CHECK, found, 'Upgrade this program; `parley update` says how.')];
  }
  const { count, missing } = await readContents(database, tenant, keyIds);
  const upgrade = version < SCHEMA_VERSION ? '; they are upgraded at the next start' : '';
  const found = `${label}, tables of version ${version}${upgrade}; tenant ${tenant}, ${count} sessions, new ones are ${mode}`;
  return [
    missing.length > 0
      ? error(CHECK, `${found}. Keys are missing: ${missing.join(', ')}`, 'Add them to PARLEY_DATABASE_KEY.')
      : ok(CHECK, found),
    ...((await isExemptFromTenants(database)) ? [createRoleWarning()] : []),
  ];
}

async function readContents(
  database: Database,
  tenant: string,
  keyIds: readonly string[],
): Promise<{ count: number; missing: readonly string[] }> {
  const rows = await database.tenantTransaction(tenant, (connection) =>
    connection.query<{ key: string | null; count: number }>(
      'select header_key as key, count(*) as count from parley.sessions where tenant = $1 group by header_key order by header_key',
      [tenant],
    ),
  );
  const missing = rows.flatMap(({ key }) => (key === null || keyIds.includes(key) ? [] : [key]));
  return { count: rows.reduce((sum, { count }) => sum + count, 0), missing };
}

async function isExemptFromTenants(database: Database): Promise<boolean> {
  const [role] = await database.query<{ isExempt: boolean }>(
    'select rolsuper or rolbypassrls as "isExempt" from pg_catalog.pg_roles where rolname = current_user',
  );
  return role?.isExempt ?? false;
}

function createRoleWarning(): Finding {
  return warning(
    CHECK,
    'the role of this address is exempt from row-level security, so tenants are separated only by this program',
    'Use a role without SUPERUSER and BYPASSRLS that owns the tables.',
  );
}
