// Resolves a session reference: a path, or the beginning of a session id.
import { Fault, getErrorMessage } from '../base/fault.ts';
import type { Files } from '../contracts/ports.ts';
import type { EmptyFile } from '../contracts/session-store.ts';
import { listSessionFiles, mapConcurrently, readSessionId } from './list-sessions.ts';
import { FILE_KIND_NAMES } from './session-header.ts';
import { getFileName, getParentDirectory, isSessionFileName, parseIdFromFileName } from './session-paths.ts';

export async function locateSession(files: Files, directory: string, reference: string, cwd?: string): Promise<string> {
  if (reference === '')
    throw new Fault('invalid_params', 'Session reference is empty. Give a path or the beginning of a session id.');
  const path = resolvePath(reference, cwd);
  const info = await files.info(path).catch(() => undefined);
  if (info?.kind === 'file') return files.realPath(path);
  const matches = PATH_SEPARATOR.test(reference) ? [] : await findById(files, directory, reference);
  const [match, ...others] = matches;
  if (match === undefined && info)
    throw new Fault('refused', `Not a session: ${reference} is ${FILE_KIND_NAMES[info.kind]}`);
  if (match === undefined) throw new Fault('not_found', `Session not found: ${reference}`);
  if (others.length === 0) return match;
  const names = matches.slice(0, 5).map(getFileName);
  throw new Fault(
    'invalid_params',
    `${matches.length} sessions begin with ${reference}: ${names.join(', ')}${matches.length > 5 ? ', …' : ''}`,
  );
}

const PATH_SEPARATOR = /[/\\]/;

function resolvePath(reference: string, cwd: string | undefined): string {
  return cwd === undefined || reference.startsWith('/') ? reference : `${cwd}/${reference}`;
}

/** See SessionStore.findEmptyFile. */
export async function findEmptyFile(files: Files, reference: string, cwd?: string): Promise<EmptyFile | undefined> {
  const path = resolvePath(reference, cwd);
  try {
    const info = await files.info(path);
    if (info && (info.kind !== 'file' || info.size > 0)) return undefined;
    // A reference without a separator and without the session file extension is the beginning of an id.
    if (!info && !PATH_SEPARATOR.test(reference) && !isSessionFileName(reference)) return undefined;
    const file = await files.realPath(path);
    if (info) {
      // Checks now that the file is writable, instead of failing at the first prompt.
      await (await files.open(file, 'append')).close();
      return { path: file, exists: true };
    }
    const folder = getParentDirectory(file);
    if ((await files.info(folder))?.kind === 'directory') return { path: file, exists: false };
    throw new Fault(
      'not_found',
      `Session not found: ${reference}. To start one there, create the directory ${folder} first.`,
    );
  } catch (cause) {
    if (cause instanceof Fault) throw cause;
    throw new Fault('storage', `Cannot open session file ${reference}: ${getErrorMessage(cause)}`, { cause });
  }
}

/** Compares the ids in the file names first. The other files are opened only when no name matches. A whole id counts more than a beginning. */
async function findById(files: Files, directory: string, idPrefix: string): Promise<string[]> {
  const paths = (await listSessionFiles(files, directory)).map(({ path }) => path);
  const matches = paths.filter((path) => parseIdFromFileName(getFileName(path))?.startsWith(idPrefix));
  if (matches.length === 1) return matches;
  const candidates = matches.length > 0 ? matches : paths;
  const ids = await mapConcurrently(candidates, (path) => readSessionId(files, path));
  const exact = candidates.filter((_, i) => ids[i] === idPrefix);
  if (exact.length > 0) return exact;
  return matches.length > 0 ? matches : paths.filter((_, i) => ids[i]?.startsWith(idPrefix));
}
