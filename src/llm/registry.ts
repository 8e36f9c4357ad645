// First floor, llm: which models there are and how each is reached. The road from a request to the API that answers it.
import { Fault } from '../base/index.ts';
import type { Models } from '../contracts/index.ts';
import type { Model } from '../protocol/index.ts';
import type { Choices } from './choices.ts';
import type { Credentials } from './credentials/credentials.ts';
import { variablesNamedIn } from './credentials/named-variables.ts';
import { ASKED_PROVIDERS, DEFAULT_MODELS } from './defaults.ts';
import { createDoors } from './doors.ts';
import { OFFLINE_API, offlineModel } from './offline/model.ts';
import { findProvider } from './providers/providers.ts';
import type { ExplainedOptions, ModelsOptions } from './registry-options.ts';
import { GuardedStream, lazily, unknownApi } from './streaming.ts';
import { withoutKey } from './without-key.ts';

export function createModels(options: ModelsOptions): Models & { readonly credentials: Credentials } {
  const { ports, env, asked = {}, apiKey, withhold = () => {} } = options;
  const apis = { ...options.apis };
  const doors = createDoors(options);
  const { credentials, addresses } = doors;
  const load = lazily(apis);
  let registered = 0;
  let loading: Promise<Choices> | undefined;
  let absence: string | undefined;
  const explain = (sentence: string) => {
    absence = sentence;
  };
  const choices = () => {
    loading ??= import('./choices.ts').then(({ createChoices }) => createChoices({ ...options, apis, explain }, doors));
    return loading;
  };
  // Before anything is asked for, because a server of one's own may list its models for a key only.
  for (const name of new Set([asked.provider, asked.provider?.toLowerCase()])) {
    if (name && apiKey) credentials.use(name, apiKey);
  }
  return {
    credentials,
    get absence() {
      return absence;
    },
    async initial(preferred = options.preferred) {
      absence = undefined;
      const quick = await unasked({ ...options, preferred, explain }, credentials);
      const model = quick === undefined ? await (await choices()).initial(preferred) : quick;
      return model && addresses.published(model);
    },
    isStandIn: (provider) => provider === offlineModel.provider,
    async find(provider, modelId) {
      const model = await (await choices()).find(provider, modelId);
      return model && addresses.published(model);
    },
    available: async () => Promise.all((await (await choices()).available()).map(addresses.published)),
    async scope() {
      const models = await (await choices()).scope();
      return models && Promise.all(models.map(addresses.published));
    },
    async ready(published) {
      const model = addresses.reached(published);
      if (!Object.hasOwn(apis, model.api)) throw unknownApi(model);
      if (model.api === OFFLINE_API) return;
      if (model.baseUrl === '') throw nowhere(model);
      await credentials.key(model.provider);
      // The prompt is on its way to the disk now, which takes longer than this.
      load(model).catch(() => {});
      ports.send.prepare?.(model.baseUrl);
    },
    stream(request) {
      const open = async () => {
        const model = addresses.reached(request.model);
        const opened = model.api === OFFLINE_API ? request : doors.open({ ...request, model });
        const [api, whole] = await Promise.all([load(model), opened]);
        return api.stream(whole);
      };
      const advice = () => credentials.advice(request.model.provider);
      return new GuardedStream(request, open, ports.clock, { secrets: doors.secrets, advice });
    },
    imageProblem: async (model, image) => (await import('./image-limits.ts')).imageProblem(model, image),
    // Those that need no key have none.
    key: (provider) => credentials.key(provider).catch(() => undefined),
    register(name, description, api) {
      for (const variable of variablesNamedIn(JSON.stringify(description), Object.keys(env))) withhold(variable);
      if (!api) return doors.custom.add(name, description);
      // A name of its own each time: what was loaded under an older one is not asked again.
      const own = `extension:${name}:${++registered}`;
      apis[own] = async () => api;
      const models = Array.isArray(description.models) ? description.models : [];
      doors.custom.add(name, {
        baseUrl: own,
        ...description,
        api: own,
        models: models.map((m) => ({ ...m, api: own })),
      });
    },
    unregister: (name) => doors.custom.remove(name),
  };
}

/**
 * Nothing was asked for, so a key decides, or there is none. Nearly every start of a program comes through here, hence
 * without the catalogue. What models.json describes is looked at more closely elsewhere.
 */
async function unasked(options: ExplainedOptions, credentials: Credentials): Promise<Model | null | undefined> {
  const { apis, env, asked = {}, preferred = {}, apiKey, patterns } = options;
  const wishes = [asked.provider, asked.model, preferred.provider, preferred.model, apiKey, patterns?.[0]];
  if (wishes.some(Boolean)) return undefined;
  const inHand = await credentials.inHand();
  const { has, described } = inHand;
  const provider = [...DEFAULT_MODELS.keys(), ...ASKED_PROVIDERS, ...described].find(has);
  if (provider === undefined) return withoutKey(env, inHand, options.explain);
  if (described.length > 0) return undefined;
  const { quickChoice } = await import('./quick-choice.ts');
  return quickChoice(provider, env, ({ api }) => Object.hasOwn(apis, api));
}

function nowhere({ provider }: Model): Fault {
  const variable = findProvider(provider)?.baseUrlEnv;
  return new Fault('no_credentials', `No address for ${provider}.${variable ? ` Set ${variable}.` : ''}`);
}
