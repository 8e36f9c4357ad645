// Builds models from models.json entries.
import type { Model } from '../protocol/index.ts';
import type { CustomProvider, ModelOverride } from './models-file.ts';

const DEFAULT_CONTEXT_WINDOW = 128_000;
const DEFAULT_MAX_TOKENS = 16_384;

/** Models that a models.json entry defines. `fallback` is used where the entry has no API or base URL. */
export function buildCustomModels(
  name: string,
  entry: CustomProvider,
  fallback: { api: string; baseUrl: string },
): Model[] {
  return (entry.models ?? []).map((model) => {
    const base: Model = {
      id: model.id,
      name: model.id,
      api: entry.api ?? fallback.api,
      provider: name,
      baseUrl: entry.baseUrl ?? fallback.baseUrl,
      reasoning: false,
      input: ['text'],
      contextWindow: DEFAULT_CONTEXT_WINDOW,
      maxTokens: Math.min(DEFAULT_MAX_TOKENS, model.contextWindow ?? DEFAULT_CONTEXT_WINDOW),
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    };
    return applyModelOverride(base, model);
  });
}

/** Headers are left out on purpose: hosts see models, and headers may contain keys. */
export function applyModelOverride(model: Model, override: ModelOverride): Model {
  const { name, api, baseUrl, reasoning, thinkingLevels, input, contextWindow, maxTokens, cost } = override;
  const fields = { name, api, baseUrl, reasoning, thinkingLevels, input, contextWindow, maxTokens };
  const changes = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  return { ...model, ...changes, cost: { ...model.cost, ...cost } };
}
