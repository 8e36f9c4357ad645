// Which files the code of an extension imports by a relative path. Reads text; runs nothing.
import { basename, dirname, join, resolve } from 'node:path';
import type { FileKind, Files } from '../../contracts/index.ts';

type Reading = Pick<Files, 'info' | 'list' | 'read'>;

/** A relative path shortly behind a word that loads code. Every quantifier has a bound, so that it takes linear time. */
const IMPORT = /\b(?:from|import|require|resolve|URL)\b[^"'`;]{0,80}["'`](\.{1,2}\/[^"'`\n]{1,400})["'`]/g;
const CODE = /\.[cm]?[jt]sx?$/;
/** What the loader of extensions puts behind a path that is not a file. */
const ENDINGS = ['.js', '.mjs', '.cjs', '.ts', '.tsx', '.mts', '.cts', '.mtsx', '.ctsx', '.json', '.node'];

/** The files that are reached from `entries`, themselves included. Packages are not followed. */
export async function findImports(files: Reading, entries: readonly string[]): Promise<string[]> {
  const found = new Set(entries);
  const listings = new Map<string, Promise<ReadonlyMap<string, FileKind>>>();
  const kindAt = async (path: string): Promise<FileKind | undefined> => {
    const directory = dirname(path);
    const listing = listings.get(directory) ?? namesIn(files, directory);
    listings.set(directory, listing);
    const kind = (await listing).get(basename(path));
    return kind === 'link' ? (await files.info(path).catch(() => undefined))?.kind : kind;
  };
  for (const file of found) {
    if (!CODE.test(file) || file.includes('/node_modules/')) continue;
    const text = new TextDecoder().decode(await files.read(file));
    for (const [, path = ''] of text.matchAll(IMPORT)) {
      for (const target of await candidates(kindAt, resolve(dirname(file), path))) found.add(target);
    }
  }
  return [...found];
}

/** The file itself; where there is none, every file that the loader could take for it. */
async function candidates(
  kindAt: (path: string) => Promise<FileKind | undefined>,
  path: string,
): Promise<readonly string[]> {
  const kind = await kindAt(path);
  if (kind === 'file') return [path];
  const others = [
    path.replace(/\.([cm]?)js(x?)$/, '.$1ts$2'),
    ...ENDINGS.map((ending) => `${path}${ending}`),
    ...(kind === 'directory' ? ENDINGS.map((ending) => join(path, `index${ending}`)) : []),
  ];
  const kinds = await Promise.all(others.map(kindAt));
  return others.filter((_, at) => kinds[at] === 'file');
}

async function namesIn(files: Reading, directory: string): Promise<ReadonlyMap<string, FileKind>> {
  const entries = await files.list(directory).catch(() => []);
  return new Map(entries.map(({ name, kind }) => [name, kind]));
}
