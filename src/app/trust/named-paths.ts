// Files and folders that a project's settings name, and the extensions that would be loaded. Reads settings files only.
import { resolve } from 'node:path';
import { isRecord } from '../../base/index.ts';
import type { Files } from '../../contracts/index.ts';
import { isInside } from '../../core/resources/own-files.ts';
import { discover } from '../extensions/discover.ts';
import { pathFrom } from '../home.ts';
import { flattened } from '../settings-keys.ts';
import { parseSettings } from '../settings-text.ts';
import { projectFolders, settingsFiles } from './search-paths.ts';

type Reading = Pick<Files, 'info' | 'list' | 'read' | 'resolve'>;

const LISTS = new Set(['extensions', 'skills', 'prompts']);

export interface NamedPaths {
  /** Absolute. They need not exist. */
  readonly paths: readonly string[];
  /** The files of all extensions of the project. */
  readonly extensions: readonly string[];
}

export async function findNamed(files: Reading, cwd: string, home: string): Promise<NamedPaths> {
  const paths: string[] = [];
  const extensions: string[] = [];
  for (const file of settingsFiles(cwd)) {
    for (const { key, value } of flattened(await recordIn(files, file))) {
      const listed = LISTS.has(key) ? [value].flat().filter((path) => typeof path === 'string') : [];
      paths.push(...listed.map((path) => pathFrom(path, { cwd, home })));
      if (key === 'extensions') extensions.push(...listed);
      // A shell that lies elsewhere is not the project's.
      if (key === 'shellPath' && typeof value === 'string' && isInside(cwd, resolve(cwd, value))) {
        if (value.includes('/')) paths.push(resolve(cwd, value));
      }
    }
  }
  const folders = await existing(files, await projectFolders(files, cwd, 'extensions'));
  const places = folders.map((path) => ({ path, level: 'project' as const }));
  const { found } = await discover({ files, folders: places, paths: extensions, cwd, home });
  return { paths, extensions: found.map(({ path }) => path) };
}

/** Empty when the file cannot be understood: nothing of it counts then. */
async function recordIn(files: Reading, file: string): Promise<Record<string, unknown>> {
  try {
    if ((await files.info(file))?.kind !== 'file') return {};
    const parsed = await parseSettings(new TextDecoder().decode(await files.read(file)));
    return isRecord(parsed) ? parsed : {};
  } catch {
    return {};
  }
}

async function existing(files: Reading, folders: readonly string[]): Promise<string[]> {
  const kinds = await Promise.all(folders.map(async (path) => (await files.info(path))?.kind));
  return folders.filter((_, at) => kinds[at] === 'directory');
}
