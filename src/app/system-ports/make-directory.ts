// Makes a directory and those above it. Node's own recursive mkdir never returns for paths such as /proc/1/x, where the system
// answers ENOENT although the parent is there. Here every level is tried at most twice.
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { systemCode } from '../../base/fault.ts';
import { expectDirectory } from './make-directory-now.ts';

interface Options {
  mode?: number | undefined;
}

export async function makeDirectory(path: string, options?: Options): Promise<void> {
  try {
    await mkdir(path, options);
  } catch (refusal) {
    const above = dirname(path);
    if (systemCode(refusal) === 'ENOENT' && above !== path) {
      await makeDirectory(above, options);
      await mkdir(path, options).catch(async (again) =>
        expectDirectory(await stat(path).catch(() => undefined), again),
      );
    } else expectDirectory(await stat(path).catch(() => undefined), refusal);
  }
}
