// Finds and lists models. Loaded only when there are several to choose from.
import type { ModelRegistry } from '../contracts/index.ts';
import type { Model } from '../protocol/index.ts';
import { chooseInitialModel } from './choose-initial-model.ts';
import { createKnownModels } from './known-models.ts';
import { resolveModelScope, type ScopedModel } from './model-scope.ts';
import type { ModelLookupOptions } from './models-options.ts';
import { offlineModel } from './offline/offline-model.ts';
import { PROVIDERS } from './providers/providers.ts';
import type { RequestAuth } from './request-auth.ts';
import { findUniqueModel, type RequestedModel, type SelectedModel } from './select-model.ts';

export interface ModelLookup
  extends Pick<ModelRegistry, 'find' | 'listAvailable'>,
    Required<Pick<ModelRegistry, 'listKnown'>> {
  chooseInitial(preferred?: RequestedModel): Promise<SelectedModel | null>;
  findByName(name: string): Promise<Model | undefined>;
  listScoped(): Promise<readonly ScopedModel[] | undefined>;
}

export function createModelLookup(
  options: ModelLookupOptions,
  { customProviders, credentials }: RequestAuth,
): ModelLookup {
  const { apis, env, ports, requested = {}, apiKey, modelPatterns, explain, onAssumed, warn = () => {} } = options;
  const { fetch, clock } = ports;
  const { getKey, getBaseUrl } = credentials;
  const knownModels = createKnownModels({ fetch, clock, customProviders, env, getKey, getBaseUrl, warn });
  let { preferred = {} } = options;
  const isApiSupported = ({ api }: Model) => Object.hasOwn(apis, api);

  async function listAvailable(): Promise<readonly Model[]> {
    const { hasCredential, modelsFileProviders } = await credentials.readSnapshot();
    const servers = listServers(modelsFileProviders, [requested.provider, preferred.provider], env);
    const models = await knownModels.listModelsOf((id) => hasCredential(id) || servers.includes(id));
    const usable = models.filter((model) => isApiSupported(model) && model.baseUrl !== '');
    return usable.length > 0 ? usable : [offlineModel];
  }

  return {
    listAvailable,
    async listKnown() {
      const { listKnownModels } = await import('./list-known.ts');
      const snapshot = await credentials.readSnapshot();
      const servers = listServers(snapshot.modelsFileProviders, [requested.provider, preferred.provider], env);
      return listKnownModels({ knownModels, credentials: snapshot, servers, isApiSupported });
    },
    chooseInitial(settingsModel = preferred) {
      preferred = settingsModel;
      const requestOptions = { requested, preferred, apiKey, modelPatterns, env };
      return chooseInitialModel({
        ...requestOptions,
        knownModels,
        credentials,
        listAvailable,
        isApiSupported,
        onAssumed,
        explain,
        warn,
      });
    },
    async find(provider, modelId) {
      const models = await knownModels.listModels(provider);
      const known = models.find(({ id }) => id === modelId);
      if (known) return known;
      const assumed = await knownModels.assumeModel(provider, modelId);
      if (assumed) onAssumed(assumed.model, assumed.notice);
      return assumed?.model;
    },
    async findByName(name) {
      const usable = await listAvailable();
      const { hasCredential } = await credentials.readSnapshot();
      return findUniqueModel(usable, { model: name }, { hasCredential, provider: preferred.provider });
    },
    async listScoped() {
      if (!modelPatterns || modelPatterns.length === 0) return undefined;
      return resolveModelScope(await listAvailable(), modelPatterns, offlineModel).scope;
    },
  };
}

/** Local model servers need no key, but are contacted only when flags, settings or environment name them. */
function listServers(
  modelsFileProviders: readonly string[],
  named: readonly (string | undefined)[],
  env: ModelLookupOptions['env'],
): string[] {
  const namedProviders = named.map((name) => name?.toLowerCase());
  return PROVIDERS.filter(
    ({ id, keyless, baseUrlEnv: variable }) =>
      keyless && (namedProviders.includes(id) || modelsFileProviders.includes(id) || (variable && env[variable])),
  ).map(({ id }) => id);
}
