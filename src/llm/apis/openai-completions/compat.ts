// First floor, llm: what the host of a request is like: what is known of it, and over that what the user says. Pure.
import type { ApiRequest } from '../../../contracts/index.ts';
import type { Model } from '../../../protocol/index.ts';
import { type Compat, type CompatOverrides, readCompat, withCompat } from '../../providers/compat.ts';
import { PROVIDERS, type Provider } from '../../providers/providers.ts';

export function compatOf({ model, compat }: Pick<ApiRequest, 'model' | 'compat'>): Compat {
  const host = hostOf(model);
  const own = host?.modelCompat?.find(([pattern]) => pattern.test(model.id))?.[1];
  // The hosts of the table accept messages of one role in a row, unless the table says otherwise.
  const known: CompatOverrides = host && isAt(host, model) ? { requiresAlternatingRoles: false } : {};
  return withCompat({ ...known, ...host?.compat, ...own }, compat && readCompat(compat));
}

/** Whether the model is reached where its provider is known to be. A server of the user's own may be anywhere. */
function isAt({ baseUrl, keyless }: Provider, model: Model): boolean {
  return keyless === true || baseUrl === '' || originOf(baseUrl) === originOf(model.baseUrl);
}

/** A custom provider may give a known host another name; its address tells. */
function hostOf({ provider, baseUrl }: Model): Provider | undefined {
  const named = PROVIDERS.find(({ id }) => id === provider);
  return named ?? PROVIDERS.find((known) => known.baseUrl !== '' && originOf(known.baseUrl) === originOf(baseUrl));
}

function originOf(address: string): string {
  return URL.canParse(address) ? new URL(address).origin : address;
}

/** Claude behind another host's format keeps its own rules: marks for its cache, and stricter ids. */
export function isClaude({ id }: Model, { cacheControlFormat, thinkingFormat }: Compat): boolean {
  if (cacheControlFormat !== undefined) return cacheControlFormat === 'anthropic';
  return thinkingFormat === 'openrouter' && /^~?anthropic\//.test(id);
}
