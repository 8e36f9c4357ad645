// Records who did what on the server: one JSON line per connection, call, answer and refusal. Contains no parameters and no tokens.
import { join } from 'node:path';
import { getErrorMessage, toJson } from '../base/index.ts';
import type { Clock, Files, OpenFile } from '../contracts/index.ts';
import { RateLimit } from '../support/rate-limit.ts';

export interface AuditRecord {
  readonly action:
    | 'login'
    | 'connect'
    | 'disconnect'
    | 'call'
    | 'answer'
    | 'refuse'
    | 'start'
    | 'stop'
    | 'lost'
    | 'omit';
  readonly client?: string | undefined;
  /** The name of the token. */
  readonly token?: string | undefined;
  readonly remoteAddress?: string | undefined;
  /** The session of the client or the request. */
  readonly session?: string | undefined;
  /** Another session, which the call has opened, closed or deleted. */
  readonly target?: string | undefined;
  /** The session of which `target` is a copy. */
  readonly copyOf?: string | undefined;
  readonly command?: string | undefined;
  /** Whose sessions the token can use. Absent: those of the server itself. */
  readonly tenant?: string | undefined;
  /** The node of the fleet that has the session of the connection open. */
  readonly node?: string | undefined;
  /** Why it was refused or has failed. */
  readonly reason?: string | undefined;
}

export interface AuditLogOptions {
  readonly files: Files;
  readonly clock: Clock;
  readonly directory: string;
  /** The log cannot be written. Called once per failure of the disk, not per record. */
  onProblem?(message: string): void;
}

/** A longer file is renamed to audit.1.jsonl, which replaces the one before. */
const MAX_BYTES = 16 * 1024 * 1024;
/** Records that wait for the disk. When there are more, later ones are only counted. */
const MAX_WAITING_LENGTH = 1024 * 1024;
/** Refused requests without a token that are recorded. Further ones are only counted: they must not replace older records. */
const REFUSAL_RATE = { maxAtOnce: 200, perSecond: 1 };

export class AuditLog {
  readonly #options: AuditLogOptions;
  #file: OpenFile | undefined;
  #bytes = 0;
  #waiting = '';
  /** What remains of records that could only be written in part. Continues the last line of the file. */
  #rest = new Uint8Array();
  #lostCount = 0;
  #omittedCount = 0;
  readonly #refusalRate: RateLimit;
  #hasFailed = false;
  #writing: Promise<void> | undefined;

  constructor(options: AuditLogOptions) {
    this.#options = options;
    this.#refusalRate = new RateLimit(options.clock, REFUSAL_RATE);
  }

  /** Written in the background, in order. A failure of the disk does not stop the server: the next call tries again. */
  write(record: AuditRecord): void {
    if (record.action === 'refuse' && record.token === undefined && !this.#refusalRate.take()) {
      this.#omittedCount += 1;
      return;
    }
    if (this.#omittedCount > 0) {
      this.#waiting += this.#format({ action: 'omit', reason: `${this.#omittedCount} refused requests` });
      this.#omittedCount = 0;
    }
    if (this.#waiting.length <= MAX_WAITING_LENGTH) this.#waiting += this.#format(record);
    else this.#lostCount += 1;
    this.#writing ??= this.#writeWaiting();
  }

  /** Resolves when all records so far are written, or the disk has failed. */
  async flush(): Promise<void> {
    this.#writing ??= this.#writeWaiting();
    await this.#writing;
  }

  async close(): Promise<void> {
    await this.flush();
    await this.#closeFile();
  }

  #format(record: AuditRecord): string {
    const time = new Date(this.#options.clock.now()).toISOString();
    return `${toJson({ time, ...record })}\n`;
  }

  async #writeWaiting(): Promise<void> {
    let canWrite = true;
    while (canWrite && (this.#rest.length > 0 || this.#waiting !== '')) canWrite = await this.#writeBatch();
    this.#writing = undefined;
  }

  /** Returns false when the disk has failed. Then the records are kept. */
  async #writeBatch(): Promise<boolean> {
    if (this.#rest.length === 0) this.#rest = this.#takeWaiting();
    try {
      const file = await this.#openFile(this.#rest.length);
      while (this.#rest.length > 0) this.#rest = this.#rest.subarray(await file.append(this.#rest));
      this.#hasFailed = false;
      return true;
    } catch (problem) {
      // Not kept open: with each failure one more file would be open.
      await this.#closeFile();
      if (!this.#hasFailed) this.#options.onProblem?.(`The audit log cannot be written: ${getErrorMessage(problem)}`);
      this.#hasFailed = true;
      return false;
    }
  }

  #takeWaiting(): Uint8Array<ArrayBuffer> {
    const count = this.#lostCount;
    const lost = count === 0 ? '' : this.#format({ action: 'lost', reason: `${count} records could not be written` });
    const bytes = new TextEncoder().encode(this.#waiting + lost);
    this.#waiting = '';
    this.#lostCount = 0;
    return bytes;
  }

  async #closeFile(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.close().catch(() => {});
  }

  async #openFile(addedBytes: number): Promise<OpenFile> {
    const { files, directory } = this.#options;
    const path = join(directory, 'audit.jsonl');
    if (this.#file && this.#bytes + addedBytes > MAX_BYTES) {
      await this.#closeFile();
      await files.rename(path, join(directory, 'audit.1.jsonl'));
    }
    if (!this.#file) {
      await files.makeDirectory(directory, { mode: 0o700 });
      this.#file = await files.open(path, 'append', { mode: 0o600 });
      await this.#file.restrictToOwner();
      this.#bytes = await this.#file.size();
    }
    this.#bytes += addedBytes;
    return this.#file;
  }
}
