// Checks the files that decide who may use the server: no other user may have created, replaced or changed them.
import { Fault } from '../base/index.ts';
import type { Files } from '../contracts/index.ts';

const PRIVATE_DIRECTORY = 0o700;
const WRITABLE_FOR_OTHERS = 0o022;

/** A user who can write to the directory can replace every file in it. */
export async function makePrivateDirectory(files: Files, path: string): Promise<void> {
  await files.makeDirectory(path, { mode: PRIVATE_DIRECTORY });
  const info = await files.info(path);
  if (info) checkOwner(files, path, info.owner);
  await checkNotWritable(files, path);
}

/** False when there is no such file. A link could lead to a file of another user. */
export async function isOwnFile(files: Files, path: string): Promise<boolean> {
  const info = await files.info(path, { follow: false });
  if (!info) return false;
  if (info.kind !== 'file') throw new Fault('config', `${path} is not a regular file. Remove it.`);
  checkOwner(files, path, info.owner);
  return true;
}

export async function checkNotWritable(files: Files, path: string): Promise<void> {
  const { mode = 0, kind = 'file' } = (await files.info(path)) ?? {};
  // Windows has no modes.
  if (files.userId === undefined || (mode & WRITABLE_FOR_OTHERS) === 0) return;
  const remedy = `chmod ${kind === 'directory' ? '700' : '600'} ${path}`;
  throw new Fault('config', `Other users can change ${path}. Check its content, and run: ${remedy}`);
}

function checkOwner({ userId }: Files, path: string, owner: number | undefined): void {
  if (userId === undefined || owner === userId) return;
  throw new Fault('config', `${path} belongs to another user. Remove it, or change its owner.`);
}
