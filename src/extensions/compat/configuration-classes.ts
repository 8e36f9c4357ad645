// Settings, keys and models for extensions, with the classes of pi. They are read-only and use the settings of the agent: files are
// not read, so settings of an untrusted project are not visible.
import { Fault } from '../../base/index.ts';
import type { ModelRegistry, Ports } from '../../contracts/index.ts';
import { ModelRegistryView } from '../../core/extension/index.ts';
import type { Model } from '../../protocol/index.ts';
import { defaultSettings, type SettingValues } from '../../settings/index.ts';

export interface ConfigurationOptions {
  readonly ports: Pick<Ports, 'clock'>;
  readonly models: ModelRegistry;
  readonly catalogueModels: readonly Model[];
  /** The settings object of the agent, which may change. */
  readonly settings: SettingValues;
}

type NestedSettings = Record<string, unknown>;

export function createConfigurationClasses(options: ConfigurationOptions): Record<string, unknown> {
  const AuthStorage = createAuthStorageClass(options);
  const ModelRegistry = createModelRegistryClass(options, AuthStorage);
  return {
    AuthStorage,
    ModelRegistry,
    SettingsManager: createSettingsClass(options.settings),
    discoverAuthStorage: AuthStorage.create,
    discoverModels: ModelRegistry.create,
    loadSettings: () => nestSettings(options.settings),
  };
}

function createAuthStorageClass({ models, ports: { clock } }: ConfigurationOptions) {
  return class AuthStorage {
    readonly #view = new ModelRegistryView(models, clock);

    constructor() {
      void this.reload();
    }

    static readonly create = () => new AuthStorage();
    static readonly inMemory = () => new AuthStorage();

    readonly reload = (): Promise<void> => this.#view.refresh().catch(() => {});
    /** The state at the last reload. To get the current state, await `reload` first. */
    readonly list = (): string[] => [...new Set(this.#view.getAvailable().map(({ provider }) => provider))];
    readonly has = (provider: string): boolean => this.list().includes(provider);
    readonly hasAuth = this.has;
    readonly getApiKey = (provider: string): Promise<string | undefined> => this.#view.getApiKeyForProvider(provider);
    readonly get = (): never =>
      throwUnsupported('AuthStorage.get', 'Use getApiKey, which reads the current key at each call.');
    readonly getAll = this.get;
    readonly set = (): never =>
      throwUnsupported('AuthStorage.set', 'Keys are in the environment or in auth.json; see docs/model-apis.md.');
    readonly setRuntimeApiKey = this.set;
    readonly remove = this.set;
    readonly logout = this.set;
    readonly login = (): never =>
      throwUnsupported('AuthStorage.login', 'The host signs users in with the `login` command.');
  };
}

type AuthStorageClass = ReturnType<typeof createAuthStorageClass>;

function createModelRegistryClass(
  { models, catalogueModels, ports }: ConfigurationOptions,
  AuthStorage: AuthStorageClass,
) {
  return class PiModelRegistry extends ModelRegistryView {
    readonly authStorage: InstanceType<AuthStorageClass>;

    constructor(authStorage = new AuthStorage()) {
      super(models, ports.clock);
      this.authStorage = authStorage;
      void this.refresh().catch(() => {});
    }

    static readonly create = (authStorage?: InstanceType<AuthStorageClass>) => new PiModelRegistry(authStorage);
    static readonly inMemory = (authStorage?: InstanceType<AuthStorageClass>) => new PiModelRegistry(authStorage);

    /** The available models, then the other models of the catalogue. */
    override readonly getAll = (): Model[] => {
      const usable = this.getAvailable();
      return [
        ...usable,
        ...catalogueModels.filter((model) => !usable.some((availableModel) => isSameModel(availableModel, model))),
      ];
    };
    override readonly find = (provider: string, id: string): Model | undefined =>
      this.getAll().find((model) => isSameModel(model, { provider, id }));
    override readonly hasConfiguredAuth = (model: Model): boolean =>
      this.getAvailable().some((availableModel) => isSameModel(availableModel, model));
  };
}

function isSameModel(a: Pick<Model, 'provider' | 'id'>, b: Pick<Model, 'provider' | 'id'>): boolean {
  return a.provider === b.provider && a.id === b.id;
}

function throwUnsupported(methodName: string, alternative: string): never {
  throw new Fault('refused', `Parley does not provide ${methodName} of pi-coding-agent. ${alternative}`);
}

/** Setting keys by the name of the getter. */
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

/** An instance of `inMemory` has its own values and can be changed. For the agent's settings, setters throw a Fault. */
function createSettingsClass(settings: SettingValues): unknown {
  return class SettingsView {
    readonly #values: SettingValues;
    readonly #isWritable: boolean;

    constructor(values: SettingValues, isWritable: boolean) {
      this.#values = values;
      this.#isWritable = isWritable;
      for (const [name, key] of Object.entries(GETTERS)) {
        const setter = name.replace(/^get/, 'set');
        Object.assign(this, {
          [name]: () => this.#values[key],
          [setter]: (newValue: unknown) => this.#set(setter, key, newValue),
        });
      }
    }

    static readonly create = () => new SettingsView(settings, false);
    static readonly inMemory = (nested: NestedSettings = {}) =>
      new SettingsView({ ...defaultSettings, ...flattenKnownSettings(nested) } as SettingValues, true);

    readonly getGlobalSettings = (): NestedSettings => nestSettings(this.#values);
    readonly getProjectSettings = (): NestedSettings => ({});
    readonly getCompactionSettings = () => this.getGlobalSettings().compaction;
    readonly getRetrySettings = () => this.getGlobalSettings().retry;
    readonly reload = async (): Promise<void> => {};
    readonly flush = async (): Promise<void> => {};
    readonly drainErrors = (): never[] => [];
    readonly applyOverrides = (nested: NestedSettings): void => {
      for (const [key, newValue] of Object.entries(flattenKnownSettings(nested)))
        this.#set('applyOverrides', key as keyof SettingValues, newValue);
    };

    #set(methodName: string, key: keyof SettingValues, newValue: unknown): void {
      if (!this.#isWritable)
        throwUnsupported(
          `SettingsManager.${methodName}`,
          `Set ${key} in settings.json, or use SettingsManager.inMemory().`,
        );
      Object.assign(this.#values, { [key]: newValue });
    }
  };
}

/**
 * Converts `{ 'a.b': 1 }` to `{ a: { b: 1 } }`, unless `a` has a value of its own. Returns a copy, so that changes have no effect on the
 * agent.
 */
function nestSettings(values: SettingValues): NestedSettings {
  const result: NestedSettings = {};
  for (const [key, value] of Object.entries(values)) {
    if (value === undefined) continue;
    const names = typeof result[key.split('.')[0] ?? ''] === 'string' ? [key] : key.split('.');
    const last = names.pop() ?? key;
    let parent = result;
    for (const name of names) {
      parent[name] ??= {};
      parent = parent[name] as NestedSettings;
    }
    parent[last] = structuredClone(value);
  }
  return result;
}

/** The reverse of nestSettings. Unknown settings are ignored. */
function flattenKnownSettings(nested: NestedSettings): NestedSettings {
  const known = Object.keys(defaultSettings).map((key) => {
    const value = key
      .split('.')
      .reduce<unknown>((parent, name) => (parent as NestedSettings | undefined)?.[name], nested);
    return [key, value ?? nested[key]] as const;
  });
  return Object.fromEntries(known.filter(([, value]) => value !== undefined));
}
