// First floor, llm: a small file that others may change at any time. Read when it is needed and again when it has changed.
import { Fault } from '../base/index.ts';
import type { FileInfo, Files } from '../contracts/index.ts';

export interface WatchedFile<T> {
  readonly path: string;
  /** Costs a look at the file's date when nothing has changed. */
  read(): Promise<T>;
}

/** `parse` is given `undefined` when there is no such file. What it throws is thrown at every reader. */
export function watchedFile<T>(
  files: Pick<Files, 'info' | 'read'>,
  path: string,
  parse: (text: string | undefined, info: FileInfo | undefined) => Promise<T>,
): WatchedFile<T> {
  let known: { stamp: string; value: Promise<T> } | undefined;
  return {
    path,
    async read() {
      const info = await files.info(path);
      const stamp = info ? `${info.kind} ${info.modifiedMs} ${info.size} ${info.mode}` : '';
      if (known?.stamp !== stamp) known = { stamp, value: textOf(files, path, info).then((text) => parse(text, info)) };
      return known.value;
    },
  };
}

async function textOf(
  files: Pick<Files, 'read'>,
  path: string,
  info: FileInfo | undefined,
): Promise<string | undefined> {
  if (!info) return undefined;
  // Reading a pipe would wait for a writer that never comes.
  if (info.kind !== 'file') throw new Fault('config', `${path} is a ${info.kind}, not a file`);
  return new TextDecoder().decode(await files.read(path));
}
