// Finds extensions and starts loading them. Checks first whether an extension may set the session directory.

import type { ResourcePath } from '../contracts/index.ts';
import type { ExtensionSystem } from '../core/extension/index.ts';
import { homeDirectory } from '../support/home-directory.ts';
import { type DiscoveredExtensions, discoverExtensions, mentionsSessionDirectory } from './discover-extensions.ts';
import type { ExtensionHostOptions } from './extension-options.ts';

interface DiscoverAndLoadOptions extends ExtensionHostOptions {
  paths: readonly string[];
  folders: readonly ResourcePath[];
  reload(): Promise<void>;
}

export interface ExtensionsLoading {
  readonly system: Promise<ExtensionSystem>;
  /** Resolves at once if no extension mentions `session_directory`, otherwise when extensions are loaded. */
  readonly sessionDirectory: Promise<string | undefined>;
  /** Of the packages that were named. */
  readonly resources: DiscoveredExtensions['resources'];
}

export async function discoverAndLoad({
  paths,
  folders,
  ...options
}: DiscoverAndLoadOptions): Promise<ExtensionsLoading> {
  const { ports, cwd, canSetSessionDirectory } = options;
  const { files } = ports;
  const discovered = await discoverExtensions({ files, folders, paths, cwd, home: homeDirectory() });
  const awaitsSessionDirectory = canSetSessionDirectory && (await mentionsSessionDirectory(files, discovered.found));
  const system = import('./load-extensions.ts').then(({ loadExtensions }) =>
    loadExtensions({ ...options, discovered, mentionsSessionDirectory: awaitsSessionDirectory }),
  );
  // A load error is reported by `system`, so it is ignored for the directory.
  const directory = awaitsSessionDirectory ? system.then((loaded) => loaded.resolveSessionDirectory(cwd)) : undefined;
  return {
    system,
    sessionDirectory: Promise.resolve(directory).catch(() => undefined),
    resources: discovered.resources,
  };
}
