// `ctx.modelRegistry`: synchronous view of the models as of the last refresh.
import { Fault } from '../../base/index.ts';
import type { Clock, ModelRegistry } from '../../contracts/index.ts';
import type { Model } from '../../protocol/index.ts';
import { createModelRequests } from './model-requests.ts';

export class ModelRegistryView {
  readonly #modelRegistry: ModelRegistry;
  #available: readonly Model[] = [];
  /** Models selected by `--models` or the settings; empty when there is no selection. */
  scoped: readonly { readonly model: Model }[] = [];

  /** Requests use the key of the model's provider. */
  readonly stream: ReturnType<typeof createModelRequests>['stream'];
  readonly streamSimple: ReturnType<typeof createModelRequests>['stream'];
  readonly complete: ReturnType<typeof createModelRequests>['complete'];
  readonly completeSimple: ReturnType<typeof createModelRequests>['complete'];

  constructor(modelRegistry: ModelRegistry, clock: Pick<Clock, 'now'>) {
    this.#modelRegistry = modelRegistry;
    const requests = createModelRequests(modelRegistry, clock);
    this.stream = requests.stream;
    this.streamSimple = requests.stream;
    this.complete = requests.complete;
    this.completeSimple = requests.complete;
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

  /** All models answer in a conversation. Models for images and classification are not supported. */
  readonly getModelsOfType = (type: string, provider?: string): Model[] =>
    type === 'chat' ? this.getAll().filter((model) => provider === undefined || model.provider === provider) : [];
  readonly getAvailableOfType = async (type: string, provider?: string): Promise<Model[]> =>
    this.getModelsOfType(type, provider).filter((model) => this.hasConfiguredAuth(model));
  readonly findOfType = (type: string, provider: string, modelId: string): Model | undefined =>
    type === 'chat' ? this.find(provider, modelId) : undefined;
  readonly getModelOfType = this.findOfType;

  readonly getProviderDisplayName = (provider: string): string => provider;
  readonly getProviderAuthStatus = (provider: string) => ({
    configured: this.#available.some((model) => model.provider === provider),
  });

  readonly registerProvider = (name: string, description: Readonly<Record<string, unknown>>): void => {
    if (!this.#modelRegistry.register) throw new Fault('refused', 'Providers cannot be registered in this mode');
    if (typeof description?.streamSimple === 'function')
      throw new Fault('refused', 'Use pi.registerProvider for a provider with its own streamSimple');
    this.#modelRegistry.register(name, description);
  };
  readonly unregisterProvider = (name: string): void => this.#modelRegistry.unregister?.(name);
}
