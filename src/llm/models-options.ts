// Options of createModels.
import type { Ports } from '../contracts/index.ts';
import type { Model } from '../protocol/index.ts';
import type { ApiLoader } from './api-loaders.ts';
import type { RequestAuthOptions } from './request-auth.ts';
import type { RequestedModel } from './select-model.ts';

export interface ModelLookupOptions extends ModelsOptions {
  /** Receives the reason when no initial model of a provider can be chosen. */
  explain(sentence: string): void;
  /** Receives what is assumed about a model that is not in the list of its provider. */
  onAssumed(model: Model, notice: string | undefined): void;
}

export interface ModelsOptions extends RequestAuthOptions {
  apis: Readonly<Record<string, ApiLoader>>;
  ports: RequestAuthOptions['ports'] & Pick<Ports, 'fetch' | 'sendHttp'>;
  /** The model named on the command line. */
  requested?: RequestedModel | undefined;
  /** The model named in the settings. */
  preferred?: RequestedModel | undefined;
  /** The key from the command line, for the provider that the command line names directly or by a model. */
  apiKey?: string | undefined;
  /** The models that `cycle_model` cycles through. */
  modelPatterns?: readonly string[] | undefined;
}
