// The store's map: how a session's folder and files are called. Knows names only.
import { fnv1a } from '../base/fnv.ts';
import type { Files } from '../contracts/ports.ts';

/** What file systems allow, in bytes. A working directory may be deeper than that. */
const LONGEST_NAME = 255;

/** The sessions of one working directory lie together, under its name: pi's layout, so that its tools find them. */
export function sessionFolder(agentDir: string, cwd: string): string {
  const name = `--${cwd.replace(/^[/\\]/, '').replace(/[/\\:]/g, '-')}--`;
  return `${agentDir}/sessions/${new TextEncoder().encode(name).length <= LONGEST_NAME ? name : shortened(name)}`;
}

/** Every such folder that there is. */
export async function sessionFolders(files: Pick<Files, 'list'>, agentDir: string): Promise<string[]> {
  const listed = await files.list(`${agentDir}/sessions`).catch(() => []);
  return listed.filter(({ kind }) => kind === 'directory').map(({ name }) => `${agentDir}/sessions/${name}`);
}

export function sessionFileName(begunMs: number, id: string): string {
  const time = new Date(begunMs).toISOString().replace(/[:.]/g, '-');
  // An id may come from a host: nothing in it may lead out of the folder.
  return `${time}_${id.replace(/[^\w.-]/g, '-')}.jsonl`;
}

const ENDING = '.jsonl';

export function isSessionFileName(name: string): boolean {
  return name.endsWith(ENDING) && name.length > ENDING.length;
}

/** The id in a file's name, if the name has our shape. */
export function idInFileName(name: string): string | undefined {
  const at = name.indexOf('_');
  return at > 0 && isSessionFileName(name) ? name.slice(at + 1, -ENDING.length) : undefined;
}

/** Where whole outputs of a session's tools lie. `undefined` for a file that is not named like a session. */
export function artifactsFolder(sessionFile: string): string | undefined {
  return sessionFile.endsWith(ENDING) ? sessionFile.slice(0, -ENDING.length) : undefined;
}

export function lockFile(sessionFile: string): string {
  return `${sessionFile}.lock`;
}

/** What there is to know of a long log, for whoever goes on with it. */
export function digestFile(sessionFile: string): string {
  return `${sessionFile}.digest`;
}

/** The `n`th copy of a file as it was before its format was changed. */
export function backupFile(sessionFile: string, version: number, n: number): string {
  return `${sessionFile}.v${version}${n === 1 ? '' : `.${n}`}.bak`;
}

export function isBackupOf(sessionFile: string, path: string): boolean {
  return path.startsWith(`${sessionFile}.v`) && /^\d+(\.\d+)?\.bak$/.test(path.slice(sessionFile.length + 2));
}

/** What the last list found out about the sessions of a folder. */
export function summariesFile(directory: string): string {
  return `${directory}/.parley-sessions.json`;
}

export function nameOf(file: string): string {
  return file.replace(/^.*[/\\]/s, '');
}

export function folderOf(file: string): string {
  return file.replace(/[/\\][^/\\]*$/, '') || '/';
}

/** The end of the name, which tells most, after a number that tells it from others with the same end. */
function shortened(name: string): string {
  // No character takes more than three bytes for each of its UTF-16 units.
  return `--${fnv1a(name).toString(16).padStart(8, '0')}-${name.slice(-80)}`;
}
