// Finds, lists and deletes the sessions of a tenant by their rows.
import { Fault } from '../../base/fault.ts';
import type { Database, SqlValue } from '../../contracts/database.ts';
import type { SessionSummary } from '../../contracts/session-store.ts';
import type { ContentCipher } from './content-cipher.ts';
import { decodeDetails, parseDetails } from './session-details.ts';
import { createLostFault } from './session-faults.ts';
import type { SessionHolder } from './session-holder.ts';
import { formatReference, parseReference } from './session-reference.ts';

export interface RowContext {
  readonly database: Database;
  readonly cipher: ContentCipher;
  readonly tenant: string;
}

interface SummaryRow {
  readonly id: string;
  readonly cwd: string;
  readonly createdMs: number;
  readonly modifiedMs: number;
  readonly messages: number;
  readonly cost: number;
  readonly bytes: number;
  readonly interrupted: boolean;
  /** The details as text, if that is possible: a long list of texts is read in half of the time of a list of bytes. */
  readonly text: string | null;
  /** Otherwise. */
  readonly details: Uint8Array | null;
  readonly detailsKey: string | null;
}

const CAN_BE_TEXT = `details_key is null and getdatabaseencoding() = 'UTF8'`;
const SUMMARY_COLUMNS = `id, cwd, created_ms as "createdMs", modified_ms as "modifiedMs", messages, cost, interrupted,
  end_position + file_bytes as bytes, case when ${CAN_BE_TEXT} then convert_from(details, 'UTF8') end as text,
  case when not (${CAN_BE_TEXT}) then details end as details, details_key as "detailsKey"`;
/** Ids that are named in a message. */
const MAX_NAMED = 5;

/** Newest first. `condition` can use the values from `$2` on. */
export async function selectSessions(
  context: RowContext,
  condition: string,
  values: readonly SqlValue[],
  limit?: number,
): Promise<SessionSummary[]> {
  const { database, tenant } = context;
  const rows = await database.tenantTransaction(tenant, (connection) =>
    connection.query<SummaryRow>(
      `select ${SUMMARY_COLUMNS} from parley.sessions where tenant = $1 and ${condition}
        order by modified_ms desc, id desc ${limit === undefined ? '' : `limit ${limit}`}`,
      [tenant, ...values],
    ),
  );
  return rows.map((row) => toSummary(context, row));
}

function toSummary({ cipher, tenant }: RowContext, row: SummaryRow): SessionSummary {
  const { id, cwd, createdMs, modifiedMs, messages, cost, bytes, interrupted } = row;
  const {
    name,
    parentSession,
    opening = '',
  } = row.details === null
    ? parseDetails(row.text ?? '')
    : decodeDetails(cipher, { tenant, id }, { bytes: row.details, keyId: row.detailsKey });
  return {
    ...{ path: formatReference(id), id, cwd, createdMs, modifiedMs, messages, cost, bytes, interrupted, opening },
    ...(name === undefined ? {} : { name }),
    ...(parentSession === undefined ? {} : { parentSession }),
  };
}

export function listSessions(context: RowContext, cwd: string | undefined): Promise<readonly SessionSummary[]> {
  return cwd === undefined ? selectSessions(context, 'true', []) : selectSessions(context, 'cwd = $2', [cwd]);
}

export async function findSession(context: RowContext, id: string, cwd?: string): Promise<string | undefined> {
  const [found] = await selectSessions(context, cwd === undefined ? 'id = $2' : 'id = $2 and cwd = $3', [
    ...(cwd === undefined ? [id] : [id, cwd]),
  ]);
  return found?.path;
}

export async function findLatest(context: RowContext, cwd: string | undefined): Promise<string | undefined> {
  const condition = cwd === undefined ? 'true' : 'cwd = $2';
  const [latest] = await selectSessions(context, condition, cwd === undefined ? [] : [cwd], 1);
  return latest?.path;
}

/** The id of the session that a reference, an id or the beginning of an id names. */
export async function locateSession(context: RowContext, reference: string): Promise<string> {
  if (reference === '')
    throw new Fault('invalid_params', 'Session reference is empty. Give the beginning of a session id.');
  const wanted = parseReference(reference) ?? reference;
  const isExactOnly = wanted !== reference;
  const ids = await findIds(context, wanted, isExactOnly);
  const [id, ...others] = ids.includes(wanted) ? [wanted] : ids;
  if (id === undefined) throw new Fault('not_found', `Session not found: ${reference}`);
  if (others.length === 0) return id;
  const names = ids.slice(0, MAX_NAMED).join(', ');
  const more = ids.length > MAX_NAMED ? ', …' : '';
  throw new Fault('invalid_params', `Several sessions begin with ${reference}: ${names}${more}`);
}

async function findIds({ database, tenant }: RowContext, wanted: string, isExactOnly: boolean): Promise<string[]> {
  const condition = isExactOnly ? 'id = $2' : 'starts_with(id, $2)';
  const rows = await database.tenantTransaction(tenant, (connection) =>
    connection.query<{ id: string }>(
      `select id from parley.sessions where tenant = $1 and ${condition} order by id = $2 desc, modified_ms desc limit ${MAX_NAMED + 1}`,
      [tenant, wanted],
    ),
  );
  return rows.map(({ id }) => id);
}

/** Throws a Fault when a process that is alive writes to the session. */
export async function removeSession(
  { database, tenant, holder }: RowContext & { readonly holder: SessionHolder },
  id: string,
): Promise<void> {
  const { token } = await holder.take(tenant, id);
  try {
    const removed = await database.tenantTransaction(tenant, (connection) =>
      connection.query('delete from parley.sessions where tenant = $1 and id = $2 and token = $3 returning id', [
        ...[tenant, id, token],
      ]),
    );
    if (removed.length === 0) throw createLostFault(id, 'taken');
  } finally {
    await holder.release(tenant, id, token);
  }
}
