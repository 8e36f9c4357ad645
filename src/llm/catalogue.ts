// Models of the built-in catalogue. The data is loaded on first use.
import { getOwnValue } from '../base/index.ts';
import type { Model } from '../protocol/index.ts';
import type { Provider } from './providers/providers.ts';

/** Providers that offer the models of another provider: id → provider id in the catalogue. */
const CATALOGUE_ALIASES: Readonly<Record<string, string>> = { azure: 'openai' };

/** `baseUrl` is the effective base URL, after settings and environment. */
export async function loadCatalogueModels(provider: Provider, baseUrl: string): Promise<Model[]> {
  const [{ ROWS }, { rowToModel }] = await Promise.all([
    import('./catalogue/generated.ts'),
    import('./catalogue/row.ts'),
  ]);
  return (getOwnValue(ROWS, getOwnValue(CATALOGUE_ALIASES, provider.id) ?? provider.id) ?? []).map((row) =>
    rowToModel(row, provider, baseUrl),
  );
}
