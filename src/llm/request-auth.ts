// Adds keys and headers to requests. Manages credentials, custom providers and redacted base URLs.
import { getOwnValue } from '../base/index.ts';
import type { ApiRequest, ModelRequest, Ports } from '../contracts/index.ts';
import { type BaseUrlRedactor, createBaseUrlRedactor } from './base-url-redactor.ts';
import { createAuthFile } from './credentials/auth-file.ts';
import { type Credentials, createCredentials } from './credentials/credentials.ts';
import type { RefreshLogin } from './credentials/refresh-login.ts';
import { createSecretResolver } from './credentials/secret-resolver.ts';
import {
  type CustomProviderRegistry,
  createCustomProviderRegistry,
  findRequestOverrides,
} from './custom-provider-registry.ts';

export interface RequestAuthOptions {
  ports: Pick<Ports, 'clock' | 'files' | 'ids' | 'platform' | 'processes' | 'toolEnv'>;
  env: Readonly<Record<string, string | undefined>>;
  /** Where auth.json and models.json are. */
  directory: string;
  refreshers?: Readonly<Record<string, RefreshLogin>> | undefined;
  /** Receives every key that is used, to keep it out of logs. */
  redact?: ((secret: string) => void) | undefined;
  /** Receives the names of variables that contain keys according to auth.json or models.json. */
  withhold?: ((variable: string) => void) | undefined;
  /** Receives problems of auth.json and models.json. */
  warn?: ((sentence: string) => void) | undefined;
}

export interface RequestAuth {
  /** Every key used so far, and the secrets of base URLs. */
  readonly secrets: ReadonlySet<string>;
  readonly baseUrls: BaseUrlRedactor;
  readonly customProviders: CustomProviderRegistry;
  readonly credentials: Credentials;
  /** Adds the key, the headers and the other overrides of models.json to the request. */
  authorize(request: ModelRequest): Promise<ApiRequest>;
}

export function createRequestAuth(options: RequestAuthOptions): RequestAuth {
  const { ports, env, directory, refreshers, withhold = () => {}, warn = () => {} } = options;
  const knownSecrets = new Set<string>();
  const redact = (secret: string) => {
    knownSecrets.add(secret);
    options.redact?.(secret);
  };
  const { clock, files, ids, platform } = ports;
  const customProviders = createCustomProviderRegistry(files, directory, warn);
  const secretResolver = createSecretResolver({ ports, env, directory, redact, withhold });
  const authFile = createAuthFile({ files, clock, ids, directory, platform, warn });
  const credentials = createCredentials({
    authFile,
    customProviders,
    secretResolver,
    env,
    clock,
    redact,
    withhold,
    refreshers,
    hasCloudSignIn: async (provider) => {
      const { hasCloudSignIn } = await import('./apis/ai-sdk/sign-in/cloud-machine.ts');
      return hasCloudSignIn(provider, env, files);
    },
  });

  async function resolveHeader(name: string, value: string, owner: string): Promise<[string, string]> {
    const { SECRET_HEADER_NAME } = await import('./http/headers.ts');
    const isPlain = !SECRET_HEADER_NAME.test(name) && !value.startsWith('!') && !getOwnValue(env, value);
    const resolved = isPlain ? value : await secretResolver.resolve(value, `${owner} (header ${name})`);
    const { normalizeHeader } = await import('./credentials/key-characters.ts');
    return normalizeHeader(name, resolved, owner, customProviders.path);
  }

  return {
    secrets: knownSecrets,
    baseUrls: createBaseUrlRedactor(redact),
    customProviders,
    credentials,
    async authorize(request) {
      const { model } = request;
      const [apiKey, { providers }] = await Promise.all([credentials.getKey(model.provider), customProviders.read()]);
      const { headers, compat, authHeader } = findRequestOverrides(model, providers.get(model.provider));
      const resolvedHeaders = Object.entries(headers).map(([name, value]) =>
        resolveHeader(name, value, model.provider),
      );
      const bearer: Record<string, string> = authHeader && apiKey ? { Authorization: `Bearer ${apiKey}` } : {};
      const all: Record<string, string> = {
        ...model.headers,
        ...Object.fromEntries(await Promise.all(resolvedHeaders)),
        ...bearer,
      };
      return { ...request, apiKey, compat, ...(Object.keys(all).length > 0 ? { headers: all } : {}) };
    },
  };
}
