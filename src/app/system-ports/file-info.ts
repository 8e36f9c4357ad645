// Converts Node's file information to the types of the Files port.
import type { Dirent, Stats } from 'node:fs';
import type { FileInfo, FileKind } from '../../contracts/ports.ts';

export function toFileInfo(stats: Stats): FileInfo {
  const { size, mtimeMs: modifiedMs, mode, uid: owner } = stats;
  return { kind: toFileKind(stats), size, modifiedMs, mode: mode & 0o7777, owner };
}

/** A function, because most starts do not need it. */
export function readUserId(): number | undefined {
  return process.geteuid?.();
}

export function toFileKind(entry: Stats | Dirent): FileKind {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'directory';
  if (entry.isSymbolicLink()) return 'link';
  if (entry.isFIFO()) return 'fifo';
  if (entry.isSocket()) return 'socket';
  return 'device';
}
