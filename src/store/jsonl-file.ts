// The store's file: whole blocks of lines or nothing. Must not know what a line says.
import { Fault } from '../base/fault.ts';
import { LF } from '../base/lines.ts';
import type { Files, FileVersion, OpenFile } from '../contracts/ports.ts';
import { syncFolder, writeWhole } from './disk.ts';
import type { Lock } from './lock.ts';
import { folderOf } from './places.ts';
import type { Tail } from './tail.ts';

export interface BlockFile {
  /** Everything up to here is whole and on the disk. */
  readonly end: number;
  /** Resolves when the block is on the disk. When it rejects, nothing of the block is in the file. */
  append(block: Uint8Array): Promise<void>;
  /** What the file is now; `undefined` when something may be in it that nobody here has read or written. */
  version(): Promise<FileVersion | undefined>;
  /** Never rejects: what was promised is on the disk already. */
  close(): Promise<void>;
}

/** An open file, the lock that makes it ours, and what is good in it. */
interface Held {
  readonly target: OpenFile;
  readonly lock: Lock;
  /** The last good line has no line end. */
  unterminated: boolean;
  /** Something beyond what is good may be in the file. */
  torn: boolean;
  /** The file may have been created by someone else: it stays when nothing is written to it. */
  readonly isForeign?: boolean | undefined;
  /** What the file was when it was read; absent once that has been compared. */
  seen?: FileVersion | undefined;
}

/** A file that is created with its first block. With `mayExist` an empty file of that name is used. */
export function newBlockFile(
  files: Files,
  file: string,
  takeLock: () => Promise<Lock>,
  { mayExist = false }: { mayExist?: boolean } = {},
): BlockFile {
  const directory = folderOf(file);
  return blockFile(files, file, 0, async () => {
    await files.makeDirectory(directory, { mode: 0o700 });
    const lock = await takeLock();
    try {
      const target = mayExist ? await openEmpty(files, file) : await files.open(file, 'create', { mode: 0o600 });
      return { target, lock, unterminated: false, torn: false, isForeign: mayExist };
    } catch (error) {
      await lock.release();
      throw error;
    }
  });
}

/** Checked once the lock is held: another process may have written since the name was chosen. */
async function openEmpty(files: Files, file: string): Promise<OpenFile> {
  const target = await files.open(file, 'append', { mode: 0o600 });
  if ((await target.size()) === 0) {
    // The host made the file with its own rights. One that belongs to another user keeps them.
    await target.protect().catch(() => {});
    return target;
  }
  await target.close().catch(() => {});
  throw new Fault(
    'storage',
    `Session file ${file} was empty and is not any more. Open it again to continue that session.`,
  );
}

/** A file that has been read up to `tail`. It is not written to before its first new block. */
export function resumedBlockFile(
  files: Files,
  file: string,
  { target, lock, tail, seen }: { target: OpenFile; lock: Lock; tail: Tail; seen: FileVersion },
): BlockFile {
  const held: Held = { target, lock, unterminated: tail.unterminated, torn: tail.good < seen.size, seen };
  return blockFile(files, file, tail.good, async () => held, held);
}

function blockFile(files: Files, file: string, begin: number, open: () => Promise<Held>, resumed?: Held): BlockFile {
  let held = resumed;
  let good = begin;
  let written = false;
  let isShared = false;

  /** Programs that know no locks may have written meanwhile: their lines stay, and with them what was before. */
  async function respectOthers(first: Held): Promise<void> {
    if (first.seen === undefined) return;
    const { size, mark } = await first.target.version();
    isShared = mark !== first.seen.mark;
    if (size !== first.seen.size) {
      good = size;
      first.torn = false;
      first.unterminated = true;
    }
    first.seen = undefined;
  }

  async function retreat(from: Held): Promise<void> {
    if (!from.torn) return;
    await from.target.truncate(good);
    from.torn = false;
  }

  return {
    get end() {
      return good;
    },
    async version() {
      if (!held || held.torn || held.unterminated || isShared) return undefined;
      const version = await held.target.version();
      const isOurs = held.seen ? version.mark === held.seen.mark : version.size === good;
      return isOurs ? version : undefined;
    },
    async append(block) {
      held ??= await open();
      await respectOthers(held);
      // What could not be cut off when it failed must go before anything follows it.
      await retreat(held);
      const whole = held.unterminated ? Buffer.concat([Buffer.of(LF), block]) : block;
      held.torn = true;
      written = true;
      try {
        await writeWhole(held.target, whole);
        await held.target.sync();
        if (good === 0) await syncFolder(files, folderOf(file));
      } catch (error) {
        await retreat(held).catch(() => {});
        throw error;
      }
      held.torn = false;
      held.unterminated = false;
      good += whole.length;
    },
    async close() {
      const last = held;
      if (!last) return;
      held = undefined;
      if (written) await retreat(last).catch(() => {});
      await last.target.close().catch(() => {});
      // Never got its first block: an empty file would only puzzle whoever lists the sessions.
      if (good === 0 && !last.isForeign) await files.remove(file).catch(() => {});
      await last.lock.release();
    },
  };
}
