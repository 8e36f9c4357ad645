// Where settings, extensions, skills, rules and agents are searched for and how they are read: the user's, and the project's once it is trusted.
import { join } from 'node:path';
import type { Files, Place, Places } from '../../contracts/index.ts';
import type { Inventory } from './inventory.ts';
import type { ProjectReading } from './project-reading.ts';
import { OWN_FOLDERS, projectFolders, SHARED_SKILLS } from './search-paths.ts';

export { findConfiguration } from './search-paths.ts';

export interface PlacesOptions {
  readonly files: Pick<Files, 'info' | 'list' | 'read' | 'resolve' | 'userId'>;
  readonly cwd: string;
  /** The user's own directory. */
  readonly agentDirectory: string;
  readonly home: string;
  readonly trusted: boolean;
  /** What was trusted, when that is known: a file that is not in it, or not the same, is not used. */
  readonly inventory?: Inventory | undefined;
  /** Gets one sentence for each file of a trusted project that is not used. */
  report?(sentence: string): void;
}

export interface TrustablePlaces extends Places {
  /** From here on the project counts. Resolves when whatever can count at once does. */
  trust(inventory?: Inventory): Promise<void>;
}

export function createPlaces(options: PlacesOptions): TrustablePlaces {
  const { files, cwd, agentDirectory, home } = options;
  const listeners: (() => void | Promise<void>)[] = [];
  let isTrusted = options.trusted;
  let { inventory } = options;
  let opened: Promise<ProjectReading> | undefined;
  const reported = new Set<string>();
  const report = (sentence: string) => {
    if (!reported.has(sentence)) options.report?.(sentence);
    reported.add(sentence);
  };
  const checked = () => {
    opened ??= import('./project-reading.ts').then(({ createProjectReading }) =>
      createProjectReading({ files, cwd, agentDirectory, home, inventory, report }),
    );
    return opened;
  };
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
    reading: {
      info: async (path, how) => (isTrusted ? await checked() : files).info(path, how),
      list: async (path) => (isTrusted ? await checked() : files).list(path),
      read: async (path, range) => (isTrusted ? await checked() : files).read(path, range),
    },
    async verifyCode(path) {
      if (isTrusted && inventory) await (await checked()).verifyCode(path);
    },
    onTrust(act) {
      if (!isTrusted) listeners.push(act);
    },
    async trust(seen) {
      if (isTrusted) return;
      isTrusted = true;
      inventory = seen;
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
