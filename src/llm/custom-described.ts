// First floor, llm: models as models.json describes them. Pure.
import type { Model } from '../protocol/index.ts';
import type { CustomProvider, Description } from './custom-file.ts';

const CONTEXT_WINDOW = 128_000;
const MAX_TOKENS = 16_384;

/** The models that an entry describes itself. `fallback` is where its provider is otherwise. */
export function describedModels(
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
      contextWindow: CONTEXT_WINDOW,
      maxTokens: Math.min(MAX_TOKENS, model.contextWindow ?? CONTEXT_WINDOW),
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    };
    return redescribed(base, model);
  });
}

/** Headers are left out on purpose: hosts are shown models, and headers may hold keys. */
export function redescribed(model: Model, by: Description): Model {
  const { name, api, baseUrl, reasoning, thinkingLevels, input, contextWindow, maxTokens, cost } = by;
  const said = { name, api, baseUrl, reasoning, thinkingLevels, input, contextWindow, maxTokens };
  const changes = Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined));
  return { ...model, ...changes, cost: { ...model.cost, ...cost } };
}
