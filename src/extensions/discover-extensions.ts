// Finds the files of extensions in folders and packages. Runs no code.
import { isBuiltin } from 'node:module';
import { extname, join } from 'node:path';
import { getErrorMessage, isRecord } from '../base/index.ts';
import type { Files, ResourcePath } from '../contracts/index.ts';
import { resolveUserPath } from '../support/home-directory.ts';

export interface ExtensionFile {
  readonly path: string;
  readonly location: 'user' | 'project' | 'path';
}

export interface DiscoverOptions {
  readonly files: Pick<Files, 'info' | 'list' | 'read' | 'realPath'>;
  readonly folders: readonly ResourcePath[];
  /** Named in settings or flags. A path that does not exist is reported as a problem. */
  readonly paths: readonly string[];
  readonly cwd: string;
  readonly home: string;
}

export interface DiscoveredExtensions {
  readonly found: readonly ExtensionFile[];
  readonly problems: readonly { readonly path: string; readonly error: string }[];
}

const CODE_FILE = /\.(ts|js|mts|mjs|cts|cjs)$/;

/** Returns the files in load order. A file that is reached through several links is returned once. */
export async function discoverExtensions(options: DiscoverOptions): Promise<DiscoveredExtensions> {
  const problems: { path: string; error: string }[] = [];
  const candidates: ExtensionFile[] = [];
  for (const { path, level } of options.folders) {
    for (const file of await listExtensionFolder(options.files, path)) candidates.push({ path: file, location: level });
  }
  for (const configuredPath of options.paths) {
    const path = resolveUserPath(configuredPath, options);
    const files = await resolveNamedPath(options.files, path);
    if (files.length === 0) problems.push({ path, error: 'Failed to load extension: no such file' });
    for (const file of files) candidates.push({ path: file, location: 'path' });
  }
  const realPaths = new Set<string>();
  const found: ExtensionFile[] = [];
  for (const candidate of candidates) {
    const real = await options.files.realPath(candidate.path);
    if (!realPaths.has(real)) found.push(candidate);
    realPaths.add(real);
  }
  return { found, problems };
}

/** The path may be a file, a package, or a folder of extensions. */
async function resolveNamedPath(files: DiscoverOptions['files'], path: string): Promise<string[]> {
  const info = await files.info(path);
  if (info?.kind === 'file') return [path];
  if (info?.kind !== 'directory') return [];
  const entries = await findPackageEntries(files, path);
  return entries.length > 0 ? entries : listExtensionFolder(files, path);
}

/** Files, and packages one level down. Sorted, because handlers are called in load order. */
async function listExtensionFolder(files: DiscoverOptions['files'], folder: string): Promise<string[]> {
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
async function findPackageEntries(files: DiscoverOptions['files'], folder: string): Promise<string[]> {
  const listed = await readManifestEntries(files, join(folder, 'package.json'));
  const existing = await filterExistingFiles(
    files,
    listed.map((entry) => join(folder, entry)),
  );
  if (existing.length > 0) return existing;
  const [index] = await filterExistingFiles(files, [join(folder, 'index.ts'), join(folder, 'index.js')]);
  return index === undefined ? [] : [index];
}

async function readManifestEntries(files: DiscoverOptions['files'], path: string): Promise<string[]> {
  if ((await files.info(path))?.kind !== 'file') return [];
  try {
    const manifest: unknown = JSON.parse(new TextDecoder().decode(await files.read(path)));
    const section = isRecord(manifest) ? (manifest.parley ?? manifest.pi ?? manifest.omp) : undefined;
    const listed = isRecord(section) ? section.extensions : undefined;
    return Array.isArray(listed) ? listed.filter((entry) => typeof entry === 'string' && extname(entry) !== '') : [];
  } catch {
    return [];
  }
}

async function filterExistingFiles(files: DiscoverOptions['files'], paths: readonly string[]): Promise<string[]> {
  const kinds = await Promise.all(paths.map(async (path) => (await files.info(path))?.kind));
  return paths.filter((_, at) => kinds[at] === 'file');
}

/**
 * Whether an extension may set the session directory. Only then does the session wait until extensions are loaded; otherwise it
 * starts at once.
 */
export async function mentionsSessionDirectory(files: ReadFiles, found: readonly ExtensionFile[]): Promise<boolean> {
  return (await readEntryFiles(files, found)).some((text) => text.includes('session_directory'));
}

/** Whether an extension mentions TypeBox or pi-ai, which exports it, or imports other code, which may. */
export async function mayUseTypebox(files: ReadFiles, found: readonly ExtensionFile[]): Promise<boolean> {
  return (await readEntryFiles(files, found)).some(
    (text) =>
      /typebox|pi-ai/.test(text) || [...text.matchAll(SPECIFIER)].some(([, name = '']) => mayImportTypebox(name)),
  );
}

const SPECIFIER = /\b(?:from|import|require) ?\(?["'`]([^"'`\n]{1,200})/g;

function mayImportTypebox(specifier: string): boolean {
  return !isBuiltin(specifier) && !/^(?:parley-agent|@[\w-]+\/pi-(?:coding-agent|tui|agent-core))$/.test(specifier);
}

type ReadFiles = DiscoverOptions['files'];

async function readEntryFiles(files: ReadFiles, found: readonly ExtensionFile[]): Promise<string[]> {
  return Promise.all(
    found.map(({ path }) =>
      files.read(path).then(
        (bytes) => new TextDecoder().decode(bytes),
        () => '',
      ),
    ),
  );
}

export function formatLoadError(thrown: unknown): string {
  return `Failed to load extension: ${getErrorMessage(thrown)}`;
}
