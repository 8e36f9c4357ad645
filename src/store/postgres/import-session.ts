// Copies a session file into the database, in one transaction. Exporting it creates the same bytes again.
import { Fault, getErrorMessage, getSystemErrorCode } from '../../base/fault.ts';
import type { SqlConnection } from '../../contracts/database.ts';
import type { Files } from '../../contracts/ports.ts';
import { SESSION_VERSION } from '../../protocol/session-entry.ts';
import { readSessionHeader } from '../list-sessions.ts';
import { completeMove } from '../move-session.ts';
import { readChunk } from '../raw-line.ts';
import { resolveSessionPath } from '../session-header.ts';
import type { Lock, SessionLocks } from '../session-lock.ts';
import { getFileName } from '../session-paths.ts';
import { type EncodedLine, encodeLine, type SessionKey } from './entry-rows.ts';
import { FILE_NAME, findBlobHashes } from './hidden-files.ts';
import { type ImportSource, listSourceFiles, openImportSource, type SourceFile } from './import-source.ts';
import { cutLog, type LogPiece } from './log-pieces.ts';
import type { PostgresStorage } from './postgres-store.ts';
import { addLines, encodeDetails, getHeaderPlace, type SummaryState, summarizeHeader } from './session-details.ts';
import { getReasonCode, UNIQUE_VIOLATION } from './session-faults.ts';
import { formatReference } from './session-reference.ts';
import { APPEND, INSERT_IMAGE } from './session-writer.ts';
import { getPartPlace, PART_BYTES, UPDATE_FILE_BYTES } from './stored-directory.ts';

export interface ImportOptions {
  /** Also the sessions that are in the database already. */
  readonly shouldReplace: boolean;
  /** Changes nothing. The result says what would be done. */
  readonly isDryRun: boolean;
}

export interface ImportedSession {
  readonly id: string;
  readonly reference: string;
  readonly outcome: 'imported' | 'replaced' | 'exists';
  /** Of the session file and the files that belong to it. */
  readonly bytes: number;
  readonly files: number;
  /** Facts about this import that the user should know. */
  readonly notes: readonly string[];
}

const INSERT = `insert into parley.sessions
  (tenant, id, header, header_key, cwd, created_ms, modified_ms, details, details_key, token)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $4, $9)`;
const INSERT_PART = `insert into parley.files (tenant, session, name, part, hash, size, modified_ms, content, content_key)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`;
const DELETE = 'delete from parley.sessions where tenant = $1 and id = $2 and token = $3 returning id';
const EXISTS = 'select from parley.sessions where tenant = $1 and id = $2';
const MAX_BLOCK_BYTES = 4 * 1024 * 1024;
const MAX_BLOCK_LINES = 2000;

/** Throws a Fault when the file is not a session, is in use, or would replace a session that is in use. */
export async function importSession(
  storage: PostgresStorage,
  locks: SessionLocks,
  path: string,
  options: ImportOptions,
): Promise<ImportedSession> {
  const { files } = storage;
  try {
    const file = await resolveSessionPath(files, path);
    const lock = options.isDryRun ? undefined : await lockIfPossible(locks, file);
    try {
      const movedFrom = lock && (await readSessionHeader(files, file))?.movedFrom;
      await completeMove(files, file, movedFrom);
      const source = await openImportSource(files, file);
      try {
        return await importSource(storage, source, options);
      } finally {
        await source.close().catch(() => {});
      }
    } finally {
      await lock?.release();
    }
  } catch (cause) {
    if (cause instanceof Fault) throw cause;
    throw new Fault('storage', `Cannot import session ${path}: ${getErrorMessage(cause)}`, { cause });
  }
}

/** In a directory that cannot be written, no program of this machine writes to the session either. */
async function lockIfPossible(locks: SessionLocks, file: string): Promise<Lock | undefined> {
  try {
    return await locks.acquire(file);
  } catch (thrown) {
    if (['EROFS', 'EACCES', 'EPERM'].includes(getSystemErrorCode(thrown) ?? '')) return undefined;
    throw thrown;
  }
}

async function importSource(
  storage: PostgresStorage,
  source: ImportSource,
  { shouldReplace, isDryRun }: ImportOptions,
): Promise<ImportedSession> {
  const { tenant, database, holder } = storage;
  const { id } = source.header;
  if (id.includes('\0')) throw new Fault('refused', `The id of ${source.file} contains the character U+0000.`);
  const key = { tenant, id };
  const exists = await database.tenantTransaction(tenant, (connection) => connection.query(EXISTS, [tenant, id]));
  const reference = formatReference(id);
  const result = { id, reference, bytes: source.size, files: 0, notes: [] };
  if (exists.length > 0 && !shouldReplace) return { ...result, outcome: 'exists' };
  const outcome = exists.length > 0 ? 'replaced' : 'imported';
  if (isDryRun) return { ...result, outcome };
  const taken = outcome === 'replaced' ? await holder.take(tenant, id) : undefined;
  try {
    const copied = await database.tenantTransaction(tenant, async (connection) => {
      if (taken && (await connection.query(DELETE, [tenant, id, taken.token])).length === 0)
        throw new Fault('busy', `Session ${reference} was taken over by another process. Import it again.`);
      return new SessionCopy(storage, connection, key, source, (taken?.token ?? 0) + 1).run();
    });
    if (taken) holder.stop();
    return { ...result, outcome, ...copied };
  } catch (problem) {
    if (taken) await holder.release(tenant, id, taken.token);
    // Another process has created it meanwhile.
    if (!taken && getReasonCode(problem) === UNIQUE_VIOLATION) return { ...result, outcome: 'exists' };
    throw problem;
  }
}

/** Copies one session within a transaction. */
class SessionCopy {
  readonly #storage: PostgresStorage;
  readonly #connection: SqlConnection;
  readonly #session: SessionKey;
  readonly #source: ImportSource;
  /** Grows also when a session is replaced, so that no earlier writer can write to it. */
  readonly #token: number;
  readonly #hashes = new Set<string>();
  #summary: SummaryState;
  #end = 0;

  constructor(
    storage: PostgresStorage,
    connection: SqlConnection,
    session: SessionKey,
    source: ImportSource,
    token: number,
  ) {
    this.#storage = storage;
    this.#connection = connection;
    this.#session = session;
    this.#source = source;
    this.#token = token;
    this.#summary = summarizeHeader(source.header);
  }

  async run(): Promise<Pick<ImportedSession, 'bytes' | 'files' | 'notes'>> {
    const { file, size, version, damage } = this.#source;
    await this.#insertSession();
    await this.#copyLines();
    const copied = await this.#copyFiles();
    if ((await this.#source.readVersionTag()) !== this.#source.versionTag)
      throw new Fault('busy', `${file} was changed by another program while it was imported. Import it again.`);
    const notes = [
      ...(version < SESSION_VERSION ? [`upgraded from format ${version}; ${file} is not changed`] : []),
      ...(damage.length > 0 ? [`${damage.length} damaged lines were left out by the upgrade; ${file} has them`] : []),
      ...copied.others.map((path) => `not copied, because it is not a regular file: ${path}`),
    ];
    return { bytes: size + copied.bytes, files: copied.count, notes };
  }

  async #insertSession(): Promise<void> {
    const { cipher } = this.#storage;
    const { tenant, id } = this.#session;
    const { header, headerLine, modifiedMs } = this.#source;
    const cwd = typeof header.cwd === 'string' ? header.cwd.replaceAll('\0', '') : '';
    await this.#connection.query(INSERT, [
      ...[tenant, id, cipher.encrypt(headerLine, getHeaderPlace(this.#session)), cipher.keyId, cwd],
      ...[Date.parse(header.timestamp) || modifiedMs, modifiedMs],
      ...[encodeDetails(cipher, this.#session, this.#summary.details), this.#token],
    ]);
  }

  async #copyLines(): Promise<void> {
    let block: LogPiece[] = [];
    let bytes = 0;
    for await (const pieces of cutLog(this.#source.readLines())) {
      for (const piece of pieces) {
        block.push(piece);
        bytes += piece.bytes.length;
        if (bytes < MAX_BLOCK_BYTES && block.length < MAX_BLOCK_LINES) continue;
        await this.#append(block);
        block = [];
        bytes = 0;
      }
    }
    if (block.length > 0) await this.#append(block);
  }

  async #append(pieces: readonly LogPiece[]): Promise<void> {
    const { cipher } = this.#storage;
    const { tenant, id } = this.#session;
    let position = this.#end;
    const lines: EncodedLine[] = [];
    for (const { bytes, isLine, beginsLine } of pieces) {
      for (const hash of findBlobHashes(bytes)) this.#hashes.add(hash);
      // Only messages are longer than a row.
      if (isLine) this.#summary = addLines(this.#summary, bytes);
      else if (beginsLine) this.#summary = { ...this.#summary, messages: this.#summary.messages + 1 };
      lines.push(encodeLine(cipher, this.#session, position, bytes));
      position += bytes.length;
    }
    for (const { hash, content } of lines.flatMap(({ images }) => images))
      await this.#connection.query(INSERT_IMAGE, [tenant, id, hash, content, cipher.keyId]);
    const { details, messages, cost, interrupted } = this.#summary;
    await this.#connection.query(APPEND, [
      ...[tenant, id, this.#token, this.#end, Buffer.concat(lines.map(({ body }) => body))],
      ...[lines.map(({ body }) => body.length), lines.map(({ length }) => length), cipher.keyId],
      lines.map(({ images }) => images.map(({ hash }) => hash).join(' ')),
      ...[encodeDetails(cipher, this.#session, details), messages, cost, interrupted, this.#source.modifiedMs, false],
    ]);
    this.#end = position;
  }

  async #copyFiles(): Promise<{ count: number; bytes: number; others: readonly string[] }> {
    const { files } = this.#storage;
    const { file, modifiedMs } = this.#source;
    await this.#insertPart(FILE_NAME, 0, Buffer.from(getFileName(file)), modifiedMs);
    const { found, others } = await listSourceFiles(files, file, this.#hashes);
    let bytes = 0;
    for (const one of found) bytes += await this.#copyFile(files, one);
    await this.#connection.query(UPDATE_FILE_BYTES, [this.#session.tenant, this.#session.id]);
    return { count: found.length, bytes, others };
  }

  async #copyFile(files: Files, { name, path, modifiedMs }: SourceFile): Promise<number> {
    const opened = await files.open(path, 'read');
    try {
      const size = await opened.size();
      // An empty file has one empty part.
      for (let at = 0; at === 0 || at < size; at += PART_BYTES) {
        const content = await readChunk(opened, at, Math.min(PART_BYTES, size - at));
        await this.#insertPart(name, at / PART_BYTES, content, modifiedMs);
      }
      return size;
    } finally {
      await opened.close().catch(() => {});
    }
  }

  async #insertPart(name: string, part: number, content: Buffer, modifiedMs: number): Promise<void> {
    const { cipher } = this.#storage;
    const { tenant, id } = this.#session;
    const encrypted = cipher.encrypt(content, getPartPlace(this.#session, name, part));
    await this.#connection.query(INSERT_PART, [
      ...[tenant, id, name, part, cipher.hash(content), content.length, modifiedMs, encrypted, cipher.keyId],
    ]);
  }
}
