// Creates directories. Node's recursive mkdir never returns for paths such as /proc/1/x, where the system reports
// ENOENT although the parent exists. Here every level is tried at most twice.
import { mkdir, mkdtemp, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { getSystemErrorCode } from '../../base/fault.ts';
import { throwUnlessDirectory } from './make-directory-sync.ts';

interface MakeDirectoryOptions {
  mode?: number | undefined;
}

export async function makeDirectory(path: string, makeDirectoryOptions?: MakeDirectoryOptions): Promise<void> {
  try {
    await mkdir(path, makeDirectoryOptions);
  } catch (error) {
    const parent = dirname(path);
    if (getSystemErrorCode(error) === 'ENOENT' && parent !== path) {
      await makeDirectory(parent, makeDirectoryOptions);
      await mkdir(path, makeDirectoryOptions).catch(async (secondError) =>
        throwUnlessDirectory(await stat(path).catch(() => undefined), secondError),
      );
    } else throwUnlessDirectory(await stat(path).catch(() => undefined), error);
  }
}

export async function makeTemporaryDirectory(prefix: string): Promise<string> {
  const { tmpdir } = await import('node:os');
  return mkdtemp(join(tmpdir(), prefix));
}
