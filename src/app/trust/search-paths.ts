// The paths of a project's settings, extensions, skills, rules and agents, each declared once. Reads no file.
import { dirname, join, relative } from 'node:path';
import type { Files, ResourceKind } from '../../contracts/index.ts';
import { othersDecide } from '../../core/resources/own-files.ts';

/** The project's own folders, strongest first. Those of other programs are read because the formats are the same. */
export const OWN_FOLDERS = ['.parley', '.pi', '.omp'] as const;

const KINDS: readonly ResourceKind[] = ['extensions', 'skills', 'prompts', 'rules', 'agents'];

const FILES = ['settings.json', 'mcp.json', 'SYSTEM.md', 'APPEND_SYSTEM.md'];

/** Beside `OWN_FOLDERS/kind`. */
const MORE_FOLDERS: Partial<Record<ResourceKind, readonly string[]>> = {
  rules: ['.cursor/rules', '.windsurf/rules', '.clinerules'],
  agents: ['.claude/agents'],
};

/** Skills that several programs share, from the working directory up to the root of the repository. */
export const SHARED_SKILLS = '.agents/skills';

export async function projectFolders(files: Looking, cwd: string, kind: ResourceKind): Promise<string[]> {
  const own = [...OWN_FOLDERS.map((folder) => `${folder}/${kind}`), ...(MORE_FOLDERS[kind] ?? [])];
  const shared = kind === 'skills' ? await sharedRoots(files, cwd) : [];
  return [...own.map((folder) => join(cwd, folder)), ...shared];
}

/** The folders below the working directory in which everything is the project's configuration. */
export function ownRoots(cwd: string): string[] {
  return [...OWN_FOLDERS, ...Object.values(MORE_FOLDERS).flat()].map((folder) => join(cwd, folder));
}

/** Of skills that several programs share. They need not exist. */
export async function sharedRoots(files: Looking, cwd: string): Promise<string[]> {
  return (await upToRoot(files, cwd)).map((folder) => join(folder, SHARED_SKILLS));
}

export function settingsFiles(cwd: string): string[] {
  return OWN_FOLDERS.map((folder) => join(cwd, folder, 'settings.json'));
}

type Looking = Pick<Files, 'info' | 'userId'>;

/**
 * The working directory and those above it, up to the root of the repository; only the first outside of one. No further than
 * other users decide what is there: they could make a repository of a directory above.
 */
async function upToRoot(files: Looking, cwd: string): Promise<string[]> {
  const folders = [cwd];
  const look = (path: string) => files.info(path).catch(() => undefined);
  for (let at = cwd; ; at = dirname(at)) {
    const info = at === cwd ? undefined : await look(at);
    if (info && othersDecide(info, files.userId)) return [cwd];
    if (at !== cwd) folders.push(at);
    if (await look(join(at, '.git'))) return folders;
    if (dirname(at) === at) return [cwd];
  }
}

/** What there is, by its path from the working directory: files by name, folders as a whole. Empty: nothing to trust. */
export async function findConfiguration(files: Looking, cwd: string): Promise<string[]> {
  const folders = (await Promise.all(KINDS.map((kind) => projectFolders(files, cwd, kind)))).flat();
  const single = OWN_FOLDERS.flatMap((folder) => FILES.map((name) => join(cwd, folder, name)));
  return present(files, cwd, [...single, ...folders]);
}

export async function present(files: Looking, cwd: string, paths: readonly string[]): Promise<string[]> {
  const found = await Promise.all(
    paths.map(async (path) => ((await files.info(path, { follow: false }).catch(() => undefined)) ? path : undefined)),
  );
  return found.filter((path) => path !== undefined).map((path) => relative(cwd, path));
}
