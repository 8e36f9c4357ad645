// Names and paths of session directories and files.
import { fnv1a } from '../base/fnv1a.ts';
import type { Files } from '../contracts/ports.ts';

/** The limit of common file systems, in bytes. The path of a working directory may be longer. */
const MAX_NAME_BYTES = 255;

/** The sessions of one working directory are in one directory named after it. This is pi's layout, so its tools find them. */
export function getSessionDirectory(agentDir: string, cwd: string): string {
  const name = `--${cwd.replace(/^[/\\]/, '').replace(/[/\\:]/g, '-')}--`;
  return `${agentDir}/sessions/${new TextEncoder().encode(name).length <= MAX_NAME_BYTES ? name : shortenDirectoryName(name)}`;
}

/** All existing session directories. */
export async function listSessionDirectories(files: Pick<Files, 'list'>, agentDir: string): Promise<string[]> {
  const listed = await files.list(`${agentDir}/sessions`).catch(() => []);
  return listed.filter(({ kind }) => kind === 'directory').map(({ name }) => `${agentDir}/sessions/${name}`);
}

export function formatSessionFileName(startedMs: number, id: string): string {
  const time = new Date(startedMs).toISOString().replace(/[:.]/g, '-');
  return `${time}_${formatIdForFileName(id)}.jsonl`;
}

/** In characters. Leaves space for the time before the id, and for the endings of files that belong to the session. */
const MAX_ID_LENGTH = 200;

/** The id may come from a host, so characters that could lead out of the directory are replaced. Different ids can become equal. */
export function formatIdForFileName(id: string): string {
  const name = id.replace(/[^\w.-]/g, '-');
  return name.length <= MAX_ID_LENGTH ? name : `${name.slice(0, MAX_ID_LENGTH - 9)}-${formatHash(id)}`;
}

const FILE_EXTENSION = '.jsonl';

export function isSessionFileName(name: string): boolean {
  return name.endsWith(FILE_EXTENSION) && name.length > FILE_EXTENSION.length;
}

/** Returns the id in a file name of the form that formatSessionFileName creates. */
export function parseIdFromFileName(name: string): string | undefined {
  const at = name.indexOf('_');
  return at > 0 && isSessionFileName(name) ? name.slice(at + 1, -FILE_EXTENSION.length) : undefined;
}

/** Directory of the full tool outputs of a session. `undefined` for a file without the session file extension. */
export function getArtifactsDirectory(sessionFile: string): string | undefined {
  return sessionFile.endsWith(FILE_EXTENSION) ? sessionFile.slice(0, -FILE_EXTENSION.length) : undefined;
}

export function getLockPath(sessionFile: string): string {
  return `${sessionFile}.lock`;
}

/** File with the digest of a long log, which speeds up resuming. */
export function getDigestPath(sessionFile: string): string {
  return `${sessionFile}.digest`;
}

/** The `n`th backup of a file from before a migration. */
export function getBackupPath(sessionFile: string, version: number, n: number): string {
  return `${sessionFile}.v${version}${n === 1 ? '' : `.${n}`}.bak`;
}

export function isBackupOf(sessionFile: string, path: string): boolean {
  return path.startsWith(`${sessionFile}.v`) && /^\d+(\.\d+)?\.bak$/.test(path.slice(sessionFile.length + 2));
}

/** Cache of the session list of a directory. */
export function getSummaryCachePath(directory: string): string {
  return `${directory}/.parley-sessions.json`;
}

export function getFileName(file: string): string {
  return file.replace(/^.*[/\\]/s, '');
}

export function getParentDirectory(file: string): string {
  return file.replace(/[/\\][^/\\]*$/, '') || '/';
}

/** Keeps the end of the name, which is the most specific part, after a hash that makes the name unique. */
function shortenDirectoryName(name: string): string {
  // A UTF-16 code unit takes at most three bytes, so 80 units fit.
  return `--${formatHash(name)}-${name.slice(-80)}`;
}

/** Eight characters. */
function formatHash(text: string): string {
  return fnv1a(text).toString(16).padStart(8, '0');
}
