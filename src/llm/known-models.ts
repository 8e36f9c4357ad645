// Lists the models of the catalogue, of models.json and of model servers. Does not read keys itself.
import { Fault, getErrorMessage, getOwnValue } from '../base/index.ts';
import type { Clock } from '../contracts/index.ts';
import type { Model } from '../protocol/index.ts';
import { type AssumedModel, deriveModel } from './assume-model.ts';
import { loadCatalogueModels } from './catalogue.ts';
import { applyModelOverride, buildCustomModels } from './custom-models.ts';
import type { CustomProviderRegistry } from './custom-provider-registry.ts';
import type { CustomProvider } from './models-file.ts';
import { offlineModel } from './offline/offline-model.ts';
import { resolveBaseUrl } from './providers/base-url.ts';
import { findProvider, PROVIDERS, type Provider } from './providers/providers.ts';
import type { ModelListPorts } from './providers/server-models.ts';

export interface KnownModels {
  /** The models of one provider. Model servers are asked over HTTP; an error is thrown. */
  listModels(provider: string): Promise<Model[]>;
  /** Models of the accepted providers, in the order of the provider table, then models.json. A provider that fails is warned about and skipped. */
  listModelsOf(isIncluded: (provider: string) => boolean): Promise<Model[]>;
  /** Provider ids in the same order. */
  listProviders(): Promise<readonly string[]>;
  /** A model of a known provider that is not in its list; `undefined` for an unknown provider. Its limits are assumed. */
  assumeModel(provider: string, id: string): Promise<AssumedModel | undefined>;
}

export interface KnownModelsOptions {
  customProviders: CustomProviderRegistry;
  env: Readonly<Record<string, string | undefined>>;
  fetch: typeof fetch;
  clock: Pick<Clock, 'after' | 'now'>;
  getKey(provider: string): Promise<string | undefined>;
  /** The base URL that a login defines for its provider. */
  getBaseUrl(provider: string): Promise<string | undefined>;
  warn(sentence: string): void;
}

const CACHE_TTL_MS = 10 * 60_000;

export function createKnownModels(options: KnownModelsOptions): KnownModels {
  const { customProviders, env, warn } = options;
  const warned = new Set<string>();
  const warnOnce = (sentence: string) => {
    if (!warned.has(sentence)) warn(sentence);
    warned.add(sentence);
  };
  const fetchCachedModels = createModelListCache(options.clock);

  async function findEndpoint(provider: Provider, entry: CustomProvider | undefined): Promise<Provider> {
    const loginBaseUrl = await options.getBaseUrl(provider.id);
    return { ...provider, ...resolveEndpoint(provider, loginBaseUrl ?? entry?.baseUrl, entry, env) };
  }

  async function listModels(id: string): Promise<Model[]> {
    if (id === offlineModel.provider) return [offlineModel];
    const entry = (await customProviders.read()).providers.get(id);
    const provider = findProvider(id);
    if (!provider) return entry ? buildCustomModels(id, entry, { api: '', baseUrl: '' }) : [];
    // Get the key first: refreshing a login can change the base URL. Without a key the server would reject the request.
    if (provider.listFormat === 'copilot' && (await getOptionalKey(options, id)) === undefined) return [];
    const endpoint = await findEndpoint(provider, entry);
    return listProviderModels(endpoint, entry, options, provider.keyless ? fetchServerModels : fetchCachedModels);
  }

  async function assumeModel(id: string, modelId: string): Promise<AssumedModel | undefined> {
    const provider = findProvider(id);
    const entry = (await customProviders.read()).providers.get(id);
    if (modelId === '' || !(provider ?? entry)) return undefined;
    const models = await listModels(id);
    // The plan of the user decides which models exist.
    if (provider?.listFormat === 'copilot' && models.length === 0) return undefined;
    const endpoint = provider ? await findEndpoint(provider, entry) : models[0];
    if (!endpoint) return undefined;
    return deriveModel({ provider: id, id: modelId, endpoint, models, entry, path: customProviders.path });
  }

  async function listProviders(): Promise<string[]> {
    return [...new Set([...PROVIDERS.map(({ id }) => id), ...(await customProviders.read()).providers.keys()])];
  }

  return {
    listModels,
    listProviders,
    assumeModel,
    async listModelsOf(isIncluded) {
      const lists = await Promise.all(
        (await listProviders()).filter(isIncluded).map((id) =>
          listModels(id).catch((thrown: unknown) => {
            warnOnce(getErrorMessage(thrown));
            return [];
          }),
        ),
      );
      return lists.flat();
    },
  };
}

function getOptionalKey({ getKey }: KnownModelsOptions, id: string): Promise<string | undefined> {
  return getKey(id).catch((thrown: unknown) => {
    if (thrown instanceof Fault && thrown.code === 'no_credentials') return undefined;
    throw thrown;
  });
}

/** Environment variables override models.json, as they do for keys. */
function resolveEndpoint(
  provider: Provider,
  baseUrl: string | undefined,
  entry: CustomProvider | undefined,
  env: KnownModelsOptions['env'],
) {
  const resolved = resolveBaseUrl({ ...provider, baseUrl: baseUrl ?? provider.baseUrl }, env);
  return { baseUrl: resolved, api: entry?.api ?? provider.api };
}

async function listProviderModels(
  provider: Provider,
  entry: CustomProvider | undefined,
  { fetch, clock, getKey }: KnownModelsOptions,
  fetchModels: typeof fetchServerModels,
): Promise<Model[]> {
  const customModels = buildCustomModels(provider.id, entry ?? {}, provider);
  const shouldFetch = (provider.keyless || provider.listFormat) && customModels.length === 0;
  const listed = shouldFetch
    ? await fetchModels(provider, { fetch, clock, apiKey: await getKey(provider.id) })
    : await loadCatalogueModels(provider, provider.baseUrl);
  const customIds = new Set(customModels.map(({ id }) => id));
  const others = listed
    .filter(({ id }) => !customIds.has(id))
    .map((model) => {
      const override = getOwnValue(entry?.modelOverrides ?? {}, model.id);
      return override ? applyModelOverride(model, override) : model;
    });
  return [...others, ...customModels];
}

async function fetchServerModels(provider: Provider, ports: ModelListPorts): Promise<Model[]> {
  if (provider.listFormat === 'copilot') {
    const { listCopilotModels } = await import('./providers/copilot-models.ts');
    return listCopilotModels(provider, ports);
  }
  const { listServerModels } = await import('./providers/server-models.ts');
  return listServerModels(provider, ports);
}

/** Caches the model lists of remote providers. Failures are not cached. */
function createModelListCache(clock: KnownModelsOptions['clock']): typeof fetchServerModels {
  const lists = new Map<string, { until: number; models: Promise<Model[]> }>();
  return (provider, ports) => {
    const cacheKey = `${provider.baseUrl} ${ports.apiKey}`;
    const now = clock.now();
    const cached = lists.get(cacheKey);
    if (cached && now < cached.until) return cached.models;
    const models = fetchServerModels(provider, ports);
    lists.clear();
    lists.set(cacheKey, { until: now + CACHE_TTL_MS, models });
    models.catch(() => lists.delete(cacheKey));
    return models;
  };
}
