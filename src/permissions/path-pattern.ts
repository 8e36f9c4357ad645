// Patterns of files: globs relative to the working directory, to the home directory (`~/`) or to the root (`/`).
import { dirname, join, relative, resolve } from 'node:path';
import { compileGlob } from '../support/glob.ts';
import { isInside } from '../support/path-checks.ts';
import { foldSpelling } from './text-pattern.ts';

/** The directories that patterns are relative to. */
export interface PathBases {
  readonly cwd: string;
  readonly home: string | undefined;
}

export interface PathPattern {
  /** Without a slash: compared with names, in every directory. */
  readonly isName: boolean;
  /** `undefined` when the home directory is not known. */
  getBase(bases: PathBases): string | undefined;
  /** Relative to the base. */
  matches(path: string): boolean;
  /** The same for a path and a pattern after `foldSpelling`. */
  matchesFolded(path: string): boolean;
  /** The directory, relative to the base, that all matching files are in; with `isExact` the only matching file. */
  readonly prefix: string;
  readonly isExact: boolean;
}

/** Throws a Fault when the glob is invalid or too long. */
export function compilePathPattern(text: string): PathPattern {
  const { start, glob } = splitStart(text);
  const isName = start === '' && !glob.includes('/') && glob !== '';
  const literals = glob.split('/');
  const firstWildcard = literals.findIndex((name) => /[*?[{\\]/.test(name));
  return {
    isName,
    getBase: ({ cwd, home }) => {
      if (start === '~') return home;
      return start === '/' ? '/' : resolve(cwd, start);
    },
    matches: compile(glob, isName),
    matchesFolded: compile(foldSpelling(glob), isName),
    prefix: (firstWildcard === -1 ? literals : literals.slice(0, firstWildcard)).join('/'),
    isExact: firstWildcard === -1,
  };
}

/** `start` is `~`, `/`, or the steps `./` and `../` at the beginning. */
function splitStart(text: string): { start: string; glob: string } {
  const [start = ''] = /^(?:~(?=\/|$)\/*|\/+|(?:\.{1,2}(?:\/+|$))+)/.exec(text) ?? [];
  const glob = stripTrailingSlashes(text.slice(start.length));
  if (start.startsWith('~') || start.startsWith('/')) return { start: start.charAt(0), glob };
  return { start, glob };
}

function stripTrailingSlashes(text: string): string {
  let end = text.length;
  while (text[end - 1] === '/') end -= 1;
  return text.slice(0, end);
}

/** `src/**` also matches the directory `src` itself. */
function compile(glob: string, isName: boolean): (path: string) => boolean {
  if (glob === '') return (path) => path === '';
  if (isName) {
    const test = compileGlob(glob);
    return glob === '**' ? () => true : test;
  }
  const test = compileGlob(`/${glob}`);
  if (glob === '**') return () => true;
  if (!glob.endsWith('/**')) return test;
  const testDirectory = compileGlob(`/${glob.slice(0, -3)}`);
  return (path) => test(path) || testDirectory(path);
}

/** For rules that allow: the path has all links resolved, and names count only inside the working directory. */
export function allowsPath(pattern: PathPattern, realPath: string, bases: PathBases): boolean {
  const base = pattern.getBase(bases);
  if (base === undefined || !isWithin(base, realPath)) return false;
  return pattern.matches(relative(base, realPath));
}

/** For rules that restrict: also files below a matching directory, and other spellings of the same name. */
export function restrictsPath(pattern: PathPattern, path: string, bases: PathBases): boolean {
  const base = pattern.getBase(bases);
  if (base === undefined) return false;
  const from = foldSpelling(pattern.isName && !isWithin(base, path) ? '/' : base);
  const folded = foldSpelling(path);
  if (!isWithin(from, folded)) return false;
  for (let part = relative(from, folded); ; part = dirname(part)) {
    if (pattern.matchesFolded(part === '.' ? '' : part)) return true;
    if (part === '' || part === '.') return false;
  }
}

/** Whether a file below the directory could match. */
export function restrictsBelow(pattern: PathPattern, directory: string, bases: PathBases): boolean {
  const base = pattern.getBase(bases);
  if (base === undefined) return false;
  if (pattern.isName) return true;
  const prefix = foldSpelling(join(base, pattern.prefix));
  const folded = foldSpelling(directory);
  return isInside(folded, prefix) || (!pattern.isExact && isWithin(prefix, folded));
}

export function isWithin(root: string, path: string): boolean {
  return root === path || isInside(root, path);
}
