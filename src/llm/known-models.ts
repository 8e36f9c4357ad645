// First floor, llm: which models there are: of the catalogue, of models.json, of the user's own servers. Knows no keys.
import { Fault, messageOf, ownValue } from '../base/index.ts';
import type { Clock } from '../contracts/index.ts';
import type { Model } from '../protocol/index.ts';
import { catalogued } from './catalogue.ts';
import { describedModels, redescribed } from './custom-described.ts';
import type { CustomProvider } from './custom-file.ts';
import type { CustomModels } from './custom-models.ts';
import { offlineModel } from './offline/model.ts';
import { baseUrlOf } from './providers/base-url.ts';
import { findProvider, PROVIDERS, type Provider } from './providers/providers.ts';
import type { ServerPorts } from './providers/server-models.ts';

export interface KnownModels {
  /** What a provider has. A server of the user's own is asked, and what goes wrong then is thrown. */
  of(provider: string): Promise<Model[]>;
  /** Of these providers, in the order of our table and then of models.json. Who fails is warned about and left out. */
  ofAll(wanted: (provider: string) => boolean): Promise<Model[]>;
  /** Their ids, in the same order. */
  providers(): Promise<readonly string[]>;
}

export interface KnownModelsOptions {
  custom: CustomModels;
  env: Readonly<Record<string, string | undefined>>;
  fetch: typeof fetch;
  clock: Pick<Clock, 'after' | 'now'>;
  key(provider: string): Promise<string | undefined>;
  /** Where a login says that its provider is. */
  address(provider: string): Promise<string | undefined>;
  warn(sentence: string): void;
}

const REMEMBERED_MS = 10 * 60_000;

export function createKnownModels(options: KnownModelsOptions): KnownModels {
  const { custom, env, warn } = options;
  const warned = new Set<string>();
  const warnOnce = (sentence: string) => {
    if (!warned.has(sentence)) warn(sentence);
    warned.add(sentence);
  };

  const keyOf = (id: string) =>
    options.key(id).catch((thrown: unknown) => {
      if (thrown instanceof Fault && thrown.code === 'no_credentials') return undefined;
      throw thrown;
    });

  const askOnce = remembering(options.clock);

  async function of(id: string): Promise<Model[]> {
    if (id === offlineModel.provider) return [offlineModel];
    const entry = (await custom.read()).providers.get(id);
    const provider = findProvider(id);
    if (!provider) return entry ? describedModels(id, entry, { api: '', baseUrl: '' }) : [];
    // The key first: renewing a login may move its address. Without one there is nobody to ask.
    if (provider.lists === 'copilot' && (await keyOf(id)) === undefined) return [];
    const address = await options.address(id);
    const found = { ...provider, ...whereabouts(provider, address ?? entry?.baseUrl, entry, env) };
    return ofProvider(found, entry, options, provider.keyless ? askServer : askOnce);
  }

  async function providers(): Promise<string[]> {
    return [...new Set([...PROVIDERS.map(({ id }) => id), ...(await custom.read()).providers.keys()])];
  }

  return {
    of,
    providers,
    async ofAll(wanted) {
      const lists = await Promise.all(
        (await providers()).filter(wanted).map((id) =>
          of(id).catch((thrown: unknown) => {
            warnOnce(messageOf(thrown));
            return [];
          }),
        ),
      );
      return lists.flat();
    },
  };
}

/** The environment comes before models.json, as with keys. */
function whereabouts(
  provider: Provider,
  address: string | undefined,
  entry: CustomProvider | undefined,
  env: KnownModelsOptions['env'],
) {
  const baseUrl = baseUrlOf({ ...provider, baseUrl: address ?? provider.baseUrl }, env);
  return { baseUrl, api: entry?.api ?? provider.api };
}

async function ofProvider(
  provider: Provider,
  entry: CustomProvider | undefined,
  { fetch, clock, key }: KnownModelsOptions,
  ask: typeof askServer,
): Promise<Model[]> {
  const own = describedModels(provider.id, entry ?? {}, provider);
  const asked = (provider.keyless || provider.lists) && own.length === 0;
  const built = asked
    ? await ask(provider, { fetch, clock, apiKey: await key(provider.id) })
    : await catalogued(provider, provider.baseUrl);
  const named = new Set(own.map(({ id }) => id));
  const rest = built
    .filter(({ id }) => !named.has(id))
    .map((model) => {
      const by = ownValue(entry?.modelOverrides ?? {}, model.id);
      return by ? redescribed(model, by) : model;
    });
  return [...rest, ...own];
}

async function askServer(provider: Provider, ports: ServerPorts): Promise<Model[]> {
  if (provider.lists === 'copilot') {
    const { listCopilotModels } = await import('./providers/copilot-models.ts');
    return listCopilotModels(provider, ports);
  }
  const { listServerModels } = await import('./providers/server-models.ts');
  return listServerModels(provider, ports);
}

/** Somebody far away need not be asked anew for every look at the list. What went wrong is not remembered. */
function remembering(clock: KnownModelsOptions['clock']): typeof askServer {
  const lists = new Map<string, { until: number; models: Promise<Model[]> }>();
  return (provider, ports) => {
    const door = `${provider.baseUrl} ${ports.apiKey}`;
    const now = clock.now();
    const known = lists.get(door);
    if (known && now < known.until) return known.models;
    const models = askServer(provider, ports);
    lists.clear();
    lists.set(door, { until: now + REMEMBERED_MS, models });
    models.catch(() => lists.delete(door));
    return models;
  };
}
