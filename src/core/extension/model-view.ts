// First floor, core: `ctx.modelRegistry`, the models as extensions look at them: at once, as they were when last asked.
import type { Models } from '../../contracts/index.ts';
import type { Model } from '../../protocol/index.ts';

export class ModelView {
  readonly #models: Models;
  #known: readonly Model[] = [];
  /** Those that `--models` or the settings name; none when they name none. */
  scoped: readonly { readonly model: Model }[] = [];

  constructor(models: Models) {
    this.#models = models;
  }

  /** Asks again which models there are. */
  readonly refresh = async (): Promise<void> => {
    this.#known = await this.#models.available();
    this.scoped = ((await this.#models.scope()) ?? []).map((model) => ({ model }));
  };

  readonly getAll = (): Model[] => [...this.#known];
  readonly getAvailable = (): Model[] => [...this.#known];
  readonly find = (provider: string, modelId: string): Model | undefined =>
    this.#known.find((model) => model.provider === provider && model.id === modelId);
  readonly getError = (): undefined => undefined;
  readonly isUsingOAuth = (_model?: unknown): boolean => false;
  readonly hasConfiguredAuth = (model: Model): boolean => this.find(model.provider, model.id) !== undefined;
  readonly getApiKey = (model: Model): Promise<string | undefined> => this.getApiKeyForProvider(model.provider);
  readonly getApiKeyForProvider = async (provider: string): Promise<string | undefined> => this.#models.key?.(provider);

  readonly getApiKeyAndHeaders = async (model: Model) => {
    try {
      await this.#models.ready(model);
      return { ok: true as const, apiKey: await this.getApiKey(model), headers: model.headers };
    } catch (thrown) {
      return { ok: false as const, error: thrown instanceof Error ? thrown.message : String(thrown) };
    }
  };
}
