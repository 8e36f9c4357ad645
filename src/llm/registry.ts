// First floor, llm: which models can be used, and how each is reached. The road from a request to the API that answers it.
import { Fault } from '../base/index.ts';
import type { ApiRequest, ModelRequest, Models, Ports } from '../contracts/index.ts';
import type { AssistantMessageEvent, Model } from '../protocol/index.ts';
import type { ApiLoader } from './apis.ts';
import { createAuthFile } from './credentials/auth-file.ts';
import { type Credentials, createCredentials, type Refresh } from './credentials/credentials.ts';
import { createSecretTexts } from './credentials/secret-text.ts';
import { createCustomModels, extrasFor } from './custom-models.ts';
import { firstChoice } from './first-choice.ts';
import { createKnownModels } from './known-models.ts';
import { OFFLINE_API, offlineModel } from './offline/model.ts';
import { findProvider, PROVIDERS } from './providers/providers.ts';
import { inScope } from './scope.ts';
import type { WantedModel } from './selection.ts';
import { GuardedStream, lazily, unknownApi } from './streaming.ts';

export interface ModelsOptions {
  apis: Readonly<Record<string, ApiLoader>>;
  ports: Pick<Ports, 'clock' | 'fetch' | 'files' | 'ids' | 'platform' | 'processes' | 'toolEnv'>;
  env: Readonly<Record<string, string | undefined>>;
  /** Where auth.json and models.json are. */
  directory: string;
  /** What the command line names. */
  asked?: WantedModel | undefined;
  /** What the settings name. */
  preferred?: WantedModel | undefined;
  /** The command line's key, for the provider that it names or whose model it names. */
  apiKey?: string | undefined;
  /** The models that `cycle_model` goes through. */
  patterns?: readonly string[] | undefined;
  refreshers?: Readonly<Record<string, Refresh>> | undefined;
  /** Learns every key that is used, to keep it out of logs. */
  redact?: ((secret: string) => void) | undefined;
  /** Learns which variables hold keys because a file says so. */
  withhold?: ((variable: string) => void) | undefined;
  /** Hears what is wrong with auth.json and models.json. */
  warn?: ((sentence: string) => void) | undefined;
}

/** Values of such headers are secrets even when they stand in the file as they are. */
const SECRET_HEADER = /auth|key|token|secret|cookie/i;

export function createModels(options: ModelsOptions): Models & { readonly credentials: Credentials } {
  const { apis, ports, env, directory, asked = {}, preferred = {}, apiKey, patterns } = options;
  const { redact = () => {}, withhold = () => {}, warn = () => {} } = options;
  const { clock, files, fetch } = ports;
  const custom = createCustomModels(files, directory, warn);
  const secrets = createSecretTexts({ ports, env, directory, redact, withhold });
  const auth = createAuthFile({ files, clock, ids: ports.ids, directory, platform: ports.platform, warn });
  const credentials = createCredentials({ auth, custom, secrets, env, clock, redact, refreshers: options.refreshers });
  const known = createKnownModels({ custom, env, fetch, clock, key: credentials.key, warn });
  const load = lazily(apis);
  const isSpoken = ({ api }: Model) => Object.hasOwn(apis, api);
  // Before anything is asked for, because a server of one's own may list its models for a key only.
  if (apiKey && asked.provider) credentials.use(asked.provider, apiKey);
  if (apiKey && asked.provider) credentials.use(asked.provider.toLowerCase(), apiKey);

  async function available(): Promise<readonly Model[]> {
    const { has, described } = await credentials.inHand();
    const named = [asked.provider?.toLowerCase(), preferred.provider?.toLowerCase()];
    const servers = PROVIDERS.filter(({ id, keyless, baseUrlEnv }) => {
      return keyless && (named.includes(id) || described.includes(id) || (baseUrlEnv && env[baseUrlEnv]));
    }).map(({ id }) => id);
    const models = await known.ofAll((id) => has(id) || servers.includes(id));
    return [...models.filter((model) => isSpoken(model) && model.baseUrl !== ''), offlineModel];
  }

  /** The request with what opens the door. */
  async function opened(request: ModelRequest): Promise<ApiRequest> {
    const { model } = request;
    const [apiKey, { providers }] = await Promise.all([credentials.key(model.provider), custom.read()]);
    const { headers, compat, authHeader } = extrasFor(model, providers.get(model.provider));
    const resolved = Object.entries(headers).map(async ([name, value]) => {
      const plain = !SECRET_HEADER.test(name) && !value.startsWith('!') && !env[value];
      return [name, plain ? value : await secrets.resolve(value, `${model.provider} (header ${name})`)];
    });
    const bearer = authHeader && apiKey ? { Authorization: `Bearer ${apiKey}` } : {};
    const all = { ...model.headers, ...Object.fromEntries(await Promise.all(resolved)), ...bearer };
    return { ...request, apiKey, compat, ...(Object.keys(all).length > 0 ? { headers: all } : {}) };
  }

  async function answer(request: ModelRequest): Promise<AsyncIterable<AssistantMessageEvent>> {
    const offline = request.model.api === OFFLINE_API;
    const [api, whole] = await Promise.all([load(request.model), offline ? request : opened(request)]);
    return api.stream(whole);
  }

  return {
    credentials,
    available,
    initial: () => firstChoice({ known, credentials, asked, preferred, apiKey, patterns, available, isSpoken, warn }),
    async find(provider, modelId) {
      const models = await known.of(provider);
      return models.find(({ id }) => id === modelId);
    },
    async scope() {
      if (!patterns || patterns.length === 0) return undefined;
      return inScope(await available(), patterns);
    },
    async ready(model) {
      if (!isSpoken(model)) throw unknownApi(model);
      if (model.api === OFFLINE_API) return;
      if (model.baseUrl === '') throw nowhere(model);
      await credentials.key(model.provider);
    },
    stream: (request) => new GuardedStream(request, () => answer(request), clock),
  };
}

function nowhere({ provider }: Model): Fault {
  const variable = findProvider(provider)?.baseUrlEnv;
  return new Fault('no_credentials', `No address for ${provider}.${variable ? ` Set ${variable}.` : ''}`);
}
