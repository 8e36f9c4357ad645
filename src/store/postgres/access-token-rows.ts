// The access tokens of a fleet in the database. Only their digests are stored.
import { Fault } from '../../base/fault.ts';
import { isRecord, tryParseJson } from '../../base/json.ts';
import type { Database } from '../../contracts/database.ts';
import type { ClientAccess } from '../../protocol/server-frames.ts';

export interface StoredToken {
  readonly name: string;
  readonly access: ClientAccess;
  readonly createdMs: number;
}

/** A token that was removed, as the other nodes are informed of it. */
export interface RemovedToken {
  readonly tenant: string;
  readonly name: string;
}

const CHANNEL = 'parley_tokens';
const NO_TENANT = 'insert into parley.tenants (name) values ($1) on conflict do nothing';
const INSERT = `insert into parley.tokens (tenant, name, access, digest, created_ms) values ($1, $2, $3, $4, $5)
  on conflict (tenant, name) do nothing returning name`;

/** `digest`: SHA-256 of the token, in hexadecimal digits. */
export async function addStoredToken(
  database: Database,
  tenant: string,
  { name, access, createdMs, digest }: StoredToken & { readonly digest: string },
): Promise<void> {
  const added = await database.tenantTransaction(tenant, async (connection) => {
    await connection.query(NO_TENANT, [tenant]);
    return connection.query(INSERT, [tenant, name, access, digest, createdMs]);
  });
  if (added.length === 0)
    throw new Fault('config', `Tenant ${tenant} has a token with the name ${name} already. Remove it first.`);
}

export function listStoredTokens(database: Database, tenant: string): Promise<readonly StoredToken[]> {
  return database.tenantTransaction(tenant, (connection) =>
    connection.query<StoredToken & Record<string, unknown>>(
      'select name, access, created_ms as "createdMs" from parley.tokens where tenant = $1 order by name',
      [tenant],
    ),
  );
}

/** All nodes end the connections with this token at once. */
export async function removeStoredToken(database: Database, tenant: string, name: string): Promise<void> {
  const payload = JSON.stringify({ tenant, name } satisfies RemovedToken);
  const removed = await database.tenantTransaction(tenant, async (connection) => {
    const rows = await connection.query('delete from parley.tokens where tenant = $1 and name = $2 returning name', [
      ...[tenant, name],
    ]);
    if (rows.length > 0) await connection.query('select pg_notify($1, $2)', [CHANNEL, payload]);
    return rows.length > 0;
  });
  if (!removed) throw new Fault('config', `Tenant ${tenant} has no token with the name ${name}.`);
}

export async function findStoredToken(
  database: Database,
  digest: string,
): Promise<{ readonly tenant: string; readonly name: string; readonly access: ClientAccess } | undefined> {
  const [found] = await database.query<{ tenant: string; name: string; access: ClientAccess }>(
    'select * from parley.find_token($1)',
    [digest],
  );
  return found;
}

/** The tenants that have had tokens. */
export async function listTenants(database: Database): Promise<readonly string[]> {
  return (await database.query<{ name: string }>('select name from parley.tenants order by name')).map(
    ({ name }) => name,
  );
}

/** `undefined`: the connection was lost, so that some removals may not be known. Returns a function that ends it. */
export function listenForRemovedTokens(
  database: Database,
  onRemoved: (token: RemovedToken | undefined) => void,
): Promise<() => Promise<void>> {
  return database.listen(CHANNEL, {
    onMessage(payload) {
      const token = tryParseJson(payload);
      onRemoved(isRecord(token) ? (token as unknown as RemovedToken) : undefined);
    },
    onReconnected: () => onRemoved(undefined),
  });
}
