// Computes the maximum output tokens of a request. Estimates the tokens of messages without usage data.
import type { ModelRequest } from '../../../contracts/index.ts';
import { type ModelMessage, sumTokens } from '../../../protocol/index.ts';

/** Used when the request sets no limit. Providers reserve all of it, and some charge for it. Includes thinking. */
const DEFAULT_MAX_TOKENS = 32_000;
const HIGH_EFFORT_MAX_TOKENS = 64_000;
const MIN_MAX_TOKENS = 1024;
/** A low value overestimates the prompt; a request that does not fit would be rejected. */
const CHARACTERS_PER_TOKEN = 3;
const TOKENS_PER_IMAGE = 1500;

/** Many providers reject a request whose prompt and maximum output together exceed the context window. */
export function computeMaxTokens(request: Omit<ModelRequest, 'signal'>): number {
  const { model, thinkingLevel } = request;
  const isHighEffort = model.reasoning && (thinkingLevel === 'high' || thinkingLevel === 'xhigh');
  const { maxTokens = isHighEffort ? HIGH_EFFORT_MAX_TOKENS : DEFAULT_MAX_TOKENS } = request;
  const requested = Math.min(maxTokens, model.maxTokens);
  const available = model.contextWindow - estimatePromptTokens(request);
  return Math.max(Math.min(requested, available), Math.min(requested, MIN_MAX_TOKENS));
}

/** The usage of the last answer includes everything before it. */
function estimatePromptTokens({ messages, systemPrompt }: Pick<ModelRequest, 'messages' | 'systemPrompt'>): number {
  const last = messages.findLastIndex((message) => message.role === 'assistant' && sumTokens(message.usage) > 0);
  const answer = messages[last];
  const counted = answer?.role === 'assistant' ? sumTokens(answer.usage) : systemPrompt.length / CHARACTERS_PER_TOKEN;
  return Math.ceil(messages.slice(last + 1).reduce((sum, message) => sum + estimateTokens(message), counted));
}

function estimateTokens({ content }: ModelMessage): number {
  if (typeof content === 'string') return content.length / CHARACTERS_PER_TOKEN;
  return content.reduce((sum, block) => {
    if (block.type === 'text') return sum + block.text.length / CHARACTERS_PER_TOKEN;
    if (block.type === 'thinking') return sum + block.thinking.length / CHARACTERS_PER_TOKEN;
    if (block.type === 'toolCall') return sum + JSON.stringify(block.arguments).length / CHARACTERS_PER_TOKEN;
    return sum + TOKENS_PER_IMAGE;
  }, 0);
}
