// The app's real files: what the system says of a name, in the words of the port. Asks nothing itself.
import type { Dirent, Stats } from 'node:fs';
import type { FileInfo, FileKind } from '../../contracts/ports.ts';

export function infoOf(stats: Stats): FileInfo {
  const { size, mtimeMs: modifiedMs, mode, uid: owner } = stats;
  return { kind: kindOf(stats), size, modifiedMs, mode: mode & 0o7777, owner };
}

/** Asked for when it matters: few starts do. */
export function userId(): number | undefined {
  return process.geteuid?.();
}

export function kindOf(of: Stats | Dirent): FileKind {
  if (of.isFile()) return 'file';
  if (of.isDirectory()) return 'directory';
  if (of.isSymbolicLink()) return 'link';
  if (of.isFIFO()) return 'fifo';
  if (of.isSocket()) return 'socket';
  return 'device';
}
