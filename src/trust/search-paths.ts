// The paths of a project's settings, extensions, skills, rules, agents and MCP servers. Checks which exist; does not read them.
import { dirname, join, relative } from 'node:path';
import type { Files, ResourceKind } from '../contracts/index.ts';
import { findOwnershipProblem } from '../support/path-checks.ts';

/** Configuration folders of a project, highest precedence first. Those of pi and oh-my-pi use the same formats. */
export const CONFIG_FOLDERS = ['.parley', '.pi', '.omp'] as const;

const RESOURCE_KINDS: readonly ResourceKind[] = ['extensions', 'skills', 'prompts', 'rules', 'agents'];

const MCP_FILE = 'mcp.json';

const CONFIG_FILES = ['settings.json', MCP_FILE, 'SYSTEM.md', 'APPEND_SYSTEM.md'];

/** The file with MCP servers that several programs share. */
const SHARED_MCP_FILE = '.mcp.json';

/** In addition to the folder `kind` in each of CONFIG_FOLDERS. */
const EXTRA_FOLDERS: Partial<Record<ResourceKind, readonly string[]>> = {
  rules: ['.cursor/rules', '.windsurf/rules', '.clinerules'],
  agents: ['.claude/agents'],
};

/** Skills shared by several programs. Searched from the working directory up to the root of the repository. */
export const SHARED_SKILLS_FOLDER = '.agents/skills';

export async function findProjectFolders(files: InfoFiles, cwd: string, kind: ResourceKind): Promise<string[]> {
  const configFolders = [...CONFIG_FOLDERS.map((folder) => `${folder}/${kind}`), ...(EXTRA_FOLDERS[kind] ?? [])];
  const shared = kind === 'skills' ? await findSharedSkillFolders(files, cwd) : [];
  return [...configFolders.map((folder) => join(cwd, folder)), ...shared];
}

/** The folders and files in the working directory that are only configuration of the project. */
export function listConfigRoots(cwd: string): string[] {
  return [...CONFIG_FOLDERS, ...Object.values(EXTRA_FOLDERS).flat(), SHARED_MCP_FILE].map((path) => join(cwd, path));
}

/** The project's files with MCP servers, highest precedence first. They may not exist. */
export function listProjectMcpFiles(cwd: string): string[] {
  return [...CONFIG_FOLDERS.map((folder) => join(cwd, folder, MCP_FILE)), join(cwd, SHARED_MCP_FILE)];
}

/** Folders of shared skills. They may not exist. */
export async function findSharedSkillFolders(files: InfoFiles, cwd: string): Promise<string[]> {
  return (await findFoldersUpToRepository(files, cwd)).map((folder) => join(folder, SHARED_SKILLS_FOLDER));
}

export function listProjectSettingsFiles(cwd: string): string[] {
  return CONFIG_FOLDERS.map((folder) => join(cwd, folder, 'settings.json'));
}

type InfoFiles = Pick<Files, 'info' | 'userId'>;

/**
 * The working directory and its parents up to the root of the repository. Only the working directory if there is no repository, or
 * if another user can write to one of the parents: that user could create a repository there.
 */
async function findFoldersUpToRepository(files: InfoFiles, cwd: string): Promise<string[]> {
  const folders = [cwd];
  const readInfo = (path: string) => files.info(path).catch(() => undefined);
  for (let directory = cwd; ; directory = dirname(directory)) {
    const info = directory === cwd ? undefined : await readInfo(directory);
    if (info && findOwnershipProblem(info, files.userId)) return [cwd];
    if (directory !== cwd) folders.push(directory);
    if (await readInfo(join(directory, '.git'))) return folders;
    if (dirname(directory) === directory) return [cwd];
  }
}

/** Existing files and folders, as paths relative to the working directory. Empty: nothing to trust. */
export async function findProjectConfiguration(files: InfoFiles, cwd: string): Promise<string[]> {
  const folders = (await Promise.all(RESOURCE_KINDS.map((kind) => findProjectFolders(files, cwd, kind)))).flat();
  const configFiles = CONFIG_FOLDERS.flatMap((folder) => CONFIG_FILES.map((name) => join(cwd, folder, name)));
  return filterExisting(files, cwd, [...configFiles, join(cwd, SHARED_MCP_FILE), ...folders]);
}

export async function filterExisting(files: InfoFiles, cwd: string, paths: readonly string[]): Promise<string[]> {
  const found = await Promise.all(
    paths.map(async (path) => ((await files.info(path, { follow: false }).catch(() => undefined)) ? path : undefined)),
  );
  return found.filter((path) => path !== undefined).map((path) => relative(cwd, path));
}
