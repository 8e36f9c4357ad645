// The store's answer to "which session do you mean": a path as it is, or the beginning of an id.
import { Fault, messageOf } from '../base/fault.ts';
import type { Files } from '../contracts/ports.ts';
import type { EmptyFile } from '../contracts/store.ts';
import { KINDS } from './header.ts';
import { eachOf, foundFiles, idOf } from './listing.ts';
import { folderOf, idInFileName, isSessionFileName, nameOf } from './places.ts';

export async function locateSession(files: Files, directory: string, wanted: string, cwd?: string): Promise<string> {
  if (wanted === '') throw new Fault('invalid_params', 'A session is named by its path or the beginning of its id');
  const path = pathOf(wanted, cwd);
  const info = await files.info(path).catch(() => undefined);
  if (info?.kind === 'file') return files.resolve(path);
  const matches = SEPARATOR.test(wanted) ? [] : await withId(files, directory, wanted);
  const [only, ...others] = matches;
  if (only === undefined && info) throw new Fault('refused', `Not a session: ${wanted} is ${KINDS[info.kind]}`);
  if (only === undefined) throw new Fault('not_found', `Session not found: ${wanted}`);
  if (others.length === 0) return only;
  const names = matches.slice(0, 5).map(nameOf);
  throw new Fault(
    'invalid_params',
    `${matches.length} sessions begin with ${wanted}: ${names.join(', ')}${matches.length > 5 ? ', …' : ''}`,
  );
}

const SEPARATOR = /[/\\]/;

function pathOf(wanted: string, cwd: string | undefined): string {
  return cwd === undefined || wanted.startsWith('/') ? wanted : `${cwd}/${wanted}`;
}

/** See SessionStore.emptyFile. */
export async function emptyFileAt(files: Files, wanted: string, cwd?: string): Promise<EmptyFile | undefined> {
  const path = pathOf(wanted, cwd);
  try {
    const info = await files.info(path);
    if (info && (info.kind !== 'file' || info.size > 0)) return undefined;
    // Without a separator or the ending of session files it is the beginning of an id.
    if (!info && !SEPARATOR.test(wanted) && !isSessionFileName(wanted)) return undefined;
    const file = await files.resolve(path);
    if (info) {
      // Fails now when it cannot be written, and not with the first prompt.
      await (await files.open(file, 'append')).close();
      return { path: file, exists: true };
    }
    const folder = folderOf(file);
    if ((await files.info(folder))?.kind === 'directory') return { path: file, exists: false };
    throw new Fault(
      'not_found',
      `Session not found: ${wanted}. To start one there, create the directory ${folder} first.`,
    );
  } catch (cause) {
    if (cause instanceof Fault) throw cause;
    throw new Fault('storage', `Cannot open session file ${wanted}: ${messageOf(cause)}`, { cause });
  }
}

/** By the names alone when they tell; the files are opened only when no name does. */
async function withId(files: Files, directory: string, wanted: string): Promise<string[]> {
  const paths = (await foundFiles(files, directory)).map(({ path }) => path);
  const named = paths.filter((path) => idInFileName(nameOf(path))?.startsWith(wanted));
  if (named.length > 0) return named;
  const ids = await eachOf(paths, (path) => idOf(files, path));
  return paths.filter((_, i) => ids[i]?.startsWith(wanted));
}
