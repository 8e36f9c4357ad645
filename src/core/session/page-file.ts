// Chooses and writes the file of an HTML export. A requested path is overwritten; a generated name never is.
import { Fault, getSystemErrorCode } from '../../base/index.ts';
import type { Files } from '../../contracts/index.ts';

export interface PageFile {
  readonly path: string;
  write(page: string): Promise<void>;
}

export function resolvePageFile(files: Files, cwd: string, requestedPath: string): PageFile {
  const path = requestedPath.startsWith('/') ? requestedPath : `${cwd}/${requestedPath}`;
  return { path, write: (page) => writePage(files, path, page) };
}

/** Creates the file under the first free name, so that no other process can take the name. */
export async function claimPageFile(files: Files, cwd: string, id: string): Promise<PageFile> {
  for (let copy = 1; ; copy++) {
    const path = `${cwd}/parley-session-${id.slice(0, 8)}${copy > 1 ? `-${copy}` : ''}.html`;
    if (!(await tryClaim(files, path))) continue;
    return {
      path,
      async write(page) {
        try {
          await writePage(files, path, page);
        } catch (error) {
          await files.remove(path).catch(() => {});
          throw error;
        }
      },
    };
  }
}

async function tryClaim(files: Files, path: string): Promise<boolean> {
  try {
    const file = await files.open(path, 'create', { mode: 0o600 });
    await file.close();
    return true;
  } catch (error) {
    if (getSystemErrorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

async function writePage(files: Files, path: string, page: string): Promise<void> {
  try {
    if (path.endsWith('/') || (await files.info(path))?.kind === 'directory') {
      throw new Fault('invalid_params', `The page cannot be written: ${path} is a directory. Name a file in it.`);
    }
    await files.makeDirectory(path.slice(0, Math.max(path.lastIndexOf('/'), 1)));
    await files.replace(path, new TextEncoder().encode(page), { mode: 0o600 });
  } catch (error) {
    if (error instanceof Fault || getSystemErrorCode(error) === undefined) throw error;
    const { describeSystemError } = await import('../../base/system-error.ts');
    throw new Fault('storage', `The page cannot be written: ${describeSystemError(error)}`, { cause: error });
  }
}
