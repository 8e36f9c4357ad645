// First floor, llm: the model to begin with where only a key decides. Says what first-choice would, without the whole catalogue.
import type { Model } from '../protocol/index.ts';
import { FIRST_ROWS } from './catalogue/first-rows.ts';
import { modelOf } from './catalogue/row.ts';
import { baseUrlOf } from './providers/base-url.ts';
import { findProvider } from './providers/providers.ts';

/** `undefined` when there is more to it: an address that is none, or a provider that is not in the table. */
export function quickChoice(
  id: string,
  env: Readonly<Record<string, string | undefined>>,
  isSpoken: (model: Model) => boolean,
): Model | undefined {
  const provider = findProvider(id);
  const row = Object.hasOwn(FIRST_ROWS, id) ? FIRST_ROWS[id] : undefined;
  if (!provider || !row) return undefined;
  try {
    const model = modelOf(row, provider, baseUrlOf(provider, env));
    return isSpoken(model) ? model : undefined;
  } catch {
    return undefined;
  }
}
