// First floor, llm: what tokens cost. Pure.
import type { Model, Usage } from '../protocol/index.ts';

const MILLION = 1_000_000;

/** `input` is what was neither read from nor written to a cache; prices are for a million tokens. */
export function priced(model: Model, tokens: Omit<Usage, 'cost'>): Usage {
  const cost = {
    input: (tokens.input * model.cost.input) / MILLION,
    output: (tokens.output * model.cost.output) / MILLION,
    cacheRead: (tokens.cacheRead * model.cost.cacheRead) / MILLION,
    cacheWrite: (tokens.cacheWrite * model.cost.cacheWrite) / MILLION,
  };
  return { ...tokens, cost: { ...cost, total: cost.input + cost.output + cost.cacheRead + cost.cacheWrite } };
}
