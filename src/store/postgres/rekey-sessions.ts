// Encrypts the sessions of a tenant again with the current key, or removes their encryption. Only what has another key is changed, so a
// call that was interrupted can be repeated.
import { Fault, getErrorMessage, getFaultReason } from '../../base/fault.ts';
import type { SqlConnection } from '../../contracts/database.ts';
import { type ContentCipher, createContentCipher } from './content-cipher.ts';
import { getImagePlace, getLinePlace, type SessionKey } from './entry-rows.ts';
import type { PostgresStorage } from './postgres-store.ts';
import { decodeDetails, encodeDetails, getHeaderPlace } from './session-details.ts';
import { formatReference } from './session-reference.ts';
import { getPartPlace } from './stored-directory.ts';

export interface RekeyedSession {
  readonly path: string;
  /** Why it was not changed. The message names the session. */
  readonly error?: string;
}

const MAX_BATCH_BYTES = 8 * 1024 * 1024;
const MAX_BATCH_ROWS = 500;
/** `$2` is the id of the key. */
const HAS_OTHER_KEY = `s.header_key is distinct from $2 or s.details_key is distinct from $2
  or exists (select from parley.entries where tenant = $1 and session = s.id and body_key is distinct from $2)
  or exists (select from parley.images where tenant = $1 and session = s.id and content_key is distinct from $2)
  or exists (select from parley.files where tenant = $1 and session = s.id and content_key is distinct from $2)`;
const CHECK_TOKEN = `select header, header_key as "headerKey", details, details_key as "detailsKey" from parley.sessions
  where tenant = $1 and id = $2 and token = $3 for update`;

/** Writes plain content, and reads what the keys can decrypt. */
export function createDecryptingCipher(cipher: ContentCipher): ContentCipher {
  const plain = createContentCipher(undefined, { uuid: () => '' });
  return { ...plain, keyIds: cipher.keyIds, decrypt: cipher.decrypt };
}

/** `storage.cipher` decrypts the present content; its current key encrypts it again. */
export async function* rekeySessions(storage: PostgresStorage): AsyncGenerator<RekeyedSession> {
  const { database, tenant, cipher } = storage;
  const rows = await database.tenantTransaction(tenant, (connection) =>
    connection.query<{ id: string }>(
      `select id from parley.sessions as s where tenant = $1 and (${HAS_OTHER_KEY}) order by id`,
      [tenant, cipher.keyId],
    ),
  );
  for (const { id } of rows) {
    const path = formatReference(id);
    try {
      await rekeySession(storage, id);
      yield { path };
    } catch (thrown) {
      if (!(thrown instanceof Fault) || isGeneralProblem(thrown)) throw thrown;
      // It was deleted meanwhile.
      if (thrown.code === 'not_found') continue;
      const message = getErrorMessage(thrown);
      yield { path, error: message.includes(path) ? message : `${path}: ${message}` };
    }
  }
}

/** A missing key, or a database that cannot be reached: all sessions would fail. */
function isGeneralProblem(fault: Fault): boolean {
  return fault.code === 'config' || getFaultReason(fault) === 'database';
}

async function rekeySession({ database, tenant, cipher, holder }: PostgresStorage, id: string): Promise<void> {
  const { token } = await holder.take(tenant, id);
  const session = { tenant, id };
  const inTransaction = <T>(act: (connection: SqlConnection) => Promise<T>): Promise<T> =>
    database.tenantTransaction(tenant, async (connection) => {
      const [head] = await connection.query<HeadRow>(CHECK_TOKEN, [tenant, id, token]);
      if (!head)
        throw new Fault('busy', `Session ${formatReference(id)} was taken over by another process. Try again.`);
      await rekeyHead(connection, cipher, session, head);
      return act(connection);
    });
  try {
    for (const rekeyPart of [rekeyImage, rekeyEntries, rekeyFiles])
      while (await inTransaction((connection) => rekeyPart(connection, cipher, session)));
  } finally {
    await holder.release(tenant, id, token);
  }
}

interface HeadRow {
  readonly header: Uint8Array;
  readonly headerKey: string | null;
  readonly details: Uint8Array;
  readonly detailsKey: string | null;
}

async function rekeyHead(
  connection: SqlConnection,
  cipher: ContentCipher,
  session: SessionKey,
  { header, headerKey, details, detailsKey }: HeadRow,
): Promise<void> {
  if (headerKey === cipher.keyId && detailsKey === cipher.keyId) return;
  const place = getHeaderPlace(session);
  const text = cipher.decrypt({ bytes: header, keyId: headerKey }, place);
  const summary = decodeDetails(cipher, session, { bytes: details, keyId: detailsKey });
  await connection.query(
    `update parley.sessions set header = $3, header_key = $4, details = $5, details_key = $4 where tenant = $1 and id = $2`,
    [session.tenant, session.id, cipher.encrypt(text, place), cipher.keyId, encodeDetails(cipher, session, summary)],
  );
}

/** Each of the functions below changes one batch, and returns whether there may be more. */
type RekeyPart = (connection: SqlConnection, cipher: ContentCipher, session: SessionKey) => Promise<boolean>;

const rekeyEntries: RekeyPart = async (connection, cipher, session) => {
  const { tenant, id } = session;
  const sizes = await connection.query<{ position: number; size: number }>(
    `select position, length(body) as size from parley.entries
      where tenant = $1 and session = $2 and body_key is distinct from $3 order by position limit ${MAX_BATCH_ROWS}`,
    [tenant, id, cipher.keyId],
  );
  const last = sizes[countInBatch(sizes.map(({ size }) => size)) - 1];
  if (!last) return false;
  const rows = await connection.query<{ position: number; body: Uint8Array; bodyKey: string | null }>(
    `select position, body, body_key as "bodyKey" from parley.entries
      where tenant = $1 and session = $2 and body_key is distinct from $3 and position <= $4`,
    [tenant, id, cipher.keyId, last.position],
  );
  for (const { position, body, bodyKey } of rows) {
    const place = getLinePlace(session, position);
    const line = cipher.decrypt({ bytes: body, keyId: bodyKey }, place);
    await connection.query(
      'update parley.entries set body = $4, body_key = $5 where tenant = $1 and session = $2 and position = $3',
      [tenant, id, position, cipher.encrypt(line, place), cipher.keyId],
    );
  }
  return true;
};

/** One image. Its hash depends on the key, too: a plain one would reveal which sessions have the same image. */
const rekeyImage: RekeyPart = async (connection, cipher, session) => {
  const { tenant, id } = session;
  const [row] = await connection.query<{ hash: string; content: Uint8Array; contentKey: string | null }>(
    `select hash, content, content_key as "contentKey" from parley.images
      where tenant = $1 and session = $2 and content_key is distinct from $3 order by hash limit 1`,
    [tenant, id, cipher.keyId],
  );
  if (!row) return false;
  const image = cipher.decrypt({ bytes: row.content, keyId: row.contentKey }, getImagePlace(session, row.hash));
  const hash = cipher.hash(image);
  await connection.query('delete from parley.images where tenant = $1 and session = $2 and hash = $3', [
    ...[tenant, id, row.hash],
  ]);
  await connection.query(
    `insert into parley.images (tenant, session, hash, content, content_key) values ($1, $2, $3, $4, $5)
      on conflict do nothing`,
    [tenant, id, hash, cipher.encrypt(image, getImagePlace(session, hash)), cipher.keyId],
  );
  await connection.query(
    `update parley.entries set image_hashes = array_replace(image_hashes, $3, $4)
      where tenant = $1 and session = $2 and $3 = any(image_hashes)`,
    [tenant, id, row.hash, hash],
  );
  return true;
};

const rekeyFiles: RekeyPart = async (connection, cipher, session) => {
  const { tenant, id } = session;
  const rows = await connection.query<FileRow>(
    `select name, part, content, content_key as "contentKey" from parley.files
      where tenant = $1 and session = $2 and content_key is distinct from $3 order by name, part limit ${MAX_BATCH_PARTS}`,
    [tenant, id, cipher.keyId],
  );
  for (const { name, part, content, contentKey } of rows) {
    const place = getPartPlace(session, name, part);
    const bytes = cipher.decrypt({ bytes: content, keyId: contentKey }, place);
    await connection.query(
      `update parley.files set content = $5, content_key = $6, hash = $7
        where tenant = $1 and session = $2 and name = $3 and part = $4`,
      [tenant, id, name, part, cipher.encrypt(bytes, place), cipher.keyId, cipher.hash(bytes)],
    );
  }
  return rows.length > 0;
};

interface FileRow {
  readonly name: string;
  readonly part: number;
  readonly content: Uint8Array;
  readonly contentKey: string | null;
}

/** Parts have at most 1 MiB. */
const MAX_BATCH_PARTS = 8;

/** At least one row. */
function countInBatch(sizes: readonly number[]): number {
  let bytes = 0;
  const end = sizes.findIndex((size, at) => {
    bytes += size;
    return at > 0 && bytes > MAX_BATCH_BYTES;
  });
  return end < 0 ? sizes.length : end;
}
