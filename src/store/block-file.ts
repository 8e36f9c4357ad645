// A file to which whole blocks of lines are appended. After a failed append nothing of the block remains.
import { Fault } from '../base/fault.ts';
import { LF } from '../base/line-splitter.ts';
import type { Files, FileVersion, OpenFile } from '../contracts/ports.ts';
import { syncDirectory, writeFully } from '../support/file-operations.ts';
import type { LogTail } from './log-tail.ts';
import type { Lock } from './session-lock.ts';
import { getParentDirectory } from './session-paths.ts';

export interface BlockFile {
  /** Everything before this offset is complete and on disk. */
  readonly end: number;
  /** Resolves when the block is on disk. When it rejects, nothing of the block is in the file. */
  append(block: Uint8Array): Promise<void>;
  /** The current version; `undefined` when the file may contain bytes that this process has neither read nor written. */
  version(): Promise<FileVersion | undefined>;
  /** Never rejects: all acknowledged blocks are on disk already. */
  close(): Promise<void>;
}

/** An open file with its lock and the state of its valid part. */
interface OpenBlockFile {
  readonly target: OpenFile;
  readonly lock: Lock;
  /** The last valid line has no line end. */
  lacksFinalNewline: boolean;
  /** The file may contain bytes after the valid part. */
  hasPartialWrite: boolean;
  /** The file may have been created by another process, so it is not removed when nothing is written to it. */
  readonly mayHaveExisted?: boolean | undefined;
  /** The version of the file when it was read. Cleared after the first comparison. */
  knownVersion?: FileVersion | undefined;
}

/** The file is created with its first block. With `mayExist`, an existing empty file is used. */
export function createBlockFile(
  files: Files,
  file: string,
  acquireLock: () => Promise<Lock>,
  { mayExist = false }: { mayExist?: boolean } = {},
): BlockFile {
  const directory = getParentDirectory(file);
  const open = async () => {
    await files.makeDirectory(directory, { mode: 0o700 });
    const lock = await acquireLock();
    try {
      const target = mayExist ? await openEmpty(files, file) : await files.open(file, 'create', { mode: 0o600 });
      return { target, lock, lacksFinalNewline: false, hasPartialWrite: false, mayHaveExisted: mayExist };
    } catch (error) {
      await lock.release();
      throw error;
    }
  };
  return new LockedBlockFile({ files, file, validEnd: 0, open });
}

/** Checks the size after the lock is held, because another process may have written since the name was chosen. */
async function openEmpty(files: Files, file: string): Promise<OpenFile> {
  const target = await files.open(file, 'append', { mode: 0o600 });
  if ((await target.size()) === 0) {
    // The host created the file with its own permissions. Fails for a file of another user; that one keeps its permissions.
    await target.restrictToOwner().catch(() => {});
    return target;
  }
  await target.close().catch(() => {});
  throw new Fault('storage', `Session file ${file} is no longer empty. Open it again to continue that session.`);
}

/** Continues a file that was read up to `tail`. Nothing is written before the first new block. */
export function resumeBlockFile(
  files: Files,
  file: string,
  { target, lock, tail, knownVersion }: { target: OpenFile; lock: Lock; tail: LogTail; knownVersion: FileVersion },
): BlockFile {
  const opened: OpenBlockFile = {
    target,
    lock,
    lacksFinalNewline: tail.lacksFinalNewline,
    hasPartialWrite: tail.validEnd < knownVersion.size,
    knownVersion,
  };
  return new LockedBlockFile({ files, file, validEnd: tail.validEnd, open: async () => opened, opened });
}

interface LockedBlockFileOptions {
  readonly files: Files;
  readonly file: string;
  readonly validEnd: number;
  /** Called before the first append when `opened` is absent. */
  readonly open: () => Promise<OpenBlockFile>;
  readonly opened?: OpenBlockFile;
}

class LockedBlockFile implements BlockFile {
  readonly #files: Files;
  readonly #file: string;
  readonly #open: () => Promise<OpenBlockFile>;
  #opened: OpenBlockFile | undefined;
  #validEnd: number;
  #hasWritten = false;
  #hasForeignChanges = false;

  constructor({ files, file, validEnd, open, opened }: LockedBlockFileOptions) {
    this.#files = files;
    this.#file = file;
    this.#open = open;
    this.#opened = opened;
    this.#validEnd = validEnd;
  }

  get end(): number {
    return this.#validEnd;
  }

  async version(): Promise<FileVersion | undefined> {
    if (!this.#opened || this.#hasForeignChanges) return undefined;
    if (this.#opened.hasPartialWrite || this.#opened.lacksFinalNewline) return undefined;
    const version = await this.#opened.target.version();
    const isOurs = this.#opened.knownVersion
      ? version.versionTag === this.#opened.knownVersion.versionTag
      : version.size === this.#validEnd;
    return isOurs ? version : undefined;
  }

  async append(block: Uint8Array): Promise<void> {
    this.#opened ??= await this.#open();
    const opened = this.#opened;
    await this.#detectForeignWrites(opened);
    // A partial write that could not be truncated when it failed must be removed before the next block.
    await this.#truncatePartialWrite(opened);
    const whole = opened.lacksFinalNewline ? Buffer.concat([Buffer.of(LF), block]) : block;
    opened.hasPartialWrite = true;
    this.#hasWritten = true;
    try {
      await writeFully(opened.target, whole);
      await opened.target.sync();
      if (this.#validEnd === 0) await syncDirectory(this.#files, getParentDirectory(this.#file));
    } catch (error) {
      await this.#truncatePartialWrite(opened).catch(() => {});
      throw error;
    }
    opened.hasPartialWrite = false;
    opened.lacksFinalNewline = false;
    this.#validEnd += whole.length;
  }

  async close(): Promise<void> {
    const last = this.#opened;
    if (!last) return;
    this.#opened = undefined;
    if (this.#hasWritten) await this.#truncatePartialWrite(last).catch(() => {});
    await last.target.close().catch(() => {});
    // The file never got its first block. An empty file would appear as a broken session in lists.
    if (this.#validEnd === 0 && !last.mayHaveExisted) await this.#files.remove(this.#file).catch(() => {});
    await last.lock.release();
  }

  /** Programs that do not use the lock may have written to the file. Their lines and everything before them are kept. */
  async #detectForeignWrites(opened: OpenBlockFile): Promise<void> {
    if (opened.knownVersion === undefined) return;
    const { size, versionTag } = await opened.target.version();
    this.#hasForeignChanges = versionTag !== opened.knownVersion.versionTag;
    if (size !== opened.knownVersion.size) {
      this.#validEnd = size;
      opened.hasPartialWrite = false;
      opened.lacksFinalNewline = true;
    }
    opened.knownVersion = undefined;
  }

  async #truncatePartialWrite(opened: OpenBlockFile): Promise<void> {
    if (!opened.hasPartialWrite) return;
    await opened.target.truncate(this.#validEnd);
    opened.hasPartialWrite = false;
  }
}
