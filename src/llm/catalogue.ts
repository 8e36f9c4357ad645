// First floor, llm: the models that are known without asking anyone. Loaded when the first of them is wanted.
import { ownValue } from '../base/index.ts';
import type { Model } from '../protocol/index.ts';
import type { Provider } from './providers/providers.ts';

/** Customers of the one get the models of the other. */
const SAME_AS: Readonly<Record<string, string>> = { azure: 'openai' };

/** `baseUrl` is the one in force. */
export async function catalogued(provider: Provider, baseUrl: string): Promise<Model[]> {
  const [{ ROWS }, { modelOf }] = await Promise.all([import('./catalogue/generated.ts'), import('./catalogue/row.ts')]);
  return (ownValue(ROWS, ownValue(SAME_AS, provider.id) ?? provider.id) ?? []).map((row) =>
    modelOf(row, provider, baseUrl),
  );
}
