// Resolves the API key of each provider, and saves keys and logins.
import { Fault } from '../../base/index.ts';
import type { CustomProviderRegistry } from '../custom-provider-registry.ts';
import { SIGN_IN_VARIABLES } from '../providers/key-variables.ts';
import { findProvider } from '../providers/providers.ts';
import type { OAuthEntry } from './auth-file.ts';
import { type KeySource, type KeySourceOptions, listKeySources } from './key-sources.ts';
import { type RefreshLogin, refreshLogin } from './refresh-login.ts';

export interface CredentialSnapshot {
  /** Whether a usable key or login exists. */
  hasCredential(provider: string): boolean;
  /** The providers that models.json defines or overrides. */
  readonly modelsFileProviders: readonly string[];
  /** The providers that have an entry in auth.json, whether or not it is usable. */
  readonly authFileProviders: readonly string[];
}

export interface Credentials {
  /** Reads each file once. Runs no commands and sends no requests. */
  readSnapshot(): Promise<CredentialSnapshot>;
  /** `undefined` when the provider needs no key. Throws a Fault that names the variable and the file to set. */
  getKey(provider: string): Promise<string | undefined>;
  /** The source of the key that was used last, and how to set another key. For messages about a rejected key. */
  getKeyAdvice(provider: string): string;
  /** The base URL that a stored login defines for its provider. */
  getBaseUrl(provider: string): Promise<string | undefined>;
  /** From now on this key overrides all other sources. */
  useKey(provider: string, key: string): void;
  saveKey(provider: string, key: string): Promise<void>;
  saveLogin(provider: string, login: OAuthEntry): Promise<void>;
  /** Returns the login, refreshed unless another process has refreshed it in the meantime. */
  refreshLogin(provider: string, refresh: RefreshLogin): Promise<OAuthEntry>;
}

export interface CredentialsOptions extends KeySourceOptions {
  customProviders: Pick<CustomProviderRegistry, 'path' | 'read'>;
  /** Whether the files or the metadata service of a cloud provider can replace its key. */
  hasCloudSignIn?: ((provider: string) => Promise<boolean>) | undefined;
}

export function createCredentials(options: CredentialsOptions): Credentials {
  const { authFile, redact } = options;
  const overrides = new Map<string, string>();
  /** Location of the key by provider, as of the last request for it. */
  const lastLocations = new Map<string, string | undefined>();
  return {
    async readSnapshot() {
      const files = await readFiles(options);
      return {
        hasCredential: (provider) => [...listKeySources(provider, { overrides, ...files }, options)].some(isUsable),
        modelsFileProviders: [...files.customProviders.keys()],
        authFileProviders: [...files.entries.keys()],
      };
    },
    async getKey(provider) {
      const files = await readFiles(options);
      const sources = [...listKeySources(provider, { overrides, ...files }, options)];
      const source = sources.find(isUsable);
      lastLocations.set(provider, source?.location);
      if (source) return getSendableKey(provider, source, redact);
      if (findProvider(provider)?.keyless || (await options.hasCloudSignIn?.(provider))) return undefined;
      throw createMissingKeyFault(provider, options, sources[0]?.problem);
    },
    getKeyAdvice(provider) {
      const location = lastLocations.get(provider);
      return `${location ? `The key comes from ${location}. ` : ''}To use another: ${describeHowToSetKey(provider, options)}`;
    },
    async getBaseUrl(provider) {
      const entry = (await authFile.read()).get(provider);
      return entry?.type === 'oauth' && typeof entry.baseUrl === 'string' ? entry.baseUrl : undefined;
    },
    useKey(provider, key) {
      redact(key);
      overrides.set(provider, key);
    },
    ...createCredentialWriter(options),
  };
}

type CredentialWriter = Pick<Credentials, 'saveKey' | 'saveLogin' | 'refreshLogin'>;

function createCredentialWriter(options: CredentialsOptions): CredentialWriter {
  const { authFile, redact } = options;
  return {
    async saveKey(provider, key) {
      redact(key);
      await (await import('./store-key.ts')).storeKey(authFile, provider, key);
    },
    async saveLogin(provider, login) {
      redact(login.access);
      redact(login.refresh);
      await authFile.update(provider, async () => login);
    },
    refreshLogin: (provider, refresh) => refreshLogin(provider, refresh, options),
  };
}

async function readFiles({ authFile, customProviders }: CredentialsOptions) {
  const [entries, { providers }] = await Promise.all([authFile.read(), customProviders.read()]);
  return { entries, customProviders: providers };
}

function isUsable({ problem }: KeySource): boolean {
  return problem === undefined;
}

async function getSendableKey(
  provider: string,
  source: KeySource,
  redact: CredentialsOptions['redact'],
): Promise<string | undefined> {
  const key = await source.get();
  if (key === undefined) return undefined;
  const { normalizeKey } = await import('./key-characters.ts');
  const trimmed = normalizeKey(key, provider, source.location);
  if (trimmed !== key) redact(trimmed);
  return trimmed;
}

function createMissingKeyFault(provider: string, options: CredentialsOptions, problem: string | undefined): Fault {
  const instructions = describeHowToSetKey(provider, options);
  const sentence = `${instructions.charAt(0).toUpperCase()}${instructions.slice(1)}`;
  return new Fault('no_credentials', `No API key for ${provider}. ${problem ? `${problem} ` : ''}${sentence}`);
}

/** How to set a key, as the end of a sentence. */
function describeHowToSetKey(provider: string, { authFile, customProviders }: CredentialsOptions): string {
  const variables = findProvider(provider)?.env ?? [];
  const variable = variables.find((name) => name.endsWith('_API_KEY')) ?? variables[0];
  const signIn = variables.find((name) => SIGN_IN_VARIABLES.has(name));
  return variable
    ? `set ${variable}${signIn ? ` or ${signIn}` : ''}, or add a key for "${provider}" to ${authFile.path}.`
    : `add a key for "${provider}" to ${authFile.path}, or an apiKey to ${customProviders.path}.`;
}
