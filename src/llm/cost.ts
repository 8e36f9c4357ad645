// Calculates the cost of token counts.
import type { Model, Usage } from '../protocol/index.ts';

const TOKENS_PER_PRICE = 1_000_000;

/** `input` counts tokens that were neither read from nor written to a cache. Prices are per million tokens. */
export function addCost(model: Model, tokens: Omit<Usage, 'cost'>): Usage {
  const cost = {
    input: (tokens.input * model.cost.input) / TOKENS_PER_PRICE,
    output: (tokens.output * model.cost.output) / TOKENS_PER_PRICE,
    cacheRead: (tokens.cacheRead * model.cost.cacheRead) / TOKENS_PER_PRICE,
    cacheWrite: (tokens.cacheWrite * model.cost.cacheWrite) / TOKENS_PER_PRICE,
  };
  return { ...tokens, cost: { ...cost, total: cost.input + cost.output + cost.cacheRead + cost.cacheWrite } };
}
