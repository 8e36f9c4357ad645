// Finds the file that a program name starts, and whether tools could have written that file.
import { basename, isAbsolute, join, resolve } from 'node:path';
import type { Files } from '../contracts/index.ts';
import { isWithin } from './path-pattern.ts';

/** Commands of the shell itself. They are not searched along PATH. Those that run other commands are not in this list. */
const SHELL_BUILTINS: ReadonlySet<string> = new Set(
  (
    '[ : alias bg break cd continue declare dirs disown echo exit export false fg getopts hash jobs kill let local popd printf ' +
    'pushd pwd read readonly return set shift shopt test times true type typeset ulimit umask unalias unset wait'
  ).split(' '),
);

export interface Executables {
  /** Whether the program is found by its name, outside of the directories that tools can write to. */
  isTrustedName(name: string): Promise<boolean>;
  /** Whether the path is the file that is found by its base name, and that name is trusted. */
  isTrustedPath(path: string): Promise<boolean>;
  isBuiltin(name: string): boolean;
  /** The base names of the file and of the file that it links to. */
  listFileNames(program: string): Promise<readonly string[]>;
}

export interface ExecutablesOptions {
  readonly files: Pick<Files, 'realPath' | 'info'>;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly writableRoots: readonly string[];
}

/** Each name is searched once. */
export function createExecutables({ files, env, cwd, writableRoots }: ExecutablesOptions): Executables {
  const directories = env.PATH === undefined || env.PATH === '' ? [] : env.PATH.split(':');
  const hasRelativeEntry = directories.some((directory) => !isAbsolute(directory));
  const toRealPath = (path: string) => files.realPath(path).catch(() => undefined);
  const isExecutable = async (path: string) => {
    const info = await files.info(path).catch(() => undefined);
    return info?.kind === 'file' && (info.mode & 0o111) !== 0;
  };
  const find = remember(async (name: string): Promise<string | undefined> => {
    for (const directory of directories) {
      const path = isAbsolute(directory) ? join(directory, name) : resolve(cwd, directory, name);
      if (await isExecutable(path)) return path;
    }
    return undefined;
  });
  const listRoots = remember(async () => {
    const roots = [cwd, ...writableRoots].map((root) => resolve(cwd, root));
    return [...roots, ...(await Promise.all(roots.map(toRealPath)))].filter((root) => root !== undefined);
  });
  const findTrusted = remember(async (name: string) => {
    if (hasRelativeEntry || name.includes('/') || name === '') return undefined;
    const path = await find(name);
    const real = path && (await toRealPath(path));
    if (path === undefined || real === undefined) return undefined;
    const roots = await listRoots('');
    return roots.some((root) => isWithin(root, path) || isWithin(root, real)) ? undefined : { path, real };
  });
  return {
    isTrustedName: async (name) => (await findTrusted(name)) !== undefined,
    async isTrustedPath(path) {
      const found = await findTrusted(basename(path));
      return found !== undefined && isAbsolute(path) && (await toRealPath(path)) === found.real;
    },
    isBuiltin: (name) => SHELL_BUILTINS.has(name),
    async listFileNames(program) {
      const path = program.includes('/') ? resolve(cwd, program) : await find(program);
      const real = path && (await toRealPath(path));
      return [basename(program), ...(real ? [basename(real)] : [])];
    },
  };
}

function remember<T>(read: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const known = new Map<string, Promise<T>>();
  return (key) => {
    const found = known.get(key) ?? read(key);
    known.set(key, found);
    return found;
  };
}
