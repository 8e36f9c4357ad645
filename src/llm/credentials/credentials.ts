// First floor, llm: what opens each provider's door. Flags first, then auth.json, the environment, and models.json.
import { Fault, ownValue } from '../../base/index.ts';
import type { CustomProvider } from '../custom-file.ts';
import type { CustomModels } from '../custom-models.ts';
import { findProvider } from '../providers/providers.ts';
import { SIGN_IN_VARIABLES } from '../providers/variables.ts';
import type { AuthEntry, AuthFile, OAuthEntry } from './auth-file.ts';
import type { SecretTexts } from './secret-text.ts';

/** A new login for an old one, from its provider. */
export type Refresh = (expired: OAuthEntry) => Promise<OAuthEntry>;

export interface InHand {
  /** Whether there is something to open it with. */
  has(provider: string): boolean;
  /** The providers that models.json speaks of. */
  readonly described: readonly string[];
  /** The providers that auth.json has an entry for, whether or not it can be used. */
  readonly named: readonly string[];
}

export interface Credentials {
  /** After one look at each file. Runs no command and asks nobody. */
  inHand(): Promise<InHand>;
  /** `undefined` where none is needed. Throws a Fault that names the variable and the file. */
  key(provider: string): Promise<string | undefined>;
  /** Where the key comes from that was used last, and how to set another. For messages about a key that is not accepted. */
  advice(provider: string): string;
  /** Where a login that is kept says that its provider is. */
  address(provider: string): Promise<string | undefined>;
  /** From now on this key comes before all others. */
  use(provider: string, key: string): void;
  saveKey(provider: string, key: string): Promise<void>;
  saveLogin(provider: string, login: OAuthEntry): Promise<void>;
  /** The login, renewed unless another process has done so meanwhile. */
  refreshed(provider: string, refresh: Refresh): Promise<OAuthEntry>;
}

export interface CredentialsOptions {
  auth: AuthFile;
  custom: Pick<CustomModels, 'path' | 'read'>;
  secrets: SecretTexts;
  env: Readonly<Record<string, string | undefined>>;
  clock: { now(): number };
  redact(secret: string): void;
  /** Keeps a variable from tools because its value is used as a key. */
  withhold(variable: string): void;
  /** How logins are renewed, by provider. */
  refreshers?: Readonly<Record<string, Refresh>> | undefined;
}

/** A login is renewed a little before its time, because an answer may take minutes. */
const MARGIN_MS = 5 * 60_000;

/** Where a key would come from. `get` may run a command or renew a login. */
interface Source {
  /** Where the key can be changed: a variable, a file, a flag. It follows "The key comes from" and "Set it again in". */
  readonly place: string;
  /** Why it cannot be used, in words that follow a sentence. */
  readonly lack?: string | undefined;
  get(): Promise<string | undefined>;
}

export function createCredentials(options: CredentialsOptions): Credentials {
  const { auth, custom, secrets, env, redact, withhold, clock, refreshers = {} } = options;
  const given = new Map<string, string>();
  /** By provider, as of the last time its key was asked for. */
  const places = new Map<string, string | undefined>();

  async function refreshed(provider: string, refresh: Refresh): Promise<OAuthEntry> {
    const entry = await auth.change(provider, async (now) => {
      if (now?.type !== 'oauth') throw new Fault('no_credentials', `There is no login for ${provider} in ${auth.path}`);
      return isDue(now) ? { ...now, ...(await refresh(now)) } : now;
    });
    return entry as OAuthEntry;
  }

  const isDue = ({ expires }: OAuthEntry) => expires - MARGIN_MS <= clock.now();

  function fromText(provider: string, text: string, file: string): Source {
    const unset = secrets.unset(text);
    const lack = unset && `${file} names the variable ${unset} for it, which is not set.`;
    const place = env[text] ? `the variable ${text}` : file;
    return { place, lack, get: () => secrets.resolve(text, provider) };
  }

  function fromAuth(provider: string, entry: AuthEntry): Source {
    if (entry.type === 'api_key') return fromText(provider, entry.key, auth.path);
    const refresh = ownValue(refreshers, provider);
    const lack = entry.expires <= clock.now() && !refresh ? `The login in ${auth.path} has expired.` : undefined;
    return {
      place: `the login in ${auth.path}`,
      lack,
      async get() {
        const valid = refresh && isDue(entry) ? await refreshed(provider, refresh) : entry;
        redact(valid.access);
        return valid.access;
      },
    };
  }

  function fromEnvironment(provider: string): Source | undefined {
    const name = findProvider(provider)?.env.find((variable) => env[variable]);
    if (!name) return undefined;
    const key = SIGN_IN_VARIABLES.has(name) ? undefined : env[name];
    if (key) redact(key);
    return {
      place: `the variable ${name}`,
      async get() {
        // Tools get GITHUB_TOKEN and the like, but not while a model is reached with it.
        if (key) withhold(name);
        return key;
      },
    };
  }

  function* sourcesOf(
    provider: string,
    entries: ReadonlyMap<string, AuthEntry>,
    customs: ReadonlyMap<string, CustomProvider>,
  ): Generator<Source> {
    const flag = given.get(provider);
    if (flag) yield { place: '--api-key', get: async () => flag };
    const entry = entries.get(provider);
    if (entry) yield fromAuth(provider, entry);
    const variable = fromEnvironment(provider);
    if (variable) yield variable;
    const own = customs.get(provider);
    if (own?.apiKey) yield fromText(provider, own.apiKey, custom.path);
    // A provider that somebody describes without a key is taken to need none.
    else if (own?.models && !findProvider(provider)) yield { place: custom.path, get: async () => undefined };
  }

  async function sendable(provider: string, source: Source): Promise<string | undefined> {
    const key = await source.get();
    if (key === undefined) return undefined;
    const { sendableKey } = await import('./key-characters.ts');
    const trimmed = sendableKey(key, provider, source.place);
    if (trimmed !== key) redact(trimmed);
    return trimmed;
  }

  async function files() {
    const [entries, { providers }] = await Promise.all([auth.read(), custom.read()]);
    return [entries, providers] as const;
  }

  return {
    async inHand() {
      const [entries, customs] = await files();
      return {
        has: (provider) => [...sourcesOf(provider, entries, customs)].some(({ lack }) => lack === undefined),
        described: [...customs.keys()],
        named: [...entries.keys()],
      };
    },
    async key(provider) {
      const sources = [...sourcesOf(provider, ...(await files()))];
      const source = sources.find(({ lack }) => lack === undefined);
      places.set(provider, source?.place);
      if (source) return sendable(provider, source);
      if (findProvider(provider)?.keyless) return undefined;
      throw missing(provider, options, sources[0]?.lack);
    },
    advice(provider) {
      const place = places.get(provider);
      return `${place ? `The key comes from ${place}. ` : ''}To use another: ${waysTo(provider, options)}`;
    },
    async address(provider) {
      const entry = (await auth.read()).get(provider);
      return entry?.type === 'oauth' && typeof entry.baseUrl === 'string' ? entry.baseUrl : undefined;
    },
    use(provider, key) {
      redact(key);
      given.set(provider, key);
    },
    async saveKey(provider, key) {
      redact(key);
      (await import('./key-characters.ts')).checkSavedKey(key);
      await auth.change(provider, async () => ({ type: 'api_key', key }));
    },
    async saveLogin(provider, login) {
      redact(login.access);
      redact(login.refresh);
      await auth.change(provider, async () => login);
    },
    refreshed,
  };
}

function missing(provider: string, options: CredentialsOptions, lack: string | undefined): Fault {
  const ways = waysTo(provider, options);
  const sentence = `${ways.charAt(0).toUpperCase()}${ways.slice(1)}`;
  return new Fault('no_credentials', `No API key for ${provider}. ${lack ? `${lack} ` : ''}${sentence}`);
}

/** How a key is set, as the end of a sentence. */
function waysTo(provider: string, { auth, custom }: CredentialsOptions): string {
  const known = findProvider(provider)?.env ?? [];
  const variable = known.find((name) => name.endsWith('_API_KEY')) ?? known[0];
  const signIn = known.find((name) => SIGN_IN_VARIABLES.has(name));
  return variable
    ? `set ${variable}${signIn ? ` or ${signIn}` : ''}, or add a key for "${provider}" to ${auth.path}.`
    : `add a key for "${provider}" to ${auth.path}, or an apiKey to ${custom.path}.`;
}
