// Directories that several processes use at the same time, with a mark for each. They are created synchronously: a command in the
// sandbox needs about twenty of them, and asynchronous calls would take most of the time that it needs to start. Removing a directory
// can take milliseconds on a busy disk, and is asynchronous.
import { closeSync, lstatSync, mkdirSync, openSync, readdirSync, rmdirSync, unlinkSync, writeSync } from 'node:fs';
import { rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { getSystemErrorCode } from '../../base/index.ts';
import { LOCK_NAME, type MarkedDirectories, type PlaceholderFile, type PlaceholderModes } from '../../sandbox/index.ts';

/** A lock is held for less than a millisecond. An older one belongs to a process that was killed. */
const LOCK_STALE_MS = 2000;
const MAX_ATTEMPTS = 10;
const LOCK_MODE = 0o600;

export const markedDirectories: MarkedDirectories = {
  has: (path, mark) => lstatSync(join(path, mark), { throwIfNoEntry: false }) !== undefined,
  add({ path, files }, mark, modes) {
    const addMark = () => ensureDirectory(join(path, mark), modes.directory);
    for (let attempt = 1; ; attempt++) {
      try {
        ensureDirectory(path, modes.directory);
        if (files.length === 0) addMark();
        else {
          const isDone = runLocked(path, () => {
            addMark();
            for (const file of files) ensureFile(file, modes.file);
          });
          if (!isDone) return 'busy';
        }
        return 'added';
      } catch (thrown) {
        // Another process has just removed the directory.
        if (getSystemErrorCode(thrown) !== 'ENOENT' || attempt === MAX_ATTEMPTS) throw thrown;
      }
    }
  },
  async remove({ path, files }, mark, modes) {
    try {
      if (files.length === 0) await rmdir(join(path, mark)).catch(ignoreMissing);
      else if (!runLocked(path, () => removeFiles(path, mark, files, modes))) return 'busy';
      const stats = lstatSync(path);
      if (!stats.isDirectory() || (stats.mode & modes.sticky) === 0) return 'removed';
      await rmdir(path);
      return 'removed';
    } catch (thrown) {
      const code = getSystemErrorCode(thrown);
      if (code === 'ENOENT' || code === 'ENOTDIR') return 'removed';
      if (code === 'ENOTEMPTY' || code === 'EEXIST') return 'used';
      throw thrown;
    }
  },
  removeMark: (path, mark) => removeMark(join(path, mark)),
};

function removeFiles(
  path: string,
  mark: string,
  files: readonly PlaceholderFile[],
  { sticky }: PlaceholderModes,
): void {
  removeMark(join(path, mark));
  if (readdirSync(path).some((name) => name !== LOCK_NAME)) return;
  for (const file of files) {
    const stats = lstatSync(file.path, { throwIfNoEntry: false });
    const isUnchanged = stats?.isFile() && (stats.mode & sticky) !== 0 && stats.size === file.content.length;
    if (isUnchanged) removeFile(file.path);
  }
}

function removeMark(path: string): void {
  try {
    rmdirSync(path);
  } catch (thrown) {
    ignoreMissing(thrown);
  }
}

function ignoreMissing(thrown: unknown): void {
  if (getSystemErrorCode(thrown) !== 'ENOENT') throw thrown;
}

/** `false` when another process holds the lock. */
function runLocked(path: string, act: () => void): boolean {
  const lock = join(path, LOCK_NAME);
  try {
    closeSync(openSync(lock, 'wx', LOCK_MODE));
  } catch (thrown) {
    if (getSystemErrorCode(thrown) !== 'EEXIST') throw thrown;
    const stats = lstatSync(lock, { throwIfNoEntry: false });
    if (stats && Date.now() - stats.mtimeMs > LOCK_STALE_MS) removeFile(lock);
    return false;
  }
  try {
    act();
    return true;
  } finally {
    removeFile(lock);
  }
}

/** Throws when there is something else, such as a link. */
function ensureDirectory(path: string, mode: number): void {
  try {
    mkdirSync(path, mode);
  } catch (thrown) {
    if (getSystemErrorCode(thrown) !== 'EEXIST' || !lstatSync(path).isDirectory()) throw thrown;
  }
}

function ensureFile({ path, content }: PlaceholderFile, mode: number): void {
  try {
    const descriptor = openSync(path, 'wx', mode);
    try {
      if (content !== '') writeSync(descriptor, content);
    } finally {
      closeSync(descriptor);
    }
  } catch (thrown) {
    if (getSystemErrorCode(thrown) !== 'EEXIST' || !lstatSync(path).isFile()) throw thrown;
  }
}

function removeFile(path: string): void {
  try {
    unlinkSync(path);
  } catch (thrown) {
    ignoreMissing(thrown);
  }
}
