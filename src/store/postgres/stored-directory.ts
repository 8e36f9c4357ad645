// The files of a session, such as artifacts and logs of subagents: in a local directory while it is open, and in the database.
import { Fault, getSystemErrorCode } from '../../base/fault.ts';
import type { Database, SqlConnection } from '../../contracts/database.ts';
import type { Clock, Files } from '../../contracts/ports.ts';
import type { SessionDirectory } from '../../contracts/session-store.ts';
import { getParentDirectory } from '../session-paths.ts';
import type { ContentCipher } from './content-cipher.ts';
import type { SessionKey } from './entry-rows.ts';
import { createLostFault } from './session-faults.ts';
import type { RowContext } from './session-rows.ts';

export interface StoredDirectoryOptions {
  readonly database: Database;
  readonly cipher: ContentCipher;
  readonly files: Files;
  readonly clock: Pick<Clock, 'now'>;
  readonly session: SessionKey;
  readonly path: string;
  /** The session does not exist in the database yet. */
  readonly isNew: boolean;
  /** `undefined` while the session is not in the database. */
  getToken(): number | undefined;
}

/** What is stored of a file. */
interface KnownFile {
  readonly size: number;
  readonly modifiedMs: number;
  /** When its content was read. A change in the same moment would not be seen in the other fields. */
  readonly readMs: number;
  readonly hashes: readonly string[];
}

interface LocalFile {
  readonly name: string;
  readonly size: number;
  readonly modifiedMs: number;
}

interface PartRow {
  readonly part: number;
  readonly hash: string;
  readonly content: Uint8Array;
  readonly contentKey: string | null;
}

export const PART_BYTES = 1024 * 1024;
/** Longer than the resolution of file timestamps. */
const RACY_MS = 1000;
const UPSERT = `insert into parley.files (tenant, session, name, part, hash, size, modified_ms, content, content_key)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
  on conflict (tenant, session, name, part) do update set hash = excluded.hash, size = excluded.size,
    modified_ms = excluded.modified_ms, content = excluded.content, content_key = excluded.content_key`;
const CHECK_TOKEN = 'select token from parley.sessions where tenant = $1 and id = $2 for update';
export const UPDATE_FILE_BYTES = `update parley.sessions set file_bytes = (
  select coalesce(sum(size), 0) from parley.files where tenant = $1 and session = $2) where tenant = $1 and id = $2`;

export class StoredDirectory implements SessionDirectory {
  readonly path: string;
  readonly #options: StoredDirectoryOptions;
  #restoring: Promise<void> | undefined;
  #isRestored = false;
  #known = new Map<string, KnownFile>();
  #saving: Promise<void> = Promise.resolve();

  constructor(options: StoredDirectoryOptions) {
    this.#options = options;
    this.path = options.path;
  }

  restore(): Promise<void> {
    this.#restoring ??= this.#restore().catch((thrown: unknown) => {
      this.#restoring = undefined;
      throw thrown;
    });
    return this.#restoring;
  }

  /** Calls run one after another. */
  save(): Promise<void> {
    const saved = this.#saving.catch(() => {}).then(() => this.#save());
    this.#saving = saved;
    return saved;
  }

  async removeLocal(): Promise<void> {
    await this.#options.files.remove(this.path, { recursive: true }).catch(() => {});
  }

  async #restore(): Promise<void> {
    const { files, isNew } = this.#options;
    // What is left of a process that was killed.
    await files.remove(this.path, { recursive: true }).catch((thrown: unknown) => {
      if (getSystemErrorCode(thrown) !== 'ENOENT') throw thrown;
    });
    if (!isNew) await this.#download();
    this.#isRestored = true;
  }

  async #download(): Promise<void> {
    const { database, session, files, clock } = this.#options;
    const names = await database.tenantTransaction(session.tenant, (connection) =>
      connection.query<{ name: string }>(
        `select name from parley.files where tenant = $1 and session = $2 and not starts_with(name, '/') group by name order by name`,
        [session.tenant, session.id],
      ),
    );
    for (const { name } of names) {
      const { bytes, hashes } = await readParts(this.#options, session, name);
      const path = `${this.path}/${name}`;
      await files.makeDirectory(getParentDirectory(path), { mode: 0o700 });
      const readMs = clock.now();
      await files.write(path, bytes, { mode: 0o600 });
      const info = await files.info(path);
      this.#known.set(name, { size: bytes.length, modifiedMs: info?.modifiedMs ?? 0, readMs, hashes });
    }
  }

  async #save(): Promise<void> {
    const token = this.#options.getToken();
    if (!this.#isRestored || token === undefined) return;
    const local = await listFiles(this.#options.files, this.path, '');
    const changed = local.filter((file) => this.#mayHaveChanged(file));
    const localNames = new Set(local.map(({ name }) => name));
    const removed = [...this.#known.keys()].filter((name) => !localNames.has(name));
    for (const file of changed) await this.#upload(file, token);
    if (removed.length > 0) await this.#removeStored(removed, token);
  }

  #mayHaveChanged({ name, size, modifiedMs }: LocalFile): boolean {
    const known = this.#known.get(name);
    return !known || known.size !== size || known.modifiedMs !== modifiedMs || modifiedMs >= known.readMs - RACY_MS;
  }

  async #upload({ name, modifiedMs }: LocalFile, token: number): Promise<void> {
    const { files, cipher, clock, session } = this.#options;
    const readMs = clock.now();
    const read = await files.read(`${this.path}/${name}`);
    const bytes = Buffer.from(read.buffer, read.byteOffset, read.byteLength);
    const parts = splitParts(bytes);
    const hashes = parts.map((part) => cipher.hash(part));
    const previous = this.#known.get(name)?.hashes ?? [];
    const changed = parts.flatMap((content, part) => (hashes[part] === previous[part] ? [] : { part, content }));
    if (changed.length > 0 || previous.length !== parts.length)
      await this.#change(token, async (query) => {
        for (const { part, content } of changed)
          await query(UPSERT, [
            ...[session.tenant, session.id, name, part, hashes[part] as string, content.length, Math.round(modifiedMs)],
            ...[cipher.encrypt(content, getPartPlace(session, name, part)), cipher.keyId],
          ]);
        await query('delete from parley.files where tenant = $1 and session = $2 and name = $3 and part >= $4', [
          ...[session.tenant, session.id, name, parts.length],
        ]);
      });
    this.#known.set(name, { size: bytes.length, modifiedMs, readMs, hashes });
  }

  async #removeStored(names: readonly string[], token: number): Promise<void> {
    const { session } = this.#options;
    await this.#change(token, async (query) => {
      await query('delete from parley.files where tenant = $1 and session = $2 and name = any($3)', [
        ...[session.tenant, session.id, names],
      ]);
    });
    for (const name of names) this.#known.delete(name);
  }

  /** Only the writer of the session may change its files. */
  async #change(token: number, act: (query: Database['query']) => Promise<void>): Promise<void> {
    const { database, session } = this.#options;
    await database.tenantTransaction(session.tenant, async (connection) => {
      const [row] = await connection.query<{ token: number }>(CHECK_TOKEN, [session.tenant, session.id]);
      if (row?.token !== token) throw createLostFault(session.id, row ? 'taken' : 'missing');
      await act(connection.query);
      await connection.query(UPDATE_FILE_BYTES, [session.tenant, session.id]);
    });
  }
}

/** The text of a file of a session that is not open. `undefined` when there is none. */
export async function readStoredFile(
  context: RowContext,
  sessionId: string,
  name: string,
): Promise<string | undefined> {
  return (await readStoredBytes(context, sessionId, name))?.toString('utf8');
}

/** A file of a session that is not open. `undefined` when there is none. */
export async function readStoredBytes(
  { database, cipher, tenant }: RowContext,
  sessionId: string,
  name: string,
): Promise<Buffer | undefined> {
  const { bytes, hashes } = await readParts({ database, cipher }, { tenant, id: sessionId }, name);
  return hashes.length === 0 ? undefined : bytes;
}

/** One of the parts in which a file is stored. */
export async function readFilePart(
  { database, cipher }: Pick<RowContext, 'database' | 'cipher'>,
  session: SessionKey,
  name: string,
  part: number,
): Promise<Buffer> {
  const [row] = await database.tenantTransaction(session.tenant, (connection) =>
    connection.query<Omit<PartRow, 'part' | 'hash'>>(
      'select content, content_key as "contentKey" from parley.files where tenant = $1 and session = $2 and name = $3 and part = $4',
      [session.tenant, session.id, name, part],
    ),
  );
  if (!row) throw new Fault('storage', `A part of the file ${name} is missing in the database.`);
  return cipher.decrypt({ bytes: row.content, keyId: row.contentKey }, getPartPlace(session, name, part));
}

/** Stores a file of a session that is being created. */
export async function insertStoredFile(
  { cipher, tenant }: Pick<RowContext, 'cipher' | 'tenant'>,
  { query }: SqlConnection,
  sessionId: string,
  file: { readonly name: string; readonly bytes: Buffer; readonly modifiedMs: number },
): Promise<void> {
  const session = { tenant, id: sessionId };
  for (const [part, content] of splitParts(file.bytes).entries())
    await query(UPSERT, [
      ...[tenant, sessionId, file.name, part, cipher.hash(content), content.length, file.modifiedMs],
      ...[cipher.encrypt(content, getPartPlace(session, file.name, part)), cipher.keyId],
    ]);
  await query(UPDATE_FILE_BYTES, [tenant, sessionId]);
}

/** One file at a time, so that memory holds no more than the largest. */
async function readParts(
  { database, cipher }: Pick<RowContext, 'database' | 'cipher'>,
  session: SessionKey,
  name: string,
): Promise<{ bytes: Buffer; hashes: string[] }> {
  const rows = await database.tenantTransaction(session.tenant, (connection) =>
    connection.query<PartRow>(
      'select part, hash, content, content_key as "contentKey" from parley.files where tenant = $1 and session = $2 and name = $3 order by part',
      [session.tenant, session.id, name],
    ),
  );
  const parts = rows.map(({ part, content, contentKey }) =>
    cipher.decrypt({ bytes: content, keyId: contentKey }, getPartPlace(session, name, part)),
  );
  return { bytes: Buffer.concat(parts), hashes: rows.map(({ hash }) => hash) };
}

export function getPartPlace({ tenant, id }: SessionKey, name: string, part: number): string {
  return JSON.stringify(['file', tenant, id, name, part]);
}

/** Also those in directories. Links and special files are left out. */
async function listFiles(files: Files, directory: string, prefix: string): Promise<LocalFile[]> {
  const listed = await files.list(directory).catch((thrown: unknown) => {
    if (getSystemErrorCode(thrown) === 'ENOENT') return [];
    throw thrown;
  });
  const found = await Promise.all(
    listed.map(async ({ name, kind }): Promise<LocalFile[]> => {
      const path = `${directory}/${name}`;
      if (kind === 'directory') return listFiles(files, path, `${prefix}${name}/`);
      const info = kind === 'file' ? await files.info(path, { follow: false }) : undefined;
      return info ? [{ name: `${prefix}${name}`, size: info.size, modifiedMs: info.modifiedMs }] : [];
    }),
  );
  return found.flat();
}

/** An empty file has one empty part. */
function splitParts(bytes: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  for (let at = 0; at === 0 || at < bytes.length; at += PART_BYTES) parts.push(bytes.subarray(at, at + PART_BYTES));
  return parts;
}
