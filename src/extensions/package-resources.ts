// Finds the extensions, skills and prompt templates of a package: by its manifest, otherwise in the conventional folders. Runs no code.
import { extname, join, relative } from 'node:path';
import { isRecord } from '../base/index.ts';
import type { Files } from '../contracts/index.ts';
import { compileGlob } from '../support/glob.ts';

export interface PackageResources {
  readonly extensions: readonly string[];
  readonly skills: readonly string[];
  readonly prompts: readonly string[];
  /** The manifest lists them. Otherwise they were found in the conventional folders. */
  readonly isListed: boolean;
}

type PackageFiles = Pick<Files, 'info' | 'list' | 'read'>;
type ResourceKind = 'extensions' | 'skills' | 'prompts';

const CODE_FILE = /\.(ts|js|mts|mjs|cts|cjs)$/;
const GLOB_CHARACTERS = /[*?[{]/;
const MAX_WALK_DEPTH = 8;
/** Bounds the search of a package with very many files. */
const MAX_WALKED_FILES = 20_000;

/** `undefined` if the folder has neither a manifest with resources nor, with `useConventions`, a conventional folder. */
export async function readPackageResources(
  files: PackageFiles,
  folder: string,
  useConventions: boolean,
): Promise<PackageResources | undefined> {
  const manifest = await readManifest(files, join(folder, 'package.json'));
  const kinds = ['extensions', 'skills', 'prompts'] as const;
  const isListed = manifest !== undefined && [...kinds, 'themes'].some((kind) => manifest[kind] !== undefined);
  const conventional = useConventions ? await listConventionalFolders(files, folder) : [];
  if (!isListed && conventional.length === 0) return undefined;
  const expand = (kind: ResourceKind) => {
    const entries = isListed ? manifest[kind] : conventional.filter((name) => name === kind);
    return expandEntries(files, folder, kind, Array.isArray(entries) ? entries.filter(isText) : []);
  };
  const [extensions, skills, prompts] = await Promise.all(kinds.map(expand));
  return { extensions: extensions ?? [], skills: skills ?? [], prompts: prompts ?? [], isListed };
}

/** Files, and packages one level down. Sorted, because handlers are called in load order. */
export async function listExtensionFolder(files: PackageFiles, folder: string): Promise<string[]> {
  const names = (await files.list(folder)).map(({ name }) => name).sort();
  const lists = names.map(async (name) => {
    const path = join(folder, name);
    const info = await files.info(path);
    if (info?.kind === 'file') return CODE_FILE.test(name) && !name.endsWith('.d.ts') ? [path] : [];
    return info?.kind === 'directory' ? findPackageEntries(files, path) : [];
  });
  return (await Promise.all(lists)).flat();
}

/** The files that the manifest lists, otherwise the index file. */
export async function findPackageEntries(files: PackageFiles, folder: string): Promise<string[]> {
  const listed = (await readPackageResources(files, folder, false))?.extensions ?? [];
  if (listed.length > 0) return [...listed];
  for (const path of [join(folder, 'index.ts'), join(folder, 'index.js')])
    if ((await files.info(path))?.kind === 'file') return [path];
  return [];
}

async function readManifest(files: PackageFiles, path: string): Promise<Record<string, unknown> | undefined> {
  if ((await files.info(path))?.kind !== 'file') return undefined;
  try {
    const manifest: unknown = JSON.parse(new TextDecoder().decode(await files.read(path)));
    const section = isRecord(manifest) ? (manifest.parley ?? manifest.pi ?? manifest.omp) : undefined;
    return isRecord(section) ? section : undefined;
  } catch {
    return undefined;
  }
}

async function listConventionalFolders(files: PackageFiles, folder: string): Promise<string[]> {
  const names = (await files.list(folder)).map(({ name }) => name);
  return ['extensions', 'skills', 'prompts'].filter((name) => names.includes(name));
}

/** Entries are files, folders and globs. `!glob` and `-path` exclude, `+path` includes in spite of an exclusion. */
async function expandEntries(
  files: PackageFiles,
  folder: string,
  kind: ResourceKind,
  entries: readonly string[],
): Promise<string[]> {
  const take = (mark: string) =>
    entries.filter((entry) => entry.startsWith(mark)).map((entry) => toName(entry.slice(1)));
  const excluded = take('!').map((pattern) => compileGlob(pattern));
  const [removed, kept] = [take('-'), take('+')];
  const found: string[] = [];
  for (const entry of entries.filter((name) => !/^[!+-]/.test(name)))
    for (const path of await expandEntry(files, folder, toName(entry)))
      found.push(...(await listResourceFiles(files, kind, path)));
  const isExcluded = (path: string) =>
    listPrefixes(relative(folder, path).replaceAll('\\', '/')).some(
      (name) => removed.includes(name) || excluded.some((matches) => matches(name)),
    );
  const remaining = found.filter((path) => !isExcluded(path));
  for (const name of kept) remaining.push(...(await listResourceFiles(files, kind, join(folder, name))));
  return [...new Set(remaining)];
}

function toName(entry: string): string {
  return entry.replace(/^(?:\.\/)+/, '').replace(/\/$/, '');
}

function isText(entry: unknown): entry is string {
  return typeof entry === 'string';
}

/** `a`, `a/b`, `a/b/c` for the path `a/b/c`, so that a pattern for a folder excludes what it contains. */
function listPrefixes(path: string): string[] {
  const names = path.split('/');
  return names.map((_, at) => names.slice(0, at + 1).join('/'));
}

async function expandEntry(files: PackageFiles, folder: string, entry: string): Promise<string[]> {
  if (!GLOB_CHARACTERS.test(entry)) return [join(folder, entry)];
  const matches = compileGlob(entry.includes('/') ? entry : `./${entry}`);
  return (await walk(files, folder)).filter((name) => matches(name)).map((name) => join(folder, name));
}

/** Relative paths of all files and folders, without node_modules and hidden ones. Links are not followed. */
async function walk(files: PackageFiles, folder: string): Promise<string[]> {
  const found: string[] = [];
  const pending = [{ name: '', depth: 0 }];
  for (let next = pending.shift(); next && found.length < MAX_WALKED_FILES; next = pending.shift()) {
    const listed = await files.list(join(folder, next.name));
    for (const { name, kind } of [...listed].sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (name.startsWith('.') || name === 'node_modules') continue;
      const path = next.name === '' ? name : `${next.name}/${name}`;
      found.push(path);
      if (kind === 'directory' && next.depth < MAX_WALK_DEPTH) pending.push({ name: path, depth: next.depth + 1 });
    }
  }
  return found;
}

/** The files of a kind at a path: the file itself, or those of a folder. */
async function listResourceFiles(files: PackageFiles, kind: ResourceKind, path: string): Promise<string[]> {
  const info = await files.info(path);
  if (info?.kind === 'file') return kind === 'extensions' || extname(path) === '.md' ? [path] : [];
  if (info?.kind !== 'directory') return [];
  if (kind === 'extensions') {
    const entries = await findPackageEntries(files, path);
    return entries.length > 0 ? entries : listExtensionFolder(files, path);
  }
  if (kind === 'prompts') {
    const names = (await files.list(path)).map(({ name }) => name).sort();
    return names.filter((name) => extname(name) === '.md').map((name) => join(path, name));
  }
  const names = await walk(files, path);
  const skills = names.filter((name) => name === 'SKILL.md' || name.endsWith('/SKILL.md'));
  const isSkill = skills.includes('SKILL.md');
  const singleFiles = isSkill ? [] : names.filter((name) => !name.includes('/') && extname(name) === '.md');
  return [...(isSkill ? ['SKILL.md'] : skills), ...singleFiles].map((name) => join(path, name));
}
