// Finds the files and folders named in a project's settings, and the extensions that would be loaded. Runs no code.
import { resolve } from 'node:path';
import { isRecord } from '../base/index.ts';
import type { Files } from '../contracts/index.ts';
import { discoverExtensions } from '../extensions/discover-extensions.ts';
import { flattenSettings } from '../settings/index.ts';
import { resolveUserPath } from '../support/home-directory.ts';
import { parseJsonc } from '../support/jsonc.ts';
import { isInside } from '../support/path-checks.ts';
import { findProjectFolders, listProjectSettingsFiles } from './search-paths.ts';

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
    for (const { key, value } of flattenSettings(await readSettingsRecord(files, file))) {
      const listed = PATH_LIST_KEYS.has(key) ? [value].flat().filter((path) => typeof path === 'string') : [];
      paths.push(...listed.map((path) => resolveUserPath(path, { cwd, home })));
      if (key === 'extensions') extensions.push(...listed);
      // A shell outside the project is not part of it.
      if (key === 'shellPath' && typeof value === 'string' && isInside(cwd, resolve(cwd, value))) {
        if (value.includes('/')) paths.push(resolve(cwd, value));
      }
    }
  }
  const folders = await filterExistingDirectories(files, await findProjectFolders(files, cwd, 'extensions'));
  const directories = folders.map((path) => ({ path, level: 'project' as const }));
  const { found } = await discoverExtensions({ files, folders: directories, paths: extensions, cwd, home });
  return { paths, extensions: found.map(({ path }) => path) };
}

/** Empty when the file is invalid, because it is then ignored. */
async function readSettingsRecord(files: ReadonlyFiles, file: string): Promise<Record<string, unknown>> {
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
