// The hall: which files are extensions. Looks into folders; reads nothing but the manifests in them, runs nothing.
import { extname, join } from 'node:path';
import { isRecord, messageOf } from '../../base/index.ts';
import type { Files, Place } from '../../contracts/index.ts';
import { pathFrom } from '../home.ts';

export interface Found {
  readonly path: string;
  readonly location: 'user' | 'project' | 'path';
}

export interface Discovery {
  readonly files: Pick<Files, 'info' | 'list' | 'read' | 'resolve'>;
  readonly folders: readonly Place[];
  /** Named by somebody: what is not there is a problem. */
  readonly paths: readonly string[];
  readonly cwd: string;
  readonly home: string;
}

export interface Discovered {
  readonly found: readonly Found[];
  readonly problems: readonly { readonly path: string; readonly error: string }[];
}

const IS_CODE = /\.(ts|js|mts|mjs|cts|cjs)$/;

/** In the order they are to be loaded; each file once, by whatever links it is reached. */
export async function discover(about: Discovery): Promise<Discovered> {
  const problems: { path: string; error: string }[] = [];
  const candidates: Found[] = [];
  for (const { path, level } of about.folders) {
    for (const file of await inFolder(about.files, path)) candidates.push({ path: file, location: level });
  }
  for (const named of about.paths) {
    const path = pathFrom(named, about);
    const files = await filesNamed(about.files, path);
    if (files.length === 0) problems.push({ path, error: 'Failed to load extension: there is no such file' });
    for (const file of files) candidates.push({ path: file, location: 'path' });
  }
  const seen = new Set<string>();
  const found: Found[] = [];
  for (const candidate of candidates) {
    const real = await about.files.resolve(candidate.path);
    if (!seen.has(real)) found.push(candidate);
    seen.add(real);
  }
  return { found, problems };
}

/** What is named may be a file, a package, or a folder of extensions. */
async function filesNamed(files: Discovery['files'], path: string): Promise<string[]> {
  const info = await files.info(path);
  if (info?.kind === 'file') return [path];
  if (info?.kind !== 'directory') return [];
  const own = await ofPackage(files, path);
  return own.length > 0 ? own : inFolder(files, path);
}

/** Files, and packages one level down. Sorted, because the order of loading decides who is asked first. */
async function inFolder(files: Discovery['files'], folder: string): Promise<string[]> {
  const names = (await files.list(folder)).map(({ name }) => name).sort();
  const lists = names.map(async (name) => {
    const path = join(folder, name);
    const info = await files.info(path);
    if (info?.kind === 'file') return IS_CODE.test(name) && !name.endsWith('.d.ts') ? [path] : [];
    return info?.kind === 'directory' ? ofPackage(files, path) : [];
  });
  return (await Promise.all(lists)).flat();
}

/** The manifest says which; otherwise its index. */
async function ofPackage(files: Discovery['files'], folder: string): Promise<string[]> {
  const listed = await manifestOf(files, join(folder, 'package.json'));
  const there = await existing(
    files,
    listed.map((entry) => join(folder, entry)),
  );
  if (there.length > 0) return there;
  const [index] = await existing(files, [join(folder, 'index.ts'), join(folder, 'index.js')]);
  return index === undefined ? [] : [index];
}

async function manifestOf(files: Discovery['files'], path: string): Promise<string[]> {
  if ((await files.info(path))?.kind !== 'file') return [];
  try {
    const manifest: unknown = JSON.parse(new TextDecoder().decode(await files.read(path)));
    const own = isRecord(manifest) ? (manifest.parley ?? manifest.pi ?? manifest.omp) : undefined;
    const listed = isRecord(own) ? own.extensions : undefined;
    return Array.isArray(listed) ? listed.filter((entry) => typeof entry === 'string' && extname(entry) !== '') : [];
  } catch {
    return [];
  }
}

async function existing(files: Discovery['files'], paths: readonly string[]): Promise<string[]> {
  const kinds = await Promise.all(paths.map(async (path) => (await files.info(path))?.kind));
  return paths.filter((_, at) => kinds[at] === 'file');
}

/**
 * Whether one of them seems to say where sessions are kept. It is waited for then, and only then: a session begins at once
 * where no extension cares.
 */
export async function placesSessions(files: Discovery['files'], found: readonly Found[]): Promise<boolean> {
  const mentions = found.map(async ({ path }) =>
    new TextDecoder().decode(await files.read(path)).includes('session_directory'),
  );
  return (await Promise.all(mentions.map((one) => one.catch(() => false)))).includes(true);
}

export function explain(thrown: unknown): string {
  return `Failed to load extension: ${messageOf(thrown)}`;
}
