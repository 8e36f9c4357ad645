// Finds one stored session in all session folders, by its path or the beginning of its id. Files elsewhere are not looked at.
import { Fault } from '../base/fault.ts';
import type { Files } from '../contracts/ports.ts';
import type { SessionSummary } from '../contracts/session-store.ts';
import {
  listSessionFiles,
  mapConcurrently,
  measureArtifacts,
  readSessionId,
  type SessionFile,
} from './list-sessions.ts';
import { formatIdForFileName, getFileName, isSessionFileName, parseIdFromFileName } from './session-paths.ts';
import { summarizeSession } from './summarize-session.ts';

export async function locateInFolders(
  files: Files,
  folders: readonly string[],
  reference: string,
): Promise<SessionSummary> {
  const listed = (await Promise.all(folders.map((folder) => listSessionFiles(files, folder)))).flat();
  const matches = reference === '' ? [] : await findMatches(files, listed, reference);
  const [match, ...others] = matches;
  if (others.length > 0) {
    const names = matches.slice(0, 5).map(({ path }) => getFileName(path));
    const more = matches.length > 5 ? ', …' : '';
    throw new Fault('invalid_params', `${matches.length} sessions begin with ${reference}: ${names.join(', ')}${more}`);
  }
  const summary = match && (await summarizeSession(files, match));
  if (!summary) throw new Fault('not_found', `Session not found: ${reference}`);
  const { path, size, modifiedMs } = match;
  return { path, ...summary, modifiedMs, bytes: size + (await measureArtifacts(files, match)) };
}

/** The path of the session with exactly this id. Of several, the one that was changed last. */
export async function findInFolders(files: Files, folders: readonly string[], id: string): Promise<string | undefined> {
  const nameId = formatIdForFileName(id);
  const isNamed = (name: string) => parseIdFromFileName(name) === nameId;
  // Other files are opened only when no name matches.
  for (const isWanted of [isNamed, isSessionFileName]) {
    const lists = await Promise.all(folders.map((folder) => listSessionFiles(files, folder, isWanted)));
    const newestFirst = lists.flat().sort((a, b) => b.modifiedMs - a.modifiedMs);
    const [found] = await filterById(files, newestFirst, (each) => each === id);
    if (found) return found.path;
  }
  return undefined;
}

/** Compares paths, then whole ids, then the beginnings of ids. Most files are opened only when no name matches. */
async function findMatches(files: Files, listed: readonly SessionFile[], reference: string): Promise<SessionFile[]> {
  const byPath = listed.filter(({ path }) => path === reference);
  if (byPath.length > 0) return byPath;
  const getId = ({ path }: SessionFile) => parseIdFromFileName(getFileName(path));
  const nameId = formatIdForFileName(reference);
  const named = listed.filter((file) => getId(file) === nameId);
  const exact = await filterById(files, named, (id) => id === reference);
  if (exact.length > 0 || /[/\\]/.test(reference)) return exact;
  if (named.length > 0) return named;
  const byName = listed.filter((file) => getId(file)?.startsWith(reference));
  if (byName.length > 0) return byName;
  return filterById(files, listed, (id) => id.startsWith(reference));
}

/** Reads the ids in the files. */
async function filterById(
  files: Files,
  listed: readonly SessionFile[],
  isMatch: (id: string) => boolean,
): Promise<SessionFile[]> {
  const ids = await mapConcurrently(listed, ({ path }) => readSessionId(files, path));
  return listed.filter((_, index) => isMatch(ids[index] ?? ''));
}
