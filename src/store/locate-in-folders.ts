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
import { getFileName, parseIdFromFileName } from './session-paths.ts';
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

/** Compares paths, then the ids in the file names. The files are opened only when no name matches. */
async function findMatches(files: Files, listed: readonly SessionFile[], reference: string): Promise<SessionFile[]> {
  const byPath = listed.filter(({ path }) => path === reference);
  if (byPath.length > 0 || /[/\\]/.test(reference)) return byPath;
  const getId = ({ path }: SessionFile) => parseIdFromFileName(getFileName(path));
  const exact = listed.filter((file) => getId(file) === reference);
  if (exact.length > 0) return exact;
  const byName = listed.filter((file) => getId(file)?.startsWith(reference));
  if (byName.length > 0) return byName;
  const ids = await mapConcurrently(listed, ({ path }) => readSessionId(files, path));
  return listed.filter((_, index) => ids[index]?.startsWith(reference));
}
