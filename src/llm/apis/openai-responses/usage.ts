// First floor, llm: what an answer in the Responses format cost, in our words. Pure.
import type { ResponseUsage } from 'openai/resources/responses/responses';
import type { Model, Usage } from '../../../protocol/index.ts';
import { priced } from '../../cost.ts';

/** `input_tokens` counts everything, the cached part included; older models do not say what they wrote to the cache. */
export function usageOf(model: Model, wire: ResponseUsage): Usage {
  const details: Partial<ResponseUsage.InputTokensDetails> = wire.input_tokens_details ?? {};
  const cacheRead = details.cached_tokens ?? 0;
  // Where writing has no price of its own, what is written is paid as input.
  const cacheWrite = model.cost.cacheWrite > 0 ? (details.cache_write_tokens ?? 0) : 0;
  const input = Math.max(0, (wire.input_tokens ?? 0) - cacheRead - cacheWrite);
  return priced(model, { input, output: wire.output_tokens ?? 0, cacheRead, cacheWrite });
}
