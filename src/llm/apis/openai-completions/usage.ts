// Converts the usage of the Chat Completions format.
import type { CompletionUsage } from 'openai/resources/completions';
import { isRecord } from '../../../base/index.ts';
import type { Model, Usage } from '../../../protocol/index.ts';
import { addCost } from '../../cost.ts';

type UsageCounts = Partial<Record<keyof CompletionUsage | 'prompt_cache_hit_tokens' | 'cached_tokens', unknown>>;

/** `prompt_tokens` includes cache reads and writes; our `input` does not. */
export function toUsage(model: Model, counts: UsageCounts): Usage {
  const prompt = counts.prompt_tokens_details;
  const details = isRecord(prompt) ? prompt : {};
  const total = readCount(counts.prompt_tokens);
  // DeepSeek and Moonshot use other field names.
  const read = readCount(details.cached_tokens ?? counts.prompt_cache_hit_tokens ?? counts.cached_tokens);
  const cacheRead = Math.min(read, total);
  const cacheWrite = Math.min(readCount(details.cache_write_tokens), total - cacheRead);
  return addCost(model, {
    input: total - cacheRead - cacheWrite,
    output: countOutputTokens(counts),
    cacheRead,
    cacheWrite,
  });
}

/** Most providers count thinking as part of the completion, some (xAI) separately. Their total shows which. */
function countOutputTokens({
  prompt_tokens,
  completion_tokens,
  total_tokens,
  completion_tokens_details: details,
}: UsageCounts): number {
  const completion = readCount(completion_tokens);
  const thinking = isRecord(details) ? readCount(details.reasoning_tokens) : 0;
  const isCountedSeparately = readCount(total_tokens) === readCount(prompt_tokens) + completion + thinking;
  return isCountedSeparately ? completion + thinking : completion;
}

function readCount(value: unknown): number {
  return typeof value === 'number' && value > 0 ? value : 0;
}
