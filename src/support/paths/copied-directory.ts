// Translates paths between the working directory of a session and the copies of it in which isolated subagents work.
import { basename, dirname, isAbsolute, relative, resolve } from 'node:path';

/** A directory and its copy. */
export interface CopiedDirectory {
  readonly original: string;
  readonly copy: string;
}

/** `/p/sub` and its copy `/w/T0/sub` belong to the directories `/p` and `/w/T0`. `undefined` when both paths are the same. */
export function findCopiedDirectory(originalCwd: string, cwd: string): CopiedDirectory | undefined {
  if (originalCwd === cwd) return undefined;
  let [original, copy] = [originalCwd, cwd];
  while (basename(original) === basename(copy) && dirname(original) !== original && dirname(copy) !== copy)
    [original, copy] = [dirname(original), dirname(copy)];
  return { original, copy };
}

/** The path of the same file in the original. `undefined` for a file that is not in the copy. */
export function toOriginalPath(path: string, { original, copy }: CopiedDirectory): string | undefined {
  return movePath(path, copy, original);
}

/** Adds the paths that the files have in the copy. */
export function addCopiedPaths(paths: readonly string[], directories: readonly CopiedDirectory[]): readonly string[] {
  const copies = directories.flatMap(({ original, copy }) => paths.map((path) => movePath(path, original, copy)));
  return [...new Set([...paths, ...copies.filter((path) => path !== undefined)])];
}

function movePath(path: string, from: string, to: string): string | undefined {
  const rest = relative(from, path);
  if (rest === '..' || rest.startsWith('../') || isAbsolute(rest)) return undefined;
  return resolve(to, rest);
}
