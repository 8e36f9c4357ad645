// The hall: finds extensions, and knows where sessions are to be kept before anybody else must wait. Runs no code of others itself.
import type { Place } from '../../contracts/index.ts';
import type { ExtensionSystem } from '../../core/extension/index.ts';
import { homeDirectory } from '../home.ts';
import { discover, placesSessions } from './discover.ts';
import type { FrontOptions } from './options.ts';

interface LookOptions extends FrontOptions {
  paths: readonly string[];
  folders: readonly Place[];
  reload(): Promise<void>;
}

export interface Looked {
  readonly system: Promise<ExtensionSystem>;
  /** Settled at once where no extension seems to care; otherwise when they are loaded. */
  readonly sessionDirectory: Promise<string | undefined>;
}

export async function look({ paths, folders, ...options }: LookOptions): Promise<Looked> {
  const { ports, cwd, mayPlaceSessions } = options;
  const { files } = ports;
  const discovered = await discover({ files, folders, paths, cwd, home: homeDirectory() });
  const placed = mayPlaceSessions && (await placesSessions(files, discovered.found));
  const system = import('./load.ts').then(({ loadExtensions }) =>
    loadExtensions({ ...options, discovered, placesSessions: placed }),
  );
  // Whoever waits for the system hears of it.
  const directory = placed ? system.then((loaded) => loaded.sessionDirectory(cwd)) : undefined;
  return { system, sessionDirectory: Promise.resolve(directory).catch(() => undefined) };
}
