// Lists the sources of a provider's API key: flags first, then auth.json, environment variables and models.json.
import { getOwnValue } from '../../base/index.ts';
import type { CustomProviderRegistry } from '../custom-provider-registry.ts';
import type { CustomProvider } from '../models-file.ts';
import { SIGN_IN_VARIABLES } from '../providers/key-variables.ts';
import { findProvider } from '../providers/providers.ts';
import type { AuthEntry } from './auth-file.ts';
import { isRenewalDue, type RefreshLogin, type RefreshLoginOptions, refreshLogin } from './refresh-login.ts';
import type { SecretResolver } from './secret-resolver.ts';

/** A source of a key. `get` may run a command or refresh a login. */
export interface KeySource {
  /** Where the user can change the key: a variable, a file or a flag. Completes "The key comes from" and "Set it again in". */
  readonly location: string;
  /** Why the source cannot be used, as a complete sentence. */
  readonly problem?: string | undefined;
  get(): Promise<string | undefined>;
}

export interface KeySourceOptions extends RefreshLoginOptions {
  customProviders: Pick<CustomProviderRegistry, 'path'>;
  secretResolver: SecretResolver;
  env: Readonly<Record<string, string | undefined>>;
  redact(secret: string): void;
  /** Hides a variable from tools because its value is used as a key. */
  withhold(variable: string): void;
  /** Functions that refresh logins, by provider. */
  refreshers?: Readonly<Record<string, RefreshLogin>> | undefined;
}

/** What flags and files contain at the time of the request, by provider. */
export interface ConfiguredKeys {
  /** Keys that override all other sources. */
  readonly overrides: ReadonlyMap<string, string>;
  readonly entries: ReadonlyMap<string, AuthEntry>;
  readonly customProviders: ReadonlyMap<string, CustomProvider>;
}

export function* listKeySources(
  provider: string,
  { overrides, entries, customProviders }: ConfiguredKeys,
  options: KeySourceOptions,
): Generator<KeySource> {
  const { path } = options.customProviders;
  const flag = overrides.get(provider);
  if (flag) yield { location: '--api-key', get: async () => flag };
  const entry = entries.get(provider);
  if (entry) yield createAuthSource(provider, entry, options);
  const variable = createVariableSource(provider, options);
  if (variable) yield variable;
  const custom = customProviders.get(provider);
  if (custom?.apiKey) yield createTextSource(provider, custom.apiKey, path, options);
  // A custom provider without an apiKey is assumed to need no key.
  else if (custom?.models && !findProvider(provider)) yield { location: path, get: async () => undefined };
}

function createAuthSource(provider: string, entry: AuthEntry, options: KeySourceOptions): KeySource {
  const { authFile, clock, redact, refreshers = {} } = options;
  if (entry.type === 'api_key') return createTextSource(provider, entry.key, authFile.path, options);
  const refresh = getOwnValue(refreshers, provider);
  const problem = entry.expires <= clock.now() && !refresh ? `The login in ${authFile.path} has expired.` : undefined;
  return {
    location: `the login in ${authFile.path}`,
    problem,
    async get() {
      const valid = refresh && isRenewalDue(entry, clock) ? await refreshLogin(provider, refresh, options) : entry;
      redact(valid.access);
      return valid.access;
    },
  };
}

function createVariableSource(provider: string, { env, redact, withhold }: KeySourceOptions): KeySource | undefined {
  const name = findProvider(provider)?.env.find((variable) => env[variable]);
  if (!name) return undefined;
  const key = SIGN_IN_VARIABLES.has(name) ? undefined : env[name];
  if (key) redact(key);
  return {
    location: `the variable ${name}`,
    async get() {
      // Tools may see GITHUB_TOKEN and similar variables, except while they are used as a model key.
      if (key) withhold(name);
      return key;
    },
  };
}

function createTextSource(
  provider: string,
  text: string,
  file: string,
  { env, secretResolver }: KeySourceOptions,
): KeySource {
  const unset = secretResolver.findUnsetVariable(text);
  const problem = unset && `${file} refers to the variable ${unset}, which is not set.`;
  const location = env[text] ? `the variable ${text}` : file;
  return { location, problem, get: () => secretResolver.resolve(text, provider) };
}
