// The private directory of sandboxed commands, in the system's temporary directory.
import { chmod, lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ProcessIdentity } from '../../contracts/index.ts';
import { createProcessMark, isAbandonedMark } from '../../sandbox/index.ts';

/** Also removes the directories of processes that were killed. */
export async function makePrivateDirectory(identity: ProcessIdentity): Promise<string> {
  const parent = tmpdir();
  await removeAbandoned(parent, identity).catch(() => {});
  return mkdtemp(join(parent, `${createProcessMark(identity)}-`));
}

async function removeAbandoned(parent: string, identity: ProcessIdentity): Promise<void> {
  for (const name of await readdir(parent)) {
    if (!(await isAbandonedMark(identity, name))) continue;
    const path = join(parent, name);
    // Other users may have created directories with such names.
    const stats = await lstat(path);
    if (stats.isDirectory() && stats.uid === process.geteuid?.()) await removePrivateDirectory(path).catch(() => {});
  }
}

/** Commands may have left directories that cannot be written, such as the module cache of Go. */
export async function removePrivateDirectory(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch {
    await makeWritable(path);
    await rm(path, { recursive: true, force: true });
  }
}

async function makeWritable(directory: string): Promise<void> {
  await chmod(directory, 0o700);
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    if (entry.isDirectory()) await makeWritable(join(directory, entry.name));
  }
}
