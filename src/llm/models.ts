// The model registry: chooses and lists models, and streams requests through the API of their model.
import { Fault } from '../base/index.ts';
import type { ModelRegistry } from '../contracts/index.ts';
import type { Model, ThinkingLevel } from '../protocol/index.ts';
import type { ApiLoader } from './api-loaders.ts';
import { chooseWithoutKey } from './choose-without-key.ts';
import type { Credentials } from './credentials/credentials.ts';
import { findReferencedVariables } from './credentials/referenced-variables.ts';
import { DEFAULT_MODELS, SELF_LISTING_PROVIDERS } from './default-models.ts';
import { supportsFastMode } from './fast-mode.ts';
import { createLazyApiLoader, createUnknownApiFault, GuardedStream } from './guarded-stream.ts';
import type { ModelLookup } from './model-lookup.ts';
import type { ModelLookupOptions, ModelsOptions } from './models-options.ts';
import { OFFLINE_API, offlineModel } from './offline/offline-model.ts';
import { findProvider } from './providers/providers.ts';
import { createRequestAuth, type RequestAuth } from './request-auth.ts';

type ApiLoaders = Record<string, ApiLoader>;

export function createModels(options: ModelsOptions): ModelRegistry & { readonly credentials: Credentials } {
  const { requested = {}, apiKey } = options;
  /** Registered APIs are added. */
  const apis: ApiLoaders = { ...options.apis };
  const requestAuth = createRequestAuth(options);
  const { credentials } = requestAuth;
  const notes: ChoiceNotes = { assumptions: new Map() };
  // Set before the first lookup, because a model server may require the key to list its models.
  for (const name of new Set([requested.provider, requested.provider?.toLowerCase()])) {
    if (name && apiKey) credentials.useKey(name, apiKey);
  }
  return {
    credentials,
    get missingReason() {
      return notes.missingReason;
    },
    get initialThinkingLevel() {
      return notes.thinkingLevel;
    },
    isFallbackProvider: (provider) => provider === offlineModel.provider,
    supportsFastMode,
    isAssumed: (model) => notes.assumptions.has(getModelKey(model)),
    takeAssumptionNotice(model) {
      const notice = notes.assumptions.get(getModelKey(model));
      // Kept with an empty text, so that the notice is shown once.
      if (notice) notes.assumptions.set(getModelKey(model), '');
      return notice || undefined;
    },
    ...createLazyLookup(options, apis, requestAuth, notes),
    ...createStreamOpener(options, apis, requestAuth),
    checkImage: async (model, image) => (await import('./image-limits.ts')).findImageProblem(model, image),
    // Providers without a key throw here.
    getApiKey: (provider) => credentials.getKey(provider).catch(() => undefined),
    ...createProviderRegistration(options, apis, requestAuth),
  };
}

/** What is known about the choice of models besides the models themselves. */
interface ChoiceNotes {
  missingReason?: string | undefined;
  thinkingLevel?: ThinkingLevel | undefined;
  /** Notices about models that are not in the list of their provider; empty when shown or not needed. */
  readonly assumptions: Map<string, string>;
}

function getModelKey({ provider, id }: Model): string {
  return `${provider}/${id}`;
}

type LookupMembers =
  | 'chooseInitial'
  | 'find'
  | 'listKnown'
  | 'listAvailable'
  | 'listScoped'
  | 'findByName'
  | 'findScopedLevel';

/** Loads the lookup when it is needed first. Base URLs of the returned models are redacted. */
function createLazyLookup(
  options: ModelsOptions,
  apis: ApiLoaders,
  requestAuth: RequestAuth,
  notes: ChoiceNotes,
): Pick<ModelRegistry, LookupMembers> {
  const { redactBaseUrl } = requestAuth.baseUrls;
  const explain = (reason: string | undefined) => {
    notes.missingReason = reason;
  };
  const onAssumed = (model: Model, notice = '') => {
    if (!notes.assumptions.has(getModelKey(model))) notes.assumptions.set(getModelKey(model), notice);
  };
  let lookup: Promise<ModelLookup> | undefined;
  const getLookup = () => {
    lookup ??= import('./model-lookup.ts').then(({ createModelLookup }) =>
      createModelLookup({ ...options, apis, explain, onAssumed }, requestAuth),
    );
    return lookup;
  };
  return {
    async chooseInitial(preferred = options.preferred) {
      explain(undefined);
      const lookupOptions = { ...options, preferred, explain };
      const defaultModel = await chooseByAvailableKey(lookupOptions, requestAuth.credentials);
      const selected =
        defaultModel === undefined
          ? await (await getLookup()).chooseInitial(preferred)
          : defaultModel && { model: defaultModel };
      notes.thinkingLevel = selected?.thinkingLevel;
      return selected && redactBaseUrl(selected.model);
    },
    async find(provider, modelId) {
      const model = await (await getLookup()).find(provider, modelId);
      return model && redactBaseUrl(model);
    },
    async findByName(name) {
      const model = await (await getLookup()).findByName(name);
      return model && redactBaseUrl(model);
    },
    listAvailable: async () => Promise.all((await (await getLookup()).listAvailable()).map(redactBaseUrl)),
    listKnown: async () => (await getLookup()).listKnown(),
    async listScoped() {
      const scope = await (await getLookup()).listScoped();
      return scope && Promise.all(scope.map(({ model }) => redactBaseUrl(model)));
    },
    async findScopedLevel({ provider, id }) {
      const scope = await (await getLookup()).listScoped();
      return scope?.find(({ model }) => model.provider === provider && model.id === id)?.thinkingLevel;
    },
  };
}

function createStreamOpener(
  { ports }: ModelsOptions,
  apis: ApiLoaders,
  requestAuth: RequestAuth,
): Pick<ModelRegistry, 'requireCredentials' | 'stream'> {
  const { credentials, baseUrls } = requestAuth;
  const loadApi = createLazyApiLoader(apis);
  return {
    async requireCredentials(redactedModel) {
      const model = baseUrls.restoreBaseUrl(redactedModel);
      if (!Object.hasOwn(apis, model.api)) throw createUnknownApiFault(model);
      if (model.api === OFFLINE_API) return;
      if (model.baseUrl === '') throw createMissingBaseUrlFault(model);
      await credentials.getKey(model.provider);
      // Runs while the prompt is written to disk, which takes longer.
      loadApi(model).catch(() => {});
      ports.sendHttp.preload?.(model.baseUrl);
    },
    stream(request) {
      const open = async () => {
        const model = baseUrls.restoreBaseUrl(request.model);
        const authorized = model.api === OFFLINE_API ? request : requestAuth.authorize({ ...request, model });
        const [api, apiRequest] = await Promise.all([loadApi(model), authorized]);
        return api.stream(apiRequest);
      };
      const advice = () => credentials.getKeyAdvice(request.model.provider);
      return new GuardedStream(request, open, ports.clock, { secrets: requestAuth.secrets, getKeyAdvice: advice });
    },
  };
}

function createProviderRegistration(
  { env, withhold = () => {} }: ModelsOptions,
  apis: ApiLoaders,
  { customProviders }: RequestAuth,
): Pick<ModelRegistry, 'register' | 'unregister'> {
  let registeredCount = 0;
  return {
    register(name, description, api) {
      for (const variable of findReferencedVariables(JSON.stringify(description), Object.keys(env))) withhold(variable);
      if (!api) return customProviders.add(name, description);
      // A new API name for each registration, because the lazy loader caches APIs by name.
      const apiName = `extension:${name}:${++registeredCount}`;
      apis[apiName] = async () => api;
      const models = Array.isArray(description.models) ? description.models : [];
      customProviders.add(name, {
        baseUrl: apiName,
        ...description,
        api: apiName,
        models: models.map((m) => ({ ...m, api: apiName })),
      });
    },
    unregister: (name) => customProviders.remove(name),
  };
}

/**
 * Chooses by available keys when neither flags nor settings name a model. Most program starts take this path, so it does
 * not load the catalogue. Returns undefined when the full lookup is needed, for example for providers of models.json.
 */
async function chooseByAvailableKey(
  options: Omit<ModelLookupOptions, 'onAssumed'>,
  credentials: Credentials,
): Promise<Model | null | undefined> {
  const { apis, env, requested = {}, preferred = {}, apiKey, modelPatterns } = options;
  const requests = [
    requested.provider,
    requested.model,
    preferred.provider,
    preferred.model,
    apiKey,
    modelPatterns?.[0],
  ];
  if (requests.some(Boolean)) return undefined;
  const current = await credentials.readSnapshot();
  const { hasCredential, modelsFileProviders } = current;
  const provider = [...DEFAULT_MODELS.keys(), ...SELF_LISTING_PROVIDERS, ...modelsFileProviders].find(hasCredential);
  if (provider === undefined) return chooseWithoutKey(env, current, options.explain);
  if (modelsFileProviders.length > 0) return undefined;
  const { chooseDefaultModel } = await import('./choose-default-model.ts');
  return chooseDefaultModel(provider, env, ({ api }) => Object.hasOwn(apis, api));
}

function createMissingBaseUrlFault({ provider }: Model): Fault {
  const variable = findProvider(provider)?.baseUrlEnv;
  return new Fault('no_credentials', `No base URL for ${provider}.${variable ? ` Set ${variable}.` : ''}`);
}
