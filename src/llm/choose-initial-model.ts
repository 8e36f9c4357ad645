// Chooses the initial model from flags, settings or available keys.
import { Fault, getErrorMessage } from '../base/index.ts';
import type { Model } from '../protocol/index.ts';
import { chooseWithoutKey } from './choose-without-key.ts';
import type { Credentials } from './credentials/credentials.ts';
import { DEFAULT_MODELS, SELF_LISTING_PROVIDERS } from './default-models.ts';
import type { KnownModels } from './known-models.ts';
import { resolveModelScope, type ScopedModel } from './model-scope.ts';
import { offlineModel } from './offline/offline-model.ts';
import { findProvider } from './providers/providers.ts';
import { resolveRequestedModel } from './resolve-requested-model.ts';
import { findUniqueModel, type RequestedModel, type SelectedModel, selectModel } from './select-model.ts';

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
  /** Receives what is assumed about a model that is not in the list of its provider. */
  onAssumed(model: Model, notice: string | undefined): void;
  warn(sentence: string): void;
  /** Receives the reason when there is no model, or only the offline one. */
  explain(sentence: string): void;
}

/** The offline model never replaces a model that the user named. In that case the result is null or a Fault is thrown. */
export async function chooseInitialModel(options: InitialModelOptions): Promise<SelectedModel | null> {
  const { requested, preferred, apiKey, modelPatterns, credentials, warn } = options;
  if (requested.provider || requested.model) {
    const selected = await resolveNamedModel(options, requested);
    if (apiKey) credentials.useKey(selected.model.provider, apiKey);
    return selected;
  }
  if (apiKey) throw new Fault('config', 'Flag --api-key requires --provider or --model');
  if (modelPatterns) {
    const { scope, problems } = resolveModelScope(await options.listAvailable(), modelPatterns, offlineModel);
    problems.forEach(warn);
    if (scope[0]) return findPreferred(scope, preferred) ?? scope[0];
  }
  if (preferred.provider || preferred.model) {
    try {
      return await resolveNamedModel(options, preferred);
    } catch (thrown) {
      const reason = `The model named in the settings cannot be used: ${getErrorMessage(thrown)}`;
      warn(reason);
      options.explain(reason);
      return null;
    }
  }
  const first = await findFirstWithKey(options);
  if (first) return { model: first };
  if (modelPatterns?.length) {
    options.explain(`No usable model matches --models ${modelPatterns.join(',')}.`);
    return null;
  }
  const model = await chooseWithoutKey(options.env, await credentials.readSnapshot(), options.explain);
  return model && { model };
}

async function resolveNamedModel(options: InitialModelOptions, named: RequestedModel): Promise<SelectedModel> {
  const { knownModels, credentials, preferred, apiKey, onAssumed } = options;
  const { hasCredential } = await credentials.readSnapshot();
  const hasKeyOfUnknownProvider = apiKey !== undefined && !named.provider;
  const configuredProvider = preferred.provider;
  return resolveRequestedModel(
    { knownModels, hasCredential, configuredProvider, hasKeyOfUnknownProvider, onAssumed },
    named,
  );
}

/** The model that the settings name, if it is in the scope. */
function findPreferred(scope: readonly ScopedModel[], preferred: RequestedModel): ScopedModel | undefined {
  const models = scope.map(({ model }) => model);
  const found = preferred.model ? findUniqueModel(models, preferred) : undefined;
  return scope.find(({ model }) => model === found);
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
