// The hall: from files to extensions that run. The only place that turns code of others into something alive.

import { createJiti } from 'jiti';
import { Fault } from '../../base/index.ts';
import type { ExtensionFactory, ExtensionSource } from '../../contracts/index.ts';
import { ExtensionSystem } from '../../core/extension/index.ts';
import { catalogued } from '../../llm/catalogue.ts';
import { PROVIDERS } from '../../llm/providers/providers.ts';
import type { Model } from '../../protocol/index.ts';
import { guardForeignCode } from '../../transports/index.ts';
import { compatibleModules } from './compat/modules.ts';
import { apiOf } from './compat/stream-api.ts';
import { type Discovered, explain, type Found } from './discover.ts';
import type { FrontOptions } from './options.ts';

interface LoadOptions extends FrontOptions {
  discovered: Discovered;
  /** One of them seems to say where sessions are kept. */
  placesSessions: boolean;
  reload(): Promise<void>;
}

export async function loadExtensions(options: LoadOptions): Promise<ExtensionSystem> {
  const { ports, models, warn, reload, hookTimeoutMs, uiTimeoutMs, flags = {}, mode = 'sdk' } = options;
  const { found, problems } = options.discovered;
  guardForeignCode();
  const modules = compatibleModules({ ...options, known: found.length > 0 ? await knownModels() : [] });
  const extras = { pi: modules['@mariozechner/pi-coding-agent'], typebox: modules.typebox, logger: loggerOf(options) };
  const system = new ExtensionSystem({
    ports,
    models,
    mode,
    hookTimeoutMs,
    uiTimeoutMs,
    flags,
    extras,
    apiOf: (provider) => apiOf(provider, ports.clock),
    warn,
    reload,
  });
  const missing = problems.map(({ path, error }) => ({ path, location: 'path' as const, open: () => refuse(error) }));
  const sources = found.length > 0 ? await opened(found, modules, options) : [];
  await system.load([...missing, ...sources]);
  if (options.mayPlaceSessions && !options.placesSessions && system.hears('session_directory')) warn(TOO_LATE);
  return system;
}

const TOO_LATE =
  'An extension answers session_directory, but not in its first file, so it was not waited for. Name the event there, or use --session-dir.';

async function opened(
  found: readonly Found[],
  virtualModules: Record<string, unknown>,
  { agentDirectory, ports, places }: LoadOptions,
): Promise<ExtensionSource[]> {
  const cache = `${agentDirectory}/cache/extensions`;
  await ports.files.makeDirectory(cache, { mode: 0o700 }).catch(() => {});
  const jiti = createJiti(`${agentDirectory}/extensions/`, {
    // Compiled once for each state of a file. What runs is always fresh, so that a reload sees changes.
    fsCache: cache,
    moduleCache: false,
    virtualModules,
    tryNative: false,
  });
  return found.map(({ path, location }) => ({
    path,
    location,
    async open() {
      if (location !== 'user') await places.verifyCode(path);
      const factory = await jiti.import(path, { default: true }).catch((thrown: unknown) => refuse(explain(thrown)));
      if (typeof factory === 'function') return factory as ExtensionFactory;
      return refuse(`Extension does not export a valid factory function: ${path}`);
    },
  }));
}

/** Extensions look them up without waiting. */
async function knownModels(): Promise<Model[]> {
  return (await Promise.all(PROVIDERS.map((provider) => catalogued(provider, provider.baseUrl)))).flat();
}

async function refuse(sentence: string): Promise<never> {
  throw new Fault('config', sentence);
}

/** Goes to the diagnostic log, when there is one. */
function loggerOf({ ports }: FrontOptions) {
  const at = (level: string) => (message: unknown, facts?: unknown) =>
    ports.log('extension says', { level, message: String(message), ...(facts === undefined ? {} : { facts }) });
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
