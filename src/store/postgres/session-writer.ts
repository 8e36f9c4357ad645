// Appends blocks of lines to the log of a session in the database. A block is stored completely or not at all.
import { createHash } from 'node:crypto';
import { Fault } from '../../base/fault.ts';
import { LF } from '../../base/line-splitter.ts';
import type { Database, SqlValue } from '../../contracts/database.ts';
import type { Clock } from '../../contracts/ports.ts';
import type { RunListener, RunReference } from '../../contracts/run-workflows.ts';
import type { BlockFile } from '../block-file.ts';
import type { ContentCipher } from './content-cipher.ts';
import { type EncodedLine, encodeLine, type SessionKey } from './entry-rows.ts';
import { addLines, EMPTY_SUMMARY, encodeDetails, getHeaderPlace, type SummaryState } from './session-details.ts';
import { createLostFault, isConnectionProblem, isLostFault, isRefusedStatement } from './session-faults.ts';
import type { SessionHolder } from './session-holder.ts';
import { formatReference } from './session-reference.ts';

export interface SessionWriterOptions {
  readonly database: Database;
  readonly cipher: ContentCipher;
  readonly clock: Clock;
  readonly holder: SessionHolder;
  readonly session: SessionKey;
  /** Stores the files of the session that the entries refer to. Called before entries are stored. */
  saveFiles?(token: number): Promise<void>;
  /** How long an append waits for a database that cannot be reached. */
  readonly retryMs: number;
  getRunListener?(): RunListener | undefined;
}

/** A session that exists in the database. */
export interface OpenedSession {
  readonly token: number;
  /** In bytes, with the line end. */
  readonly headerLength: number;
  /** Without the header. */
  readonly end: number;
  readonly summary: SummaryState;
  /** The last line has no line end. Only in logs that were imported. */
  readonly lacksFinalNewline?: boolean;
}

export interface NewSession {
  /** The header line, with its line end. */
  readonly header: Buffer;
  readonly cwd: string;
  readonly createdMs: number;
  readonly summary?: SummaryState;
}

/** The token of the process that creates a session. */
const FIRST_TOKEN = 1;
const RETRY_DELAY_MS = 200;
export const APPEND =
  'select parley.append_entries($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) as outcome';
export const INSERT_IMAGE = `insert into parley.images (tenant, session, hash, content, content_key) values ($1, $2, $3, $4, $5)
  on conflict do nothing`;
const CREATE = `insert into parley.sessions
  (tenant, id, header, header_key, cwd, created_ms, modified_ms, details, details_key, holder, token)
  values ($1, $2, $3, $4, $5, $6, $6, $7, $4, $8, ${FIRST_TOKEN}) on conflict do nothing returning id`;
const IS_CREATED = `select id from parley.sessions
  where tenant = $1 and id = $2 and holder = $3 and token = ${FIRST_TOKEN} and entry_count = 0`;
const REMOVE_CREATED = `delete from parley.sessions
  where tenant = $1 and id = $2 and holder = $3 and token = ${FIRST_TOKEN} and entry_count = 0`;
const LOCK_END = 'select end_position as "end", token from parley.sessions where tenant = $1 and id = $2 for update';
const DIGEST_BLOCK = `select sha256(string_agg(body, ''::bytea order by position)) as digest from parley.entries
  where tenant = $1 and session = $2 and position >= $3`;
const TRUNCATE = 'delete from parley.entries where tenant = $1 and session = $2 and position >= $3 returning seq';
const RESET_END = `update parley.sessions set end_position = $3, entry_count = entry_count - $4
  where tenant = $1 and id = $2`;

type AppendOutcome = 'appended' | 'missing' | 'taken' | 'moved';

export class SessionWriter implements BlockFile {
  readonly #options: SessionWriterOptions;
  readonly #created: NewSession | undefined;
  #opened: OpenedSession | undefined;
  /** The session counts as written by this process, although it may not be in the database yet. */
  #isCreating = false;
  /** The connection was lost during an append: it is not known whether the block was stored. */
  #isUncertain = false;
  /** A block of a lost connection may be stored later: the server may find it only after this process has repeated or dropped it. */
  #mayBeStoredLate = false;
  #hasClosed = false;
  /** The listener knows of the open run. */
  #isRunReported = false;

  constructor(options: SessionWriterOptions, session: NewSession | OpenedSession) {
    this.#options = options;
    if ('header' in session) this.#created = session;
    else this.#opened = session;
  }

  get end(): number {
    return this.#opened ? this.#opened.headerLength + this.#opened.end : 0;
  }

  get token(): number | undefined {
    return this.#opened?.token;
  }

  /** There is no digest for logs in a database. */
  async version(): Promise<undefined> {
    return undefined;
  }

  async append(bytes: Uint8Array): Promise<void> {
    const endMs = this.#options.clock.now() + this.#options.retryMs;
    this.#opened ??= await this.#repeat(endMs, () => this.#create());
    const opened = this.#opened;
    const added = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const block = opened.lacksFinalNewline ? Buffer.concat([Buffer.of(LF), added]) : added;
    const lines = this.#encode(block, opened.end);
    const summary = addLines(opened.summary, block);
    const values = this.#createAppendValues(opened, lines, summary);
    if (summary.interrupted) await this.#reportOpenRun();
    try {
      await this.#repeat(endMs, () => this.#store(opened, lines, values));
    } catch (problem) {
      if (!opened.summary.interrupted) this.#reportRunEnd();
      if (isLostFault(problem)) this.#listener?.onLost(this.#run);
      throw problem;
    }
    this.#opened = { ...opened, end: opened.end + block.length, summary, lacksFinalNewline: false };
    if (!summary.interrupted) this.#reportRunEnd();
  }

  async close(): Promise<void> {
    if (this.#hasClosed) return;
    this.#hasClosed = true;
    if (this.#isRunReported) this.#listener?.onRelease(this.#run);
    const { database, holder, session } = this.#options;
    const opened = this.#opened;
    // Nothing was acknowledged, so the session must not be listed.
    if (this.#isCreating)
      await database
        .tenantTransaction(session.tenant, (connection) =>
          connection.query(REMOVE_CREATED, [session.tenant, session.id, holder.id]),
        )
        .catch(() => {});
    // What was reported as not stored must not be found by the next process.
    if (opened && this.#isUncertain) await this.#settle(opened, []).catch(() => {});
    if (opened || this.#isCreating) await holder.release(session.tenant, session.id, opened?.token ?? FIRST_TOKEN);
  }

  /** Repeats while the database cannot be reached, at least once: a connection can be lost for longer than that without an error. */
  async #repeat<T>(endMs: number, act: () => Promise<T>): Promise<T> {
    const { clock } = this.#options;
    for (let attempts = 1; ; attempts += 1) {
      try {
        return await act();
      } catch (problem) {
        if (!isConnectionProblem(problem) || (attempts > 1 && clock.now() >= endMs)) throw problem;
        await clock.sleep(RETRY_DELAY_MS);
      }
    }
  }

  get #listener(): RunListener | undefined {
    return this.#options.getRunListener?.();
  }

  get #run(): RunReference {
    const { tenant, id } = this.#options.session;
    return { tenant, sessionId: id };
  }

  async #reportOpenRun(): Promise<void> {
    if (this.#isRunReported) return;
    await this.#listener?.onOpen(this.#run);
    this.#isRunReported = true;
  }

  #reportRunEnd(): void {
    if (this.#isRunReported) this.#listener?.onEnd(this.#run);
    this.#isRunReported = false;
  }

  async #create(): Promise<OpenedSession> {
    const { database, cipher, holder, session } = this.#options;
    const { header, cwd, createdMs, summary = EMPTY_SUMMARY } = this.#created as NewSession;
    const isRepeated = this.#isCreating;
    if (!isRepeated) await holder.start();
    this.#isCreating = true;
    holder.hold(session.tenant, session.id, FIRST_TOKEN);
    try {
      const isMine = await database.tenantTransaction(session.tenant, async (connection) => {
        const created = await connection.query(CREATE, [
          ...[session.tenant, session.id, cipher.encrypt(header, getHeaderPlace(session)), cipher.keyId],
          ...[cwd, createdMs, encodeDetails(cipher, session, summary.details), holder.id],
        ]);
        if (created.length > 0 || !isRepeated) return created.length > 0;
        return (await connection.query(IS_CREATED, [session.tenant, session.id, holder.id])).length > 0;
      });
      if (!isMine) throw createExistsFault(session.id);
    } catch (cause) {
      // The session may have been created in spite of a lost connection, now or before.
      const isRefused = isExistsFault(cause) || (!isRepeated && isRefusedStatement(cause));
      if (isRefused) {
        this.#isCreating = false;
        holder.forget(session.tenant, session.id, FIRST_TOKEN);
        holder.stop();
      }
      throw cause;
    }
    this.#isCreating = false;
    return { token: FIRST_TOKEN, headerLength: header.length, end: 0, summary };
  }

  #encode(block: Buffer, end: number): EncodedLine[] {
    const { cipher, session } = this.#options;
    const lines: EncodedLine[] = [];
    for (let start = 0; start < block.length; ) {
      const at = block.indexOf(LF, start);
      const next = at < 0 ? block.length : at + 1;
      lines.push(encodeLine(cipher, session, end + start, block.subarray(start, next)));
      start = next;
    }
    return lines;
  }

  /** One attempt. Before a repetition, checks whether the block was stored. */
  async #store(opened: OpenedSession, lines: readonly EncodedLine[], values: readonly SqlValue[]): Promise<void> {
    const { session, saveFiles } = this.#options;
    if (this.#isUncertain && (await this.#settle(opened, lines))) return;
    await saveFiles?.(opened.token);
    await this.#storeImages(lines);
    const outcome = await this.#callAppend(values);
    if (outcome === 'appended') return;
    if (outcome !== 'moved' || !this.#mayBeStoredLate)
      throw createLostFault(session.id, outcome === 'missing' ? 'missing' : 'taken');
    this.#isUncertain = true;
    await this.#store(opened, lines, values);
  }

  #createAppendValues({ token, end }: OpenedSession, lines: readonly EncodedLine[], summary: SummaryState): SqlValue[] {
    const { session, cipher, clock, holder } = this.#options;
    return [
      ...[session.tenant, session.id, token, end, Buffer.concat(lines.map(({ body }) => body))],
      ...[lines.map(({ body }) => body.length), lines.map(({ length }) => length), cipher.keyId],
      lines.map(({ images }) => images.map(({ hash }) => hash).join(' ')),
      ...[encodeDetails(cipher, session, summary.details), summary.messages, summary.cost, summary.interrupted],
      ...[clock.now(), holder.kind === 'node'],
    ];
  }

  async #callAppend(values: readonly SqlValue[]): Promise<AppendOutcome> {
    try {
      const [row] = await this.#options.database.query<{ outcome: AppendOutcome }>(APPEND, values);
      return row?.outcome ?? 'missing';
    } catch (problem) {
      if (!isRefusedStatement(problem)) {
        this.#isUncertain = true;
        this.#mayBeStoredLate = true;
      }
      throw problem;
    }
  }

  async #storeImages(lines: readonly EncodedLine[]): Promise<void> {
    const images = lines.flatMap((line) => line.images);
    if (images.length === 0) return;
    const { database, cipher, session } = this.#options;
    await database.tenantTransaction(session.tenant, async (connection) => {
      for (const { hash, content } of images)
        await connection.query(INSERT_IMAGE, [session.tenant, session.id, hash, content, cipher.keyId]);
    });
  }

  /** Whether these lines were stored. Removes what was reported as not stored. Waits for an append that the server still executes. */
  async #settle({ token, end }: OpenedSession, lines: readonly EncodedLine[]): Promise<boolean> {
    const { database, session } = this.#options;
    const isStored = await database.tenantTransaction(session.tenant, async (connection) => {
      const [row] = await connection.query<{ end: number; token: number }>(LOCK_END, [session.tenant, session.id]);
      if (row?.token !== token) throw createLostFault(session.id, row ? 'taken' : 'missing');
      if (row.end === end) return false;
      const range = [session.tenant, session.id, end];
      const [found] = await connection.query<{ digest: Uint8Array | null }>(DIGEST_BLOCK, range);
      if (found?.digest && digestLines(lines).equals(found.digest)) return true;
      const removed = await connection.query(TRUNCATE, range);
      await connection.query(RESET_END, [...range, removed.length]);
      return false;
    });
    this.#isUncertain = false;
    return isStored;
  }
}

function digestLines(lines: readonly EncodedLine[]): Buffer {
  const hash = createHash('sha256');
  for (const { body } of lines) hash.update(body);
  return hash.digest();
}

function createExistsFault(sessionId: string): Fault {
  const message = `There is a session ${formatReference(sessionId)} already. Open it, or choose another id.`;
  return new Fault('refused', message);
}

function isExistsFault(problem: unknown): boolean {
  return problem instanceof Fault && problem.code === 'refused';
}
