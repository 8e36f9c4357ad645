// Finds and reads settings, extensions, skills, rules and agents: the user's, and the project's once it is trusted.
import { join } from 'node:path';
import type { Files, ResourceLocator, ResourcePath } from '../contracts/index.ts';
import type { Inventory } from './inventory.ts';
import type { ProjectReader } from './project-reader.ts';
import { CONFIG_FOLDERS, findProjectFolders, listProjectMcpFiles, SHARED_SKILLS_FOLDER } from './search-paths.ts';

export interface ResourceLocatorOptions {
  readonly files: Pick<Files, 'info' | 'list' | 'read' | 'realPath' | 'userId'>;
  readonly cwd: string;
  /** The user's Parley directory. */
  readonly agentDirectory: string;
  readonly home: string;
  /** There are no files of the user or the project. */
  readonly isBare?: boolean | undefined;
  readonly trusted: boolean;
  /** The files that were trusted, if known. A file that is not in it, or differs, is not used. */
  readonly inventory?: Inventory | undefined;
  /** Called with one sentence for each file of a trusted project that is not used. */
  report?(sentence: string): void;
}

export interface TrustableResourceLocator extends ResourceLocator {
  /** Trusts the project from now on. Resolves when all `onTrusted` listeners are done. */
  trust(inventory?: Inventory): Promise<void>;
}

export function createResourceLocator(options: ResourceLocatorOptions): TrustableResourceLocator {
  const { files, cwd, agentDirectory, home } = options;
  const listeners: (() => void | Promise<void>)[] = [];
  let isTrusted = options.trusted;
  let { inventory } = options;
  let reader: Promise<ProjectReader> | undefined;
  const reported = new Set<string>();
  const report = (sentence: string) => {
    if (!reported.has(sentence)) options.report?.(sentence);
    reported.add(sentence);
  };
  const openReader = () => {
    reader ??= import('./project-reader.ts').then(({ createProjectReader }) =>
      createProjectReader({ files, cwd, agentDirectory, home, inventory, report }),
    );
    return reader;
  };
  const toUserPath = (name: string): ResourcePath => ({ path: join(agentDirectory, name), level: 'user' });
  const listProjectThenUser = (projectPaths: readonly string[], userName: string): ResourcePath[] => {
    if (options.isBare) return [];
    const paths = isTrusted ? projectPaths : [];
    const found = [...paths.map((path): ResourcePath => ({ path, level: 'project' })), toUserPath(userName)];
    return found.filter(isFirstWithPath);
  };
  return {
    get isTrusted() {
      return isTrusted;
    },
    async listDirectories(kind) {
      if (options.isBare) return [];
      const userPaths = [toUserPath(kind), ...(kind === 'skills' ? [createSharedSkillsPath(home)] : [])];
      if (!isTrusted) return userPaths;
      const paths = await findProjectFolders(files, cwd, kind);
      return [...paths.map((path): ResourcePath => ({ path, level: 'project' })), ...userPaths].filter(isFirstWithPath);
    },
    listFiles: (name) =>
      listProjectThenUser(
        CONFIG_FOLDERS.map((folder) => join(cwd, folder, name)),
        name,
      ),
    listMcpFiles: () => listProjectThenUser(listProjectMcpFiles(cwd), 'mcp.json'),
    reader: {
      info: async (path, infoOptions) => (isTrusted ? await openReader() : files).info(path, infoOptions),
      list: async (path) => (isTrusted ? await openReader() : files).list(path),
      read: async (path, range) => (isTrusted ? await openReader() : files).read(path, range),
    },
    async verifyCode(path) {
      if (isTrusted && inventory) await (await openReader()).verifyCode(path);
    },
    onTrusted(listener) {
      if (!isTrusted) listeners.push(listener);
    },
    async trust(trustedInventory) {
      if (isTrusted) return;
      isTrusted = true;
      inventory = trustedInventory;
      await Promise.all(listeners.splice(0).map((listener) => listener()));
    },
  };
}

/** If the home directory is the project, its paths would otherwise be listed twice. */
function isFirstWithPath(entry: ResourcePath, at: number, all: readonly ResourcePath[]): boolean {
  return all.findIndex(({ path }) => path === entry.path) === at;
}

function createSharedSkillsPath(home: string): ResourcePath {
  return { path: join(home, SHARED_SKILLS_FOLDER), level: 'user' };
}
