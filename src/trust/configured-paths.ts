// Finds the files and folders named in a project's settings, the extensions that would be loaded, and the files of its MCP servers.
// Runs no code.
import { resolve } from 'node:path';
import { isRecord } from '../base/index.ts';
import type { Files } from '../contracts/index.ts';
import { discoverExtensions } from '../extensions/discover-extensions.ts';
import { flattenSettings } from '../settings/index.ts';
import { resolveUserPath } from '../support/home-directory.ts';
import { parseJsonc } from '../support/jsonc.ts';
import { isInside } from '../support/path-checks.ts';
import { findProjectFolders, listProjectMcpFiles, listProjectSettingsFiles } from './search-paths.ts';

type ReadonlyFiles = Pick<Files, 'info' | 'list' | 'read' | 'realPath'>;

const PATH_LIST_KEYS = new Set(['extensions', 'skills', 'prompts']);

export interface ConfiguredPaths {
  /** Absolute paths. They may not exist. */
  readonly paths: readonly string[];
  /** The files of all extensions of the project. */
  readonly extensions: readonly string[];
}

export async function findConfiguredPaths(files: ReadonlyFiles, cwd: string, home: string): Promise<ConfiguredPaths> {
  const paths: string[] = [];
  const extensions: string[] = [];
  for (const file of listProjectSettingsFiles(cwd)) {
    for (const { key, value } of flattenSettings(await readRecord(files, file))) {
      const listed = PATH_LIST_KEYS.has(key) ? [value].flat().filter((path) => typeof path === 'string') : [];
      paths.push(...listed.map((path) => resolveUserPath(path, { cwd, home })));
      if (key === 'extensions') extensions.push(...listed);
      // A shell outside the project is not part of it.
      if (key === 'shellPath' && typeof value === 'string' && isInside(cwd, resolve(cwd, value))) {
        if (value.includes('/')) paths.push(resolve(cwd, value));
      }
    }
  }
  for (const file of listProjectMcpFiles(cwd)) paths.push(...(await findServerFiles(files, cwd, file)));
  const folders = await filterExistingDirectories(files, await findProjectFolders(files, cwd, 'extensions'));
  const directories = folders.map((path) => ({ path, level: 'project' as const }));
  const { found } = await discoverExtensions({ files, folders: directories, paths: extensions, cwd, home });
  return { paths, extensions: found.map(({ path }) => path) };
}

/** The files inside the project that its MCP servers name as program or argument: they are code that a server runs. */
async function findServerFiles(files: ReadonlyFiles, cwd: string, file: string): Promise<string[]> {
  const record = await readRecord(files, file);
  // The two names that the parser of the definitions accepts.
  const servers = record.mcpServers ?? record.servers;
  if (!isRecord(servers)) return [];
  const found: string[] = [];
  for (const server of Object.values(servers)) {
    if (!isRecord(server)) continue;
    const directory = typeof server.cwd === 'string' ? resolve(cwd, server.cwd) : cwd;
    for (const word of [server.command, server.args].flat()) {
      const path = typeof word === 'string' && word !== '' ? resolve(directory, word) : cwd;
      // Not folders: the project itself may be an argument.
      if (isInside(cwd, path) && (await files.info(path).catch(() => undefined))?.kind === 'file') found.push(path);
    }
  }
  return found;
}

/** Empty when the file is invalid, because it is then ignored. */
async function readRecord(files: ReadonlyFiles, file: string): Promise<Record<string, unknown>> {
  try {
    if ((await files.info(file))?.kind !== 'file') return {};
    const parsed = await parseJsonc(new TextDecoder().decode(await files.read(file)));
    return isRecord(parsed) ? parsed : {};
  } catch {
    return {};
  }
}

async function filterExistingDirectories(files: ReadonlyFiles, folders: readonly string[]): Promise<string[]> {
  const kinds = await Promise.all(folders.map(async (path) => (await files.info(path))?.kind));
  return folders.filter((_, at) => kinds[at] === 'directory');
}
