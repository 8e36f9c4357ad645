// Caches the parsed contents of a small file and reads it again after another process has changed it.
import { Fault } from '../base/index.ts';
import type { FileInfo, Files } from '../contracts/index.ts';

export interface CachedFile<T> {
  readonly path: string;
  /** Costs one stat call when the file has not changed. */
  read(): Promise<T>;
}

/** `parse` receives `undefined` when the file does not exist. Failures of reading and parsing are not cached. */
export function createCachedFile<T>(
  files: Pick<Files, 'info' | 'read'>,
  path: string,
  parse: (text: string | undefined, info: FileInfo | undefined) => Promise<T>,
): CachedFile<T> {
  let cached: { stamp: string; value: Promise<T> } | undefined;
  return {
    path,
    async read() {
      const info = await files.info(path);
      const stamp = info ? `${info.kind} ${info.modifiedMs} ${info.size} ${info.mode}` : '';
      if (cached?.stamp === stamp) return cached.value;
      const fresh = { stamp, value: readFileText(files, path, info).then((text) => parse(text, info)) };
      cached = fresh;
      fresh.value.catch(() => {
        if (cached === fresh) cached = undefined;
      });
      return fresh.value;
    },
  };
}

async function readFileText(
  files: Pick<Files, 'read'>,
  path: string,
  info: FileInfo | undefined,
): Promise<string | undefined> {
  if (!info) return undefined;
  // Reading a named pipe would wait for a writer forever.
  if (info.kind !== 'file') throw new Fault('config', `${path} is a ${info.kind}, not a file`);
  return new TextDecoder().decode(await files.read(path));
}
