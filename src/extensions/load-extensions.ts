// Loads extension files with jiti and creates the extension system. The only module that runs foreign code.

import { createJiti } from 'jiti';
import { Fault } from '../base/index.ts';
import type { ExtensionFactory, ExtensionSource } from '../contracts/index.ts';
import { ExtensionSystem } from '../core/extension/index.ts';
import { loadCatalogueModels } from '../llm/catalogue.ts';
import { PROVIDERS } from '../llm/providers/providers.ts';
import type { Model } from '../protocol/index.ts';
import { builtinTools } from '../tools/index.ts';
import { guardForeignCode } from '../transports/index.ts';
import { createCompatibleModules } from './compat/compatible-modules.ts';
import { createExtensionApi } from './compat/stream-functions.ts';
import { loadTypebox } from './compat/typebox.ts';
import {
  type DiscoveredExtensions,
  type ExtensionFile,
  formatLoadError,
  mayUseTypebox,
} from './discover-extensions.ts';
import type { ExtensionHostOptions } from './extension-options.ts';

interface LoadExtensionsOptions extends ExtensionHostOptions {
  discovered: DiscoveredExtensions;
  /** Whether an entry file mentions `session_directory`. */
  mentionsSessionDirectory: boolean;
  reload(): Promise<void>;
}

export async function loadExtensions(options: LoadExtensionsOptions): Promise<ExtensionSystem> {
  const { ports, models, warn, reload, hookTimeoutMs, uiTimeoutMs, flags = {}, mode = 'sdk' } = options;
  const { found, problems } = options.discovered;
  guardForeignCode();
  const typebox = (await mayUseTypebox(ports.files, found)) ? await loadTypebox() : undefined;
  const catalogueModels = found.length > 0 ? await listCatalogueModels() : [];
  const modules = createCompatibleModules({ ...options, catalogueModels, typebox });
  const extras = {
    pi: modules['@mariozechner/pi-coding-agent'],
    typebox: modules.typebox,
    logger: createExtensionLogger(options),
  };
  const system = new ExtensionSystem({
    ports,
    models,
    mode,
    hookTimeoutMs,
    uiTimeoutMs,
    flags,
    extras,
    builtinToolNames: [...builtinTools.map(({ name }) => name), 'ask', 'task', 'tasks', 'todo_write'],
    createModelApi: (provider) => createExtensionApi(provider, ports.clock),
    warn,
    reload,
  });
  const missing = problems.map(({ path, error }) => ({
    path,
    location: 'path' as const,
    load: () => rejectWithFault(error),
  }));
  const sources = found.length > 0 ? await createExtensionSources(found, modules, options) : [];
  await system.load([...missing, ...sources]);
  if (options.canSetSessionDirectory && !options.mentionsSessionDirectory && system.hasHandler('session_directory'))
    warn(SESSION_DIRECTORY_TOO_LATE);
  return system;
}

const SESSION_DIRECTORY_TOO_LATE =
  'An extension handles session_directory, but its entry file does not mention the event, so the session was created before the extension was loaded. Register the handler in the entry file, or use --session-dir.';

async function createExtensionSources(
  found: readonly ExtensionFile[],
  virtualModules: Record<string, unknown>,
  { agentDirectory, ports, resourceLocator }: LoadExtensionsOptions,
): Promise<ExtensionSource[]> {
  const cache = `${agentDirectory}/cache/extensions`;
  await ports.files.makeDirectory(cache, { mode: 0o700 }).catch(() => {});
  const jiti = createJiti(`${agentDirectory}/extensions/`, {
    // Compiled code is cached for each version of a file. Modules are not cached, so that a reload sees changes.
    fsCache: cache,
    moduleCache: false,
    virtualModules,
    tryNative: false,
  });
  return found.map(({ path, location, baseDir }) => ({
    path,
    location,
    baseDir,
    async load() {
      if (location !== 'user') await resourceLocator.verifyCode(path);
      const factory = await jiti
        .import(path, { default: true })
        .catch((thrown: unknown) => rejectWithFault(formatLoadError(thrown)));
      if (typeof factory === 'function') return factory as ExtensionFactory;
      return rejectWithFault(`Extension does not export a valid factory function: ${path}`);
    },
  }));
}

/** Loaded in advance, because extensions look models up synchronously. */
async function listCatalogueModels(): Promise<Model[]> {
  return (await Promise.all(PROVIDERS.map((provider) => loadCatalogueModels(provider, provider.baseUrl)))).flat();
}

async function rejectWithFault(sentence: string): Promise<never> {
  throw new Fault('config', sentence);
}

/** Writes to the diagnostic log, if there is one. */
function createExtensionLogger({ ports }: ExtensionHostOptions) {
  const createLogFunction = (level: string) => (message: unknown, facts?: unknown) =>
    ports.log('extension log', { level, message: String(message), ...(facts === undefined ? {} : { facts }) });
  return {
    debug: createLogFunction('debug'),
    info: createLogFunction('info'),
    warn: createLogFunction('warn'),
    error: createLogFunction('error'),
  };
}
