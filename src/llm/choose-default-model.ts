// Chooses the initial model when only a key decides. Same result as chooseInitialModel, but without loading the catalogue.
import type { Model } from '../protocol/index.ts';
import { DEFAULT_ROWS } from './catalogue/default-rows.ts';
import { rowToModel } from './catalogue/row.ts';
import { resolveBaseUrl } from './providers/base-url.ts';
import { findProvider } from './providers/providers.ts';

/** `undefined` when the full lookup is needed: the base URL is invalid or the provider is not in the table. */
export function chooseDefaultModel(
  id: string,
  env: Readonly<Record<string, string | undefined>>,
  isApiSupported: (model: Model) => boolean,
): Model | undefined {
  const provider = findProvider(id);
  const row = Object.hasOwn(DEFAULT_ROWS, id) ? DEFAULT_ROWS[id] : undefined;
  if (!provider || !row) return undefined;
  try {
    const model = rowToModel(row, provider, resolveBaseUrl(provider, env));
    return isApiSupported(model) ? model : undefined;
  } catch {
    return undefined;
  }
}
