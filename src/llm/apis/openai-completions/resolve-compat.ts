// Determines the compat settings of a request from the provider table and models.json.
import type { ApiRequest } from '../../../contracts/index.ts';
import type { Model } from '../../../protocol/index.ts';
import { type Compat, type CompatOverrides, mergeCompat, parseCompat } from '../../providers/compat.ts';
import { PROVIDERS, type Provider } from '../../providers/providers.ts';

export function resolveCompat({ model, compat }: Pick<ApiRequest, 'model' | 'compat'>): Compat {
  const provider = findKnownProvider(model);
  const modelCompat = provider?.modelCompat?.find(([pattern]) => pattern.test(model.id))?.[1];
  // Providers of the table accept consecutive messages of the same role, unless their compat says otherwise.
  const defaults: CompatOverrides =
    provider && isAtKnownOrigin(provider, model) ? { requiresAlternatingRoles: false } : {};
  return mergeCompat({ ...defaults, ...provider?.compat, ...modelCompat }, compat && parseCompat(compat));
}

/** Whether the model uses the provider's usual URL. Local servers may have any URL. */
function isAtKnownOrigin({ baseUrl, keyless }: Provider, model: Model): boolean {
  return keyless === true || baseUrl === '' || getOrigin(baseUrl) === getOrigin(model.baseUrl);
}

/** A custom provider may have another id but the URL of a known provider. */
function findKnownProvider({ provider, baseUrl }: Model): Provider | undefined {
  const byId = PROVIDERS.find(({ id }) => id === provider);
  return byId ?? PROVIDERS.find((known) => known.baseUrl !== '' && getOrigin(known.baseUrl) === getOrigin(baseUrl));
}

function getOrigin(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : url;
}

/** Claude behind this format has its own rules: cache markers and stricter call ids. */
export function usesClaudeRules({ id }: Model, { cacheControlFormat, thinkingFormat }: Compat): boolean {
  if (cacheControlFormat !== undefined) return cacheControlFormat === 'anthropic';
  return thinkingFormat === 'openrouter' && /^~?anthropic\//.test(id);
}
