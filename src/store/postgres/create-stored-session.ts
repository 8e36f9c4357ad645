// Creates a session without opening it, for a process that will open it later.
import { toJson } from '../../base/json.ts';
import type { SqlConnection } from '../../contracts/database.ts';
import type { SessionHeader } from '../../protocol/session-entry.ts';
import { encodeDetails, getHeaderPlace, type SessionDetails } from './session-details.ts';
import type { RowContext } from './session-rows.ts';
import { insertStoredFile } from './stored-directory.ts';

export interface StoredSessionRequest {
  readonly header: SessionHeader;
  readonly createdMs: number;
  readonly details: SessionDetails;
  readonly file: { readonly name: string; readonly text: string };
}

const CREATE = `insert into parley.sessions
  (tenant, id, header, header_key, cwd, created_ms, modified_ms, details, details_key)
  values ($1, $2, $3, $4, $5, $6, $6, $7, $4) on conflict do nothing returning id`;

/** Returns false when there is a session with this id. `onCreated` is part of the same transaction. */
export function createStoredSession(
  context: RowContext,
  { header, createdMs, details, file }: StoredSessionRequest,
  onCreated: (connection: SqlConnection) => Promise<void>,
): Promise<boolean> {
  const { database, cipher, tenant } = context;
  const session = { tenant, id: header.id };
  return database.tenantTransaction(tenant, async (connection) => {
    const bytes = Buffer.from(`${toJson(header)}\n`);
    const created = await connection.query(CREATE, [
      ...[tenant, header.id, cipher.encrypt(bytes, getHeaderPlace(session)), cipher.keyId],
      ...[header.cwd, createdMs, encodeDetails(cipher, session, details)],
    ]);
    if (created.length === 0) return false;
    const content = Buffer.from(file.text);
    await insertStoredFile(context, connection, header.id, {
      ...{ name: file.name, bytes: content, modifiedMs: createdMs },
    });
    await onCreated(connection);
    return true;
  });
}
