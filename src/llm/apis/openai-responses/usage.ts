// Converts the usage of the OpenAI Responses format.
import type { ResponseUsage } from 'openai/resources/responses/responses';
import type { Model, Usage } from '../../../protocol/index.ts';
import { addCost } from '../../cost.ts';

/** `input_tokens` includes cached tokens. Older models do not report cache writes. */
export function toUsage(model: Model, wire: ResponseUsage): Usage {
  const details: Partial<ResponseUsage.InputTokensDetails> = wire.input_tokens_details ?? {};
  const cacheRead = details.cached_tokens ?? 0;
  // Without a separate price for cache writes they are charged as input.
  const cacheWrite = model.cost.cacheWrite > 0 ? (details.cache_write_tokens ?? 0) : 0;
  const input = Math.max(0, (wire.input_tokens ?? 0) - cacheRead - cacheWrite);
  return addCost(model, { input, output: wire.output_tokens ?? 0, cacheRead, cacheWrite });
}
