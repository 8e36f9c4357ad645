// First floor, llm: what an answer cost, as hosts count it. Pure.
import type { CompletionUsage } from 'openai/resources/completions';
import { isRecord } from '../../../base/index.ts';
import type { Model, Usage } from '../../../protocol/index.ts';
import { priced } from '../../cost.ts';

type Counts = Partial<Record<keyof CompletionUsage | 'prompt_cache_hit_tokens' | 'cached_tokens', unknown>>;

/** Prompts are counted with what came from the cache and what went there; ours are without. */
export function usageOf(model: Model, counts: Counts): Usage {
  const prompt = counts.prompt_tokens_details;
  const details = isRecord(prompt) ? prompt : {};
  const total = number(counts.prompt_tokens);
  // DeepSeek and Moonshot say it in places of their own.
  const read = number(details.cached_tokens ?? counts.prompt_cache_hit_tokens ?? counts.cached_tokens);
  const cacheRead = Math.min(read, total);
  const cacheWrite = Math.min(number(details.cache_write_tokens), total - cacheRead);
  return priced(model, { input: total - cacheRead - cacheWrite, output: outputOf(counts), cacheRead, cacheWrite });
}

/** Thinking is a part of the answer, but some hosts (xAI) count it beside it. Their sums show which. */
function outputOf({
  prompt_tokens,
  completion_tokens,
  total_tokens,
  completion_tokens_details: details,
}: Counts): number {
  const answer = number(completion_tokens);
  const thinking = isRecord(details) ? number(details.reasoning_tokens) : 0;
  const beside = number(total_tokens) === number(prompt_tokens) + answer + thinking;
  return beside ? answer + thinking : answer;
}

function number(value: unknown): number {
  return typeof value === 'number' && value > 0 ? value : 0;
}
