// First floor, core: how much of the context window a conversation fills. The provider's own count first, an estimate for the rest.
import { type AgentMessage, type AssistantMessage, totalTokens } from '../../protocol/index.ts';

const CHARS_PER_TOKEN = 4;
const TOKENS_PER_IMAGE = 1200;

export function estimateTokens(message: AgentMessage): number {
  switch (message.role) {
    case 'assistant':
      return Math.ceil(answerLength(message) / CHARS_PER_TOKEN);
    case 'bashExecution':
      return Math.ceil((message.command.length + message.output.length) / CHARS_PER_TOKEN);
    case 'compactionSummary':
    case 'branchSummary':
      return Math.ceil(message.summary.length / CHARS_PER_TOKEN);
    default:
      return contentTokens(message.content);
  }
}

/** What the next request would weigh. */
export function contextTokens(messages: readonly AgentMessage[]): number {
  const at = messages.findLastIndex(hasUsage);
  const counted = at < 0 ? 0 : totalTokens((messages[at] as AssistantMessage).usage);
  return messages.slice(at + 1).reduce((sum, message) => sum + estimateTokens(message), counted);
}

function hasUsage(message: AgentMessage): boolean {
  if (message.role !== 'assistant' || message.stopReason === 'error' || message.stopReason === 'aborted') return false;
  return totalTokens(message.usage) > 0;
}

function answerLength(message: AssistantMessage): number {
  return message.content.reduce((sum, block) => {
    if (block.type === 'text') return sum + block.text.length;
    if (block.type === 'thinking') return sum + block.thinking.length;
    return sum + block.name.length + JSON.stringify(block.arguments).length;
  }, 0);
}

function contentTokens(content: string | readonly ({ type: 'text'; text: string } | { type: 'image' })[]): number {
  if (typeof content === 'string') return Math.ceil(content.length / CHARS_PER_TOKEN);
  return content.reduce(
    (sum, block) => sum + (block.type === 'text' ? Math.ceil(block.text.length / CHARS_PER_TOKEN) : TOKENS_PER_IMAGE),
    0,
  );
}
