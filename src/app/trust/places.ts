// The hall: the folders in which Parley looks for what shapes it, each named once. Reads none of them.
import { dirname, join, relative } from 'node:path';
import type { Files, Place, Places, ResourceKind } from '../../contracts/index.ts';

/** The project's own folders, strongest first. Those of other programs are read because the formats are the same. */
const OWN_FOLDERS = ['.parley', '.pi', '.omp'] as const;

const KINDS: readonly ResourceKind[] = ['extensions', 'skills', 'prompts', 'rules', 'agents'];

const FILES = ['settings.json', 'mcp.json', 'SYSTEM.md', 'APPEND_SYSTEM.md'];

/** Beside `OWN_FOLDERS/kind`. */
const MORE_FOLDERS: Partial<Record<ResourceKind, readonly string[]>> = {
  rules: ['.cursor/rules', '.windsurf/rules', '.clinerules'],
  agents: ['.claude/agents'],
};

/** Skills that several programs share, from the working directory up to the root of the repository. */
const SHARED_SKILLS = '.agents/skills';

export interface PlacesOptions {
  readonly files: Pick<Files, 'info'>;
  readonly cwd: string;
  /** The user's own directory. */
  readonly agentDirectory: string;
  readonly home: string;
  readonly trusted: boolean;
}

export interface TrustablePlaces extends Places {
  /** From here on the project counts. Resolves when whatever can count at once does. */
  trust(): Promise<void>;
}

export function createPlaces({ files, cwd, agentDirectory, home, trusted }: PlacesOptions): TrustablePlaces {
  const listeners: (() => void | Promise<void>)[] = [];
  let isTrusted = trusted;
  const user = (name: string): Place => ({ path: join(agentDirectory, name), level: 'user' });
  return {
    get trusted() {
      return isTrusted;
    },
    async folders(kind) {
      const users = [user(kind), ...(kind === 'skills' ? [sharedAt(home)] : [])];
      if (!isTrusted) return users;
      const paths = await projectFolders(files, cwd, kind);
      return [...paths.map((path): Place => ({ path, level: 'project' })), ...users].filter(isFirst);
    },
    files(name) {
      const paths = isTrusted ? OWN_FOLDERS.map((folder) => join(cwd, folder, name)) : [];
      return [...paths.map((path): Place => ({ path, level: 'project' })), user(name)].filter(isFirst);
    },
    onTrust(act) {
      if (!isTrusted) listeners.push(act);
    },
    async trust() {
      if (isTrusted) return;
      isTrusted = true;
      await Promise.all(listeners.splice(0).map((act) => act()));
    },
  };
}

/** The home directory may itself be the project; what lies there is then named once. */
function isFirst(place: Place, at: number, all: readonly Place[]): boolean {
  return all.findIndex(({ path }) => path === place.path) === at;
}

function sharedAt(home: string): Place {
  return { path: join(home, SHARED_SKILLS), level: 'user' };
}

async function projectFolders(files: Pick<Files, 'info'>, cwd: string, kind: ResourceKind): Promise<string[]> {
  const own = [...OWN_FOLDERS.map((folder) => `${folder}/${kind}`), ...(MORE_FOLDERS[kind] ?? [])];
  const shared = kind === 'skills' ? (await upToRoot(files, cwd)).map((folder) => join(folder, SHARED_SKILLS)) : [];
  return [...own.map((folder) => join(cwd, folder)), ...shared];
}

/** The working directory and those above it, up to the root of the repository; only the first outside of one. */
async function upToRoot(files: Pick<Files, 'info'>, cwd: string): Promise<string[]> {
  const folders = [cwd];
  for (let at = cwd; ; at = dirname(at)) {
    if (at !== cwd) folders.push(at);
    if (await files.info(join(at, '.git')).catch(() => undefined)) return folders;
    if (dirname(at) === at) return [cwd];
  }
}

/** What there is, by its path from the working directory: files by name, folders as a whole. Empty: nothing to trust. */
export async function findConfiguration(files: Pick<Files, 'info'>, cwd: string): Promise<string[]> {
  const folders = (await Promise.all(KINDS.map((kind) => projectFolders(files, cwd, kind)))).flat();
  const single = OWN_FOLDERS.flatMap((folder) => FILES.map((name) => join(cwd, folder, name)));
  return present(files, cwd, [...single, ...folders]);
}

export async function present(files: Pick<Files, 'info'>, cwd: string, paths: readonly string[]): Promise<string[]> {
  const found = await Promise.all(
    paths.map(async (path) => ((await files.info(path, { follow: false }).catch(() => undefined)) ? path : undefined)),
  );
  return found.filter((path) => path !== undefined).map((path) => relative(cwd, path));
}
