// The files of a database server: a copy of its program, and directories and files that belong to its account.
import * as fs from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { getSystemErrorCode } from '../../base/fault.ts';
import type { Account } from './database-process.ts';

/** Only needed to compile programs. */
const UNUSED_NAMES = /\.a$|^(?:pgxs|pkgconfig)$/;

export interface DatabaseProgramSource {
  /** The folder `native` of the package. */
  readonly native: string;
  readonly target: string;
}

/**
 * Copies the program, because the account of the server may not be able to read the package, and npm may not have created its links.
 * The copy appears complete under its name. Several processes may do this at the same time.
 */
export async function copyDatabaseProgram({ native, target }: DatabaseProgramSource): Promise<void> {
  if (await exists(target)) return;
  const parent = dirname(target);
  await fs.mkdir(parent, { recursive: true });
  const temporary = await fs.mkdtemp(`${target}-`);
  try {
    for (const name of ['bin', 'lib', 'share']) await copyReadable(join(native, name), join(temporary, name));
    await createLinks(native, temporary);
    await fs.chmod(temporary, 0o755);
    await fs.rename(temporary, target);
  } catch (error) {
    await fs.rm(temporary, { recursive: true, force: true });
    // Another process was faster.
    if (!(await exists(target))) throw error;
  }
}

async function copyReadable(from: string, to: string): Promise<void> {
  await fs.mkdir(to);
  await fs.chmod(to, 0o755);
  const entries = await fs.readdir(from, { withFileTypes: true });
  await Promise.all(
    entries.map(async (entry) => {
      if (UNUSED_NAMES.test(entry.name)) return;
      const [source, copy] = [join(from, entry.name), join(to, entry.name)];
      if (entry.isDirectory()) return copyReadable(source, copy);
      // The list of links names them all, also where npm has created them.
      if (!entry.isFile()) return;
      await fs.copyFile(source, copy, fs.constants.COPYFILE_FICLONE);
      await fs.chmod(copy, /\/(?:bin|lib)\//.test(copy) ? 0o755 : 0o644);
    }),
  );
}

async function createLinks(native: string, target: string): Promise<void> {
  const file = join(native, 'pg-symlinks.json');
  const links: { source: string; target: string }[] = JSON.parse(await fs.readFile(file, 'utf8'));
  for (const { source, target: link } of links) {
    const path = join(target, relative('native', link));
    await fs.symlink(relative(dirname(link), source), path);
  }
}

/** Creates directories that the account can pass through but not list. Existing ones stay as they are. */
export async function makePassableDirectory(path: string, account: Account | undefined): Promise<void> {
  const first = await fs.mkdir(path, { recursive: true, mode: 0o700 });
  if (first === undefined || !account) return;
  for (let directory = path; directory.startsWith(first); directory = dirname(directory)) {
    await fs.chmod(directory, 0o711);
  }
}

/** Also when a process is writing to it that is about to end. */
export async function removeDirectory(path: string): Promise<void> {
  await fs.rm(path, { recursive: true, force: true, maxRetries: 10 });
}

/** A new directory of the account. */
export async function makeOwnedDirectory(path: string, account: Account | undefined): Promise<void> {
  await fs.mkdir(path, { mode: 0o700 });
  if (account) await fs.chown(path, account.uid, account.gid);
}

/** A file that only the account can read. */
export async function writeOwnedFile(path: string, text: string, account: Account | undefined): Promise<void> {
  await fs.writeFile(path, text, { mode: 0o600 });
  if (account) await fs.chown(path, account.uid, account.gid);
}

/** The first directory on the way to `path` that the account may not pass through. */
export async function findClosedDirectory(path: string, account: Account | undefined): Promise<string | undefined> {
  if (!account) return undefined;
  const directories = [await fs.realpath(path)];
  for (let parent = dirname(directories[0] ?? '/'); parent !== directories[0]; parent = dirname(parent)) {
    directories.unshift(parent);
  }
  for (const directory of directories) {
    const { mode, uid, gid } = await fs.stat(directory);
    const bit = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001;
    if ((mode & bit) === 0) return directory;
  }
  return undefined;
}

async function exists(path: string): Promise<boolean> {
  try {
    await fs.access(path);
    return true;
  } catch (error) {
    if (getSystemErrorCode(error) === 'ENOENT') return false;
    throw error;
  }
}
