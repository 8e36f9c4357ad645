// `ctx.modelRegistry`: synchronous view of the models as of the last refresh.
import type { ModelRegistry } from '../../contracts/index.ts';
import type { Model } from '../../protocol/index.ts';

export class ModelRegistryView {
  readonly #modelRegistry: ModelRegistry;
  #available: readonly Model[] = [];
  /** Models selected by `--models` or the settings; empty when there is no selection. */
  scoped: readonly { readonly model: Model }[] = [];

  constructor(modelRegistry: ModelRegistry) {
    this.#modelRegistry = modelRegistry;
  }

  readonly refresh = async (): Promise<void> => {
    this.#available = await this.#modelRegistry.listAvailable();
    this.scoped = ((await this.#modelRegistry.listScoped()) ?? []).map((model) => ({ model }));
  };

  readonly getAll = (): Model[] => [...this.#available];
  readonly getAvailable = (): Model[] => [...this.#available];
  readonly find = (provider: string, modelId: string): Model | undefined =>
    this.#available.find((model) => model.provider === provider && model.id === modelId);
  readonly getError = (): undefined => undefined;
  readonly isUsingOAuth = (_model?: unknown): boolean => false;
  readonly hasConfiguredAuth = (model: Model): boolean => this.find(model.provider, model.id) !== undefined;
  readonly getApiKey = (model: Model): Promise<string | undefined> => this.getApiKeyForProvider(model.provider);
  readonly getApiKeyForProvider = async (provider: string): Promise<string | undefined> =>
    this.#modelRegistry.getApiKey?.(provider);

  readonly getApiKeyAndHeaders = async (model: Model) => {
    try {
      await this.#modelRegistry.requireCredentials(model);
      return { ok: true as const, apiKey: await this.getApiKey(model), headers: model.headers };
    } catch (thrown) {
      return { ok: false as const, error: thrown instanceof Error ? thrown.message : String(thrown) };
    }
  };
}
