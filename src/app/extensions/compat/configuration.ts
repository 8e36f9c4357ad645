// The hall: settings, keys and models under the names that extensions written for pi know. They can be looked at; only the program
// changes them. What a project says counts here when it counts for the agent: nothing is read from files.
import { Fault } from '../../../base/index.ts';
import type { Models } from '../../../contracts/index.ts';
import { ModelView } from '../../../core/extension/model-view.ts';
import type { Model } from '../../../protocol/index.ts';
import { defaultSettings, type SettingValues } from '../../settings-table.ts';

export interface ConfigurationSurroundings {
  readonly models: Models;
  readonly known: readonly Model[];
  /** As they are for the agent, also when they change. */
  readonly settings: SettingValues;
}

type Nested = Record<string, unknown>;

export function configuration({ models, known, settings }: ConfigurationSurroundings): Record<string, unknown> {
  class AuthStorage {
    readonly #view = new ModelView(models);

    constructor() {
      void this.reload();
    }

    static readonly create = () => new AuthStorage();
    static readonly inMemory = () => new AuthStorage();

    readonly reload = (): Promise<void> => this.#view.refresh().catch(() => {});
    /** As it was when last asked: whoever must know now waits for `reload`. */
    readonly list = (): string[] => [...new Set(this.#view.getAvailable().map(({ provider }) => provider))];
    readonly has = (provider: string): boolean => this.list().includes(provider);
    readonly hasAuth = this.has;
    readonly getApiKey = (provider: string): Promise<string | undefined> => this.#view.getApiKeyForProvider(provider);
    readonly get = (): never => refuse('AuthStorage.get', 'Use getApiKey, which is asked anew each time.');
    readonly getAll = this.get;
    readonly set = (): never =>
      refuse('AuthStorage.set', 'Keys are in the environment or in auth.json; see docs/model-apis.md.');
    readonly setRuntimeApiKey = this.set;
    readonly remove = this.set;
    readonly logout = this.set;
    readonly login = (): never => refuse('AuthStorage.login', 'The host signs people in with the `login` command.');
  }

  class ModelRegistry extends ModelView {
    readonly authStorage: AuthStorage;

    constructor(authStorage = new AuthStorage()) {
      super(models);
      this.authStorage = authStorage;
      void this.refresh().catch(() => {});
    }

    static readonly create = (authStorage?: AuthStorage) => new ModelRegistry(authStorage);
    static readonly inMemory = (authStorage?: AuthStorage) => new ModelRegistry(authStorage);

    /** Those that can be used, then those that anybody knows. */
    override readonly getAll = (): Model[] => {
      const usable = this.getAvailable();
      return [...usable, ...known.filter((model) => !usable.some((one) => isSame(one, model)))];
    };
    override readonly find = (provider: string, id: string): Model | undefined =>
      this.getAll().find((model) => isSame(model, { provider, id }));
    override readonly hasConfiguredAuth = (model: Model): boolean =>
      this.getAvailable().some((one) => isSame(one, model));
  }

  return {
    AuthStorage,
    ModelRegistry,
    SettingsManager: settingsClass(settings),
    discoverAuthStorage: AuthStorage.create,
    discoverModels: ModelRegistry.create,
    loadSettings: () => nested(settings),
  };
}

function isSame(a: Pick<Model, 'provider' | 'id'>, b: Pick<Model, 'provider' | 'id'>): boolean {
  return a.provider === b.provider && a.id === b.id;
}

function refuse(what: string, wayOut: string): never {
  throw new Fault('refused', `${what} of pi-coding-agent is not offered to extensions here. ${wayOut}`);
}

/** Keys by what extensions call the getter. */
const GETTERS = {
  getDefaultProvider: 'defaultProvider',
  getDefaultModel: 'defaultModel',
  getDefaultThinkingLevel: 'defaultThinkingLevel',
  getSteeringMode: 'steeringMode',
  getFollowUpMode: 'followUpMode',
  getCompactionEnabled: 'compaction.enabled',
  getCompactionReserveTokens: 'compaction.reserveTokens',
  getCompactionKeepRecentTokens: 'compaction.keepRecentTokens',
  getRetryEnabled: 'retry.enabled',
  getShellPath: 'shellPath',
  getExtensionPaths: 'extensions',
  getSkillPaths: 'skills',
  getPromptTemplatePaths: 'prompts',
  getEnableSkillCommands: 'enableSkillCommands',
} as const satisfies Record<string, keyof SettingValues>;

/** One in memory has values of its own and may be changed; the agent's cannot, and a setter says so. */
function settingsClass(settings: SettingValues): unknown {
  return class ShownSettings {
    readonly #values: SettingValues;
    readonly #own: boolean;

    constructor(values: SettingValues, own: boolean) {
      this.#values = values;
      this.#own = own;
      for (const [name, key] of Object.entries(GETTERS)) {
        const setter = name.replace(/^get/, 'set');
        Object.assign(this, { [name]: () => this.#values[key], [setter]: (to: unknown) => this.#set(setter, key, to) });
      }
    }

    static readonly create = () => new ShownSettings(settings, false);
    static readonly inMemory = (given: Nested = {}) =>
      new ShownSettings({ ...defaultSettings, ...flat(given) } as SettingValues, true);

    readonly getGlobalSettings = (): Nested => nested(this.#values);
    readonly getProjectSettings = (): Nested => ({});
    readonly getCompactionSettings = () => this.getGlobalSettings().compaction;
    readonly getRetrySettings = () => this.getGlobalSettings().retry;
    readonly reload = async (): Promise<void> => {};
    readonly flush = async (): Promise<void> => {};
    readonly drainErrors = (): never[] => [];
    readonly applyOverrides = (given: Nested): void => {
      for (const [key, to] of Object.entries(flat(given))) this.#set('applyOverrides', key as keyof SettingValues, to);
    };

    #set(what: string, key: keyof SettingValues, to: unknown): void {
      if (!this.#own)
        refuse(`SettingsManager.${what}`, `Set ${key} in settings.json, or use SettingsManager.inMemory().`);
      Object.assign(this.#values, { [key]: to });
    }
  };
}

/** `{ 'a.b': 1 }` as `{ a: { b: 1 } }`. A copy: whoever changes it changes nothing. */
function nested(values: SettingValues): Nested {
  const whole: Nested = {};
  for (const [key, value] of Object.entries(values)) {
    if (value === undefined) continue;
    const names = key.split('.');
    const last = names.pop() ?? key;
    let at = whole;
    for (const name of names) {
      at[name] ??= {};
      at = at[name] as Nested;
    }
    at[last] = structuredClone(value);
  }
  return whole;
}

/** The other way, as far as there are settings of that name. */
function flat(given: Nested): Nested {
  const known = Object.keys(defaultSettings).map((key) => {
    const value = key.split('.').reduce<unknown>((at, name) => (at as Nested | undefined)?.[name], given);
    return [key, value] as const;
  });
  return Object.fromEntries(known.filter(([, value]) => value !== undefined));
}
