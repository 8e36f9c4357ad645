// Finds the files of extensions in folders and packages. Runs no code.
import { isBuiltin } from 'node:module';
import { getErrorMessage } from '../base/index.ts';
import type { Files, ResourcePath } from '../contracts/index.ts';
import { resolveUserPath } from '../support/home-directory.ts';
import {
  findPackageEntries,
  listExtensionFolder,
  type PackageResources,
  readPackageResources,
} from './package-resources.ts';

export interface ExtensionFile {
  readonly path: string;
  readonly location: 'user' | 'project' | 'path';
  /** The directory of the package that was named. */
  readonly baseDir?: string | undefined;
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
  /** Skills and prompt templates of the packages that were named. */
  readonly resources: { readonly skills: readonly string[]; readonly templates: readonly string[] };
}

/** Returns the files in load order. A file that is reached through several links is returned once. */
export async function discoverExtensions(options: DiscoverOptions): Promise<DiscoveredExtensions> {
  const problems: { path: string; error: string }[] = [];
  const candidates: ExtensionFile[] = [];
  const resources = { skills: [] as string[], templates: [] as string[] };
  for (const { path, level } of options.folders) {
    for (const file of await listExtensionFolder(options.files, path)) candidates.push({ path: file, location: level });
  }
  for (const configuredPath of options.paths) {
    const path = resolveUserPath(configuredPath, options);
    const { extensions, skills, prompts, baseDir } = await resolveNamedPath(options.files, path);
    if ([extensions, skills, prompts].every(({ length }) => length === 0))
      problems.push({ path, error: 'Failed to load extension: no such file' });
    for (const file of extensions) candidates.push({ path: file, location: 'path', baseDir });
    resources.skills.push(...skills);
    resources.templates.push(...prompts);
  }
  const realPaths = new Set<string>();
  const found: ExtensionFile[] = [];
  for (const candidate of candidates) {
    const real = await options.files.realPath(candidate.path);
    if (!realPaths.has(real)) found.push(candidate);
    realPaths.add(real);
  }
  return { found, problems, resources };
}

/** The path may be a file, a package, or a folder of extensions. */
async function resolveNamedPath(files: DiscoverOptions['files'], path: string): Promise<NamedResources> {
  const info = await files.info(path);
  if (info?.kind === 'file') return { ...NO_RESOURCES, extensions: [path] };
  if (info?.kind !== 'directory') return NO_RESOURCES;
  const resources = await readPackageResources(files, path, true);
  if (resources?.isListed || resources?.extensions.length) return { ...resources, baseDir: path };
  const entries = await findPackageEntries(files, path);
  const extensions = entries.length > 0 ? entries : await listExtensionFolder(files, path);
  return resources ? { ...resources, extensions, baseDir: path } : { ...NO_RESOURCES, extensions };
}

type NamedResources = Omit<PackageResources, 'isListed'> & { readonly baseDir?: string };

const NO_RESOURCES: NamedResources = { extensions: [], skills: [], prompts: [] };

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
