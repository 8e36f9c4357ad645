// Pins a file or directory: whatever happens to its path afterwards, the operations reach the same object. This is how a path is
// checked and used without a gap in between.
import { close, constants, fstat, open as openCallback, readlinkSync, type Stats } from 'node:fs';
import { type FileHandle, lstat, open, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';

const { O_NOFOLLOW, O_NONBLOCK } = constants;
/** Linux. Opens the object without reading it: no permission is needed, and a FIFO or a device does not notice it. */
const O_PATH = 0o10000000;
const DELETED = ' (deleted)';

const openDescriptor: (path: string, flags: number) => Promise<number> = promisify(openCallback);
const closeDescriptor = promisify(close);
const readStats: (descriptor: number) => Promise<Stats> = promisify(fstat);

export interface PinnedFile {
  /** Where the object is, with all links resolved. Not absolute for a pipe or a socket without a name. */
  readonly realPath: string;
  /** A path for system calls that leads to this object; also with `/name` appended if it is a directory. */
  readonly accessPath: string;
  readonly stats: Stats;
  /** Opens this object. The flags must not create a file. */
  open(flags: number): Promise<FileHandle>;
  /** Rejects when `accessPath` leads to another object now. For what was read with it. */
  confirm(): Promise<void>;
  release(): Promise<void>;
}

/** If `follow` is false and the last part of the path is a link, the link itself is pinned. */
export type PinFile = (path: string, follow: boolean) => Promise<PinnedFile>;

/** Linux with /proc: the kernel names what a descriptor refers to. */
export const pinByDescriptor: PinFile = async (path, follow) => {
  const descriptor = await openDescriptor(path, O_PATH | (follow ? 0 : O_NOFOLLOW));
  const release = () => closeDescriptor(descriptor);
  try {
    const stats = await readStats(descriptor);
    const accessPath = `/proc/self/fd/${descriptor}`;
    const realPath = readlinkSync(accessPath);
    if (realPath.endsWith(DELETED)) await requireSameFile(realPath, stats);
    const openSame = (flags: number) => open(accessPath, flags | O_NONBLOCK);
    return { realPath, accessPath, stats, open: openSame, confirm: async () => {}, release };
  } catch (error) {
    await release();
    throw error;
  }
};

/**
 * Other systems: the path is resolved before and after opening, and the file must be the same. A process that exchanges a directory
 * twice at exactly the right times could deceive it. What is created or removed below a directory cannot be confirmed before it is done.
 */
export const pinByComparison: PinFile = async (path, follow) => {
  const realPath = follow ? await realpath(path) : join(await realpath(dirname(path)), basename(path));
  const stats = await lstat(realPath);
  if (follow && stats.isSymbolicLink()) throw createMissingError(path);
  const confirm = async () => {
    const found = follow ? await realpath(realPath) : join(await realpath(dirname(realPath)), basename(realPath));
    if (found !== realPath) throw createMissingError(path);
    await requireSameFile(realPath, stats);
  };
  const openSame = async (flags: number) => {
    const handle = await open(realPath, flags | O_NOFOLLOW | O_NONBLOCK);
    try {
      if (!isSameFile(await handle.stat(), stats)) throw createMissingError(path);
      await confirm();
      return handle;
    } catch (error) {
      await handle.close();
      throw error;
    }
  };
  return { realPath, accessPath: realPath, stats, open: openSame, confirm, release: async () => {} };
};

/** Containers may lack /proc. */
export function choosePinFile(): PinFile {
  try {
    if (process.platform === 'linux' && readlinkSync('/proc/self') !== '') return pinByDescriptor;
  } catch {
    // No /proc.
  }
  return pinByComparison;
}

/** The kernel appends ` (deleted)` to the path of a removed file. A file may also have such a name. */
async function requireSameFile(path: string, stats: Stats): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (!found || !isSameFile(found, stats)) throw createMissingError(path);
}

function isSameFile(one: Stats, other: Stats): boolean {
  return one.dev === other.dev && one.ino === other.ino;
}

function createMissingError(path: string): Error {
  return Object.assign(new Error(`ENOENT: the file was moved or removed, '${path}'`), { code: 'ENOENT' });
}
