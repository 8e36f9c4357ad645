// Chooses the initial model from flags, settings or available keys.
import { Fault, getErrorMessage } from '../base/index.ts';
import type { Model } from '../protocol/index.ts';
import { chooseWithoutKey } from './choose-without-key.ts';
import type { Credentials } from './credentials/credentials.ts';
import { DEFAULT_MODELS, SELF_LISTING_PROVIDERS } from './default-models.ts';
import type { KnownModels } from './known-models.ts';
import { resolveModelScope } from './model-scope.ts';
import { offlineModel } from './offline/offline-model.ts';
import { findProvider } from './providers/providers.ts';
import { type RequestedModel, selectModel } from './select-model.ts';

export interface InitialModelOptions {
  knownModels: KnownModels;
  credentials: Credentials;
  /** From flags. The model they name is used; otherwise the choice fails. */
  requested: RequestedModel;
  /** From settings. The model they name is used; otherwise the user is warned. */
  preferred: RequestedModel;
  apiKey: string | undefined;
  modelPatterns: readonly string[] | undefined;
  env: Readonly<Record<string, string | undefined>>;
  listAvailable(): Promise<readonly Model[]>;
  isApiSupported(model: Model): boolean;
  warn(sentence: string): void;
  /** Receives the reason when there is no model, or only the offline one. */
  explain(sentence: string): void;
}

/** The offline model never replaces a model that the user named. In that case the result is null or a Fault is thrown. */
export async function chooseInitialModel(options: InitialModelOptions): Promise<Model | null> {
  const { requested, preferred, apiKey, modelPatterns, credentials, warn } = options;
  if (requested.provider || requested.model) {
    const model = await resolveRequestedModel(options, requested);
    if (apiKey) credentials.useKey(model.provider, apiKey);
    return model;
  }
  if (apiKey) throw new Fault('config', 'Flag --api-key requires --provider or --model');
  if (modelPatterns) {
    const usable = await options.listAvailable();
    const scope = resolveModelScope(usable, modelPatterns, offlineModel);
    for (const pattern of modelPatterns.filter((each) => resolveModelScope(usable, [each], offlineModel).length === 0))
      warn(`No usable model matches --models ${pattern}. List the usable models with --list-models`);
    if (scope[0]) return (preferred.model && trySelectModel(scope, preferred)) || scope[0];
  }
  if (preferred.provider || preferred.model) {
    try {
      return await resolveRequestedModel(options, preferred);
    } catch (thrown) {
      const reason = `The model named in the settings cannot be used: ${getErrorMessage(thrown)}`;
      warn(reason);
      options.explain(reason);
      return null;
    }
  }
  const first = await findFirstWithKey(options);
  if (first) return first;
  if (modelPatterns?.length) {
    options.explain(`No usable model matches --models ${modelPatterns.join(',')}.`);
    return null;
  }
  return chooseWithoutKey(options.env, await credentials.readSnapshot(), options.explain);
}

async function resolveRequestedModel(
  { knownModels, credentials }: InitialModelOptions,
  requested: RequestedModel,
): Promise<Model> {
  const exact = await findByExactName(knownModels, requested);
  if (exact) return exact;
  const { hasCredential } = await credentials.readSnapshot();
  const provider = requested.provider && (await findProviderId(knownModels, requested.provider));
  const models = provider
    ? await knownModels.listModels(provider)
    : [...(await knownModels.listModelsOf(createProviderFilter(requested.model ?? ''))), offlineModel];
  const server = provider ? findProvider(provider) : undefined;
  if (server?.keyless && models.length === 0) throw new Fault('no_model', `${server.name} has no models yet`);
  return selectModel(models, requested, (model) => hasCredential(model.provider));
}

/** Finds an exact `provider/id` by listing the models of that provider only. */
async function findByExactName(
  knownModels: KnownModels,
  { provider, model = '' }: RequestedModel,
): Promise<Model | undefined> {
  const [owner = '', ...rest] = provider ? [provider, model] : model.split('/');
  const knownProvider = findProvider(owner);
  if (!knownProvider || knownProvider.keyless || rest.join('/') === '') return undefined;
  return (await knownModels.listModels(owner).catch(() => [])).find(({ id }) => id === rest.join('/'));
}

/** Servers without a key are asked for their models only when the user names them. */
function createProviderFilter(model: string): (provider: string) => boolean {
  return (id) => !findProvider(id)?.keyless || model.toLowerCase().startsWith(`${id}/`);
}

async function findProviderId(knownModels: KnownModels, requestedId: string): Promise<string> {
  const names = await knownModels.listProviders();
  return (
    names.find((id) => id === requestedId) ??
    names.find((id) => id.toLowerCase() === requestedId.toLowerCase()) ??
    requestedId
  );
}

function trySelectModel(models: readonly Model[], requested: RequestedModel): Model | undefined {
  try {
    return selectModel(models, requested);
  } catch {
    return undefined;
  }
}

async function findFirstWithKey({
  knownModels,
  credentials,
  isApiSupported,
}: InitialModelOptions): Promise<Model | undefined> {
  const { hasCredential, modelsFileProviders } = await credentials.readSnapshot();
  const customProviders = modelsFileProviders.filter((id) => !findProvider(id));
  for (const provider of [...DEFAULT_MODELS.keys(), ...SELF_LISTING_PROVIDERS, ...customProviders].filter(
    hasCredential,
  )) {
    const models = (await knownModels.listModelsOf((id) => id === provider)).filter(isApiSupported);
    if (models.length > 0) return selectModel(models, { provider });
  }
  return undefined;
}
