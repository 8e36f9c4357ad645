// Deletes many sessions of a tenant: those that were not used for a time, or all. Sessions in use are kept.
import { Fault, getErrorMessage } from '../../base/fault.ts';
import type { SqlValue } from '../../contracts/database.ts';
import type { PostgresStorage } from './postgres-store.ts';
import { formatReference } from './session-reference.ts';

export interface DeletedSessions {
  /** References. */
  readonly deleted: readonly string[];
  /** Sessions that were not deleted, most likely because a process uses them. The message names the session. */
  readonly failed: readonly { readonly path: string; readonly message: string }[];
}

export interface DeleteOptions {
  /** Only the sessions of this working directory. */
  readonly cwd?: string | undefined;
  /** Deletes nothing. `deleted` has what would be deleted. */
  readonly isDryRun?: boolean | undefined;
}

interface Condition {
  readonly text: string;
  /** From `$2` on. */
  readonly values: readonly SqlValue[];
}

const DAY_MS = 24 * 60 * 60 * 1000;
const BATCH_SIZE = 200;

/** Deletes the sessions to which nothing was written for `days` days. */
export async function deleteOldSessions(
  storage: PostgresStorage,
  days: number,
  { cwd, isDryRun }: DeleteOptions = {},
): Promise<DeletedSessions> {
  const beforeMs = Math.round(storage.clock.now() - days * DAY_MS);
  const isOld = { text: 'modified_ms < $2::bigint', values: [beforeMs] };
  const condition = cwd === undefined ? isOld : { text: `${isOld.text} and cwd = $3`, values: [beforeMs, cwd] };
  return deleteMatching(storage, condition, isDryRun);
}

/** Deletes all sessions of the tenant. */
export function deleteAllSessions(storage: PostgresStorage): Promise<DeletedSessions> {
  return deleteMatching(storage, { text: 'true', values: [] });
}

async function deleteMatching(
  storage: PostgresStorage,
  condition: Condition,
  isDryRun = false,
): Promise<DeletedSessions> {
  const deleted: string[] = [];
  const failed: { path: string; message: string }[] = [];
  let after: string | undefined;
  for (;;) {
    const ids = await readIds(storage, condition, after);
    for (const id of ids) {
      const path = formatReference(id);
      try {
        if (isDryRun || (await deleteSession(storage, id, condition))) deleted.push(path);
      } catch (thrown) {
        // Without the database, all others would fail, too.
        if (!(thrown instanceof Fault) || thrown.code === 'storage') throw thrown;
        if (thrown.code !== 'not_found') failed.push({ path, message: getErrorMessage(thrown) });
      }
    }
    after = ids.at(-1);
    if (ids.length < BATCH_SIZE) return { deleted, failed };
  }
}

async function readIds(
  { database, tenant }: PostgresStorage,
  { text, values }: Condition,
  after: string | undefined,
): Promise<string[]> {
  const place = `$${values.length + 2}`;
  const rows = await database.tenantTransaction(tenant, (connection) =>
    connection.query<{ id: string }>(
      `select id from parley.sessions where tenant = $1 and ${text} and (${place}::text is null or id > ${place})
        order by id limit ${BATCH_SIZE}`,
      [tenant, ...values, after ?? null],
    ),
  );
  return rows.map(({ id }) => id);
}

/** False when the session no longer fulfils the condition: it was used meanwhile. */
async function deleteSession(
  { database, tenant, holder }: PostgresStorage,
  id: string,
  { text, values }: Condition,
): Promise<boolean> {
  const { token } = await holder.take(tenant, id);
  const [idPlace, tokenPlace] = [`$${values.length + 2}`, `$${values.length + 3}`];
  const rows = await database
    .tenantTransaction(tenant, (connection) =>
      connection.query(
        `delete from parley.sessions where tenant = $1 and ${text} and id = ${idPlace} and token = ${tokenPlace}::bigint
          returning id`,
        [tenant, ...values, id, token],
      ),
    )
    .catch(async (thrown: unknown) => {
      await holder.release(tenant, id, token);
      throw thrown;
    });
  if (rows.length > 0) holder.stop();
  else await holder.release(tenant, id, token);
  return rows.length > 0;
}
