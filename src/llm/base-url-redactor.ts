// Removes passwords and keys from base URLs before hosts see them, and restores the full URL for requests.
import type { Model } from '../protocol/index.ts';
import { findProvider } from './providers/providers.ts';

export interface BaseUrlRedactor {
  /** The model with a base URL that is safe to show to hosts. The original URL is stored in this object. */
  redactBaseUrl(model: Model): Promise<Model>;
  /** The model with its original base URL, for requests. */
  restoreBaseUrl(model: Model): Model;
}

/** `redact` is called with every secret found in a base URL. */
export function createBaseUrlRedactor(redact: (secret: string) => void): BaseUrlRedactor {
  const originalUrls = new Map<string, string>();
  const getModelKey = ({ provider, id, baseUrl }: Model) => JSON.stringify([provider, id, baseUrl]);
  return {
    async redactBaseUrl(model) {
      const { provider, baseUrl } = model;
      // Fast path: in most program starts the base URL comes from the provider table, which has no secrets.
      if (baseUrl === '' || baseUrl === findProvider(provider)?.baseUrl) return model;
      const { redactUrl, findUrlSecrets } = await import('./http/url-secrets.ts');
      for (const secret of findUrlSecrets(baseUrl)) redact(secret);
      const redacted = { ...model, baseUrl: redactUrl(baseUrl) };
      if (redacted.baseUrl === baseUrl) return model;
      originalUrls.set(getModelKey(redacted), baseUrl);
      return redacted;
    },
    restoreBaseUrl(model) {
      const baseUrl = originalUrls.get(getModelKey(model));
      return baseUrl === undefined ? model : { ...model, baseUrl };
    },
  };
}
