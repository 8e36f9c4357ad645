// First floor, core: where a page is written. A path that was asked for is used; without one, no file is ever replaced.
import { Fault, systemCode } from '../../base/index.ts';
import type { Files } from '../../contracts/index.ts';

export interface PageTarget {
  readonly path: string;
  write(page: string): Promise<void>;
}

export function pageAt(files: Files, cwd: string, wanted: string): PageTarget {
  const path = wanted.startsWith('/') ? wanted : `${cwd}/${wanted}`;
  return { path, write: (page) => put(files, path, page) };
}

/** Under the first name that nobody has taken. The name is ours from here on, whoever else looks for one. */
export async function freePage(files: Files, cwd: string, id: string): Promise<PageTarget> {
  for (let copy = 1; ; copy++) {
    const path = `${cwd}/parley-session-${id.slice(0, 8)}${copy > 1 ? `-${copy}` : ''}.html`;
    if (!(await claimed(files, path))) continue;
    return {
      path,
      async write(page) {
        try {
          await put(files, path, page);
        } catch (refusal) {
          await files.remove(path).catch(() => {});
          throw refusal;
        }
      },
    };
  }
}

async function claimed(files: Files, path: string): Promise<boolean> {
  try {
    const file = await files.open(path, 'create', { mode: 0o600 });
    await file.close();
    return true;
  } catch (refusal) {
    if (systemCode(refusal) === 'EEXIST') return false;
    throw refusal;
  }
}

async function put(files: Files, path: string, page: string): Promise<void> {
  try {
    if (path.endsWith('/') || (await files.info(path))?.kind === 'directory') {
      throw new Fault('invalid_params', `The page cannot be written: ${path} is a directory. Name a file in it.`);
    }
    await files.makeDirectory(path.slice(0, Math.max(path.lastIndexOf('/'), 1)));
    await files.replace(path, new TextEncoder().encode(page), { mode: 0o600 });
  } catch (refusal) {
    if (refusal instanceof Fault || systemCode(refusal) === undefined) throw refusal;
    const { sentenceOf } = await import('../../base/system-error.ts');
    throw new Fault('storage', `The page cannot be written: ${sentenceOf(refusal)}`, { cause: refusal });
  }
}
