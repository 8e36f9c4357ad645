// Finds the sessions of a tenant in PostgreSQL, in all working directories.
import { Fault } from '../../base/fault.ts';
import { isRecord, toJson } from '../../base/json.ts';
import type { SessionIndex } from '../../contracts/session-index.ts';
import type { SessionSummary } from '../../contracts/session-store.ts';
import { createLogFiles } from './log-files.ts';
import type { PostgresStorage } from './postgres-store.ts';
import { searchPostgres } from './search-postgres.ts';
import { getHeaderPlace } from './session-details.ts';
import { createLostFault } from './session-faults.ts';
import { parseReference } from './session-reference.ts';
import { listSessions, locateSession, removeSession, selectSessions } from './session-rows.ts';
import { readStoredFile } from './stored-directory.ts';

export function createPostgresIndex(storage: PostgresStorage): SessionIndex {
  const findRow = async (id: string): Promise<SessionSummary | undefined> =>
    (await selectSessions(storage, 'id = $2', [id], 1))[0];
  const getId = (path: string) => parseReference(path) ?? path;
  return {
    list: () => listSessions(storage, undefined),
    search: (query) => searchPostgres(storage, createLogFiles(storage), query),
    async locate(reference) {
      const found = await findRow(await locateSession(storage, reference));
      if (!found) throw new Fault('not_found', `Session not found: ${reference}`);
      return found;
    },
    find: async (id) => (await findRow(id))?.path,
    readDirectory: async (path) => (await findRow(getId(path)))?.cwd,
    readSidecar: (path, name) => readStoredFile(storage, getId(path), name),
    async move(path, cwd) {
      await moveSession(storage, getId(path), cwd);
      return path;
    },
    remove: async (path) => removeSession(storage, getId(path)),
  };
}

/** The header names the directory, too. */
async function moveSession(storage: PostgresStorage, id: string, cwd: string): Promise<void> {
  const { database, cipher, holder, tenant } = storage;
  const taken = await holder.take(tenant, id);
  try {
    const place = getHeaderPlace({ tenant, id });
    const text = cipher.decrypt({ bytes: taken.header, keyId: taken.headerKey }, place).toString('utf8');
    const header: unknown = JSON.parse(text);
    if (!isRecord(header)) throw new Fault('storage', `The header of session ${id} is damaged.`);
    const changed = Buffer.from(`${toJson({ ...header, cwd })}\n`);
    const moved = await database.tenantTransaction(tenant, (connection) =>
      connection.query(
        'update parley.sessions set cwd = $4, header = $5, header_key = $6 where tenant = $1 and id = $2 and token = $3 returning id',
        [tenant, id, taken.token, cwd, cipher.encrypt(changed, place), cipher.keyId],
      ),
    );
    if (moved.length === 0) throw createLostFault(id, 'taken');
  } finally {
    await holder.release(tenant, id, taken.token);
  }
}
