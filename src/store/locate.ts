// The store's answer to "which session do you mean": a path as it is, or the beginning of an id.
import { Fault } from '../base/fault.ts';
import type { Files } from '../contracts/ports.ts';
import { eachOf, foundFiles, idOf } from './listing.ts';
import { idInFileName, nameOf } from './places.ts';

export async function locateSession(files: Files, directory: string, wanted: string, cwd?: string): Promise<string> {
  if (wanted === '') throw new Fault('invalid_params', 'A session is named by its path or the beginning of its id');
  const path = cwd === undefined || wanted.startsWith('/') ? wanted : `${cwd}/${wanted}`;
  if ((await files.info(path).catch(() => undefined))?.kind === 'file') return files.resolve(path);
  const matches = /[/\\]/.test(wanted) ? [] : await withId(files, directory, wanted);
  const [only, ...others] = matches;
  if (only === undefined) throw new Fault('not_found', `Session not found: ${wanted}`);
  if (others.length === 0) return only;
  const names = matches.slice(0, 5).map(nameOf);
  throw new Fault(
    'invalid_params',
    `${matches.length} sessions begin with ${wanted}: ${names.join(', ')}${matches.length > 5 ? ', …' : ''}`,
  );
}

/** By the names alone when they tell; the files are opened only when no name does. */
async function withId(files: Files, directory: string, wanted: string): Promise<string[]> {
  const paths = (await foundFiles(files, directory)).map(({ path }) => path);
  const named = paths.filter((path) => idInFileName(nameOf(path))?.startsWith(wanted));
  if (named.length > 0) return named;
  const ids = await eachOf(paths, (path) => idOf(files, path));
  return paths.filter((_, i) => ids[i]?.startsWith(wanted));
}
