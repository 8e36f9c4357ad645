// Finds the files that an extension imports by relative paths. Runs no code.
import { basename, dirname, join, resolve } from 'node:path';
import type { FileKind, Files } from '../contracts/index.ts';

type ReadonlyFiles = Pick<Files, 'info' | 'list' | 'read'>;

/** A relative path shortly after a keyword that loads code. All quantifiers are bounded, so that matching takes linear time. */
const RELATIVE_IMPORT = /\b(?:from|import|require|resolve|URL)\b[^"'`;]{0,80}["'`](\.{1,2}\/[^"'`\n]{1,400})["'`]/g;
const CODE_FILE = /\.[cm]?[jt]sx?$/;
/** File name endings that the extension loader tries when the path is not a file. */
const FILE_ENDINGS = ['.js', '.mjs', '.cjs', '.ts', '.tsx', '.mts', '.cts', '.mtsx', '.ctsx', '.json', '.node'];

/** Returns `entries` and all files that they import, directly or indirectly. Packages are not followed. */
export async function findImports(files: ReadonlyFiles, entries: readonly string[]): Promise<string[]> {
  const found = new Set(entries);
  const listings = new Map<string, Promise<ReadonlyMap<string, FileKind>>>();
  const findKind = async (path: string): Promise<FileKind | undefined> => {
    const directory = dirname(path);
    const listing = listings.get(directory) ?? listKinds(files, directory);
    listings.set(directory, listing);
    const kind = (await listing).get(basename(path));
    return kind === 'link' ? (await files.info(path).catch(() => undefined))?.kind : kind;
  };
  for (const file of found) {
    if (!CODE_FILE.test(file) || file.includes('/node_modules/')) continue;
    const text = new TextDecoder().decode(await files.read(file));
    for (const [, path = ''] of text.matchAll(RELATIVE_IMPORT)) {
      for (const target of await findCandidates(findKind, resolve(dirname(file), path))) found.add(target);
    }
  }
  return [...found];
}

/** The file itself. If it does not exist, all files that the loader could use instead. */
async function findCandidates(
  findKind: (path: string) => Promise<FileKind | undefined>,
  path: string,
): Promise<readonly string[]> {
  const kind = await findKind(path);
  if (kind === 'file') return [path];
  const candidates = [
    path.replace(/\.([cm]?)js(x?)$/, '.$1ts$2'),
    ...FILE_ENDINGS.map((ending) => `${path}${ending}`),
    ...(kind === 'directory' ? FILE_ENDINGS.map((ending) => join(path, `index${ending}`)) : []),
  ];
  const kinds = await Promise.all(candidates.map(findKind));
  return candidates.filter((_, at) => kinds[at] === 'file');
}

async function listKinds(files: ReadonlyFiles, directory: string): Promise<ReadonlyMap<string, FileKind>> {
  const entries = await files.list(directory).catch(() => []);
  return new Map(entries.map(({ name, kind }) => [name, kind]));
}
