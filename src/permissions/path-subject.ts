// The files that a path in the arguments of a call may name.
import { isAbsolute, join, resolve } from 'node:path';
import type { Files } from '../contracts/index.ts';

export interface PathContext {
  readonly cwd: string;
  readonly home: string | undefined;
  readonly files: Pick<Files, 'realPath' | 'info'>;
}

export interface PathSubject {
  /** Absolute, with and without links. Rules that restrict are compared with each. */
  readonly spellings: readonly string[];
  /** With all links resolved. `undefined` when it is not known which file will be opened. */
  readonly real: string | undefined;
  readonly isDirectory: boolean;
  /** The working directory, with and without links. */
  readonly directories: readonly string[];
  readonly home: string | undefined;
}

/** Tools try other spellings of a name that does not exist. Which one they open is then not known. */
const HAS_OTHER_SPELLINGS = /^@|['\u0080-\uffff]| [AP]M\./i;

/** File tools remove an `@` at the beginning, and expand `~`. The shell of a command has done so already: `isFromShell`. */
export async function resolvePathSubject(
  path: string,
  context: PathContext,
  isFromShell = false,
): Promise<PathSubject> {
  const { cwd, home, files } = context;
  const names = isFromShell ? [path] : [...new Set([expandHome(path.replace(/^@/, ''), home), path])];
  const realPaths = await Promise.all(names.map((name) => readRealPath(joinTo(cwd, name), files)));
  const [real] = realPaths;
  const info = real === undefined ? undefined : await files.info(real).catch(() => undefined);
  const isUncertain = !isFromShell && info === undefined && HAS_OTHER_SPELLINGS.test(path);
  return {
    spellings: [
      ...new Set([...names.map((name) => resolve(cwd, name)), ...realPaths.filter((one) => one !== undefined)]),
    ],
    real: isUncertain ? undefined : real,
    isDirectory: info?.kind === 'directory',
    directories: [...new Set([cwd, (await readRealPath(cwd, files)) ?? cwd])],
    home: home === undefined ? undefined : ((await readRealPath(home, files)) ?? home),
  };
}

function expandHome(path: string, home: string | undefined): string {
  return home !== undefined && (path === '~' || path.startsWith('~/')) ? join(home, path.slice(1)) : path;
}

/** Not `resolve`: it removes `link/..` before the link is resolved. */
function joinTo(cwd: string, path: string): string {
  return isAbsolute(path) ? path : `${cwd}/${path}`;
}

async function readRealPath(path: string, files: Pick<Files, 'realPath'>): Promise<string | undefined> {
  if (path.includes('\0')) return undefined;
  return files.realPath(path).catch(() => undefined);
}
