// First floor, core: how much of the context window a conversation fills. The provider's own count first, an estimate for the rest.
import { type AgentMessage, type AssistantMessage, type SessionEntry, totalTokens } from '../../protocol/index.ts';
import { withAttachments } from '../context/attachments.ts';
import { messageOf, messagesOf } from '../tree/context-path.ts';

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
    case 'user':
      return contentTokens(withAttachments(message).content);
    default:
      return contentTokens(message.content);
  }
}

/** What the next request would weigh. An answer from before the newest compaction counted what is gone by now. */
export function contextTokens(path: readonly SessionEntry[]): number {
  const compactedAt = path.findLastIndex((entry) => entry.type === 'compaction');
  const countedAt = path.findLastIndex((entry) => usageOf(entry) > 0);
  if (countedAt <= compactedAt) return estimateAll(messagesOf(path));
  return usageOf(path[countedAt]) + estimateAll(path.slice(countedAt + 1).flatMap(messageOf));
}

function estimateAll(messages: readonly AgentMessage[]): number {
  return messages.reduce((sum, message) => sum + estimateTokens(message), 0);
}

function usageOf(entry: SessionEntry | undefined): number {
  const [message] = entry?.type === 'message' ? messageOf(entry) : [];
  if (message?.role !== 'assistant' || message.stopReason === 'error' || message.stopReason === 'aborted') return 0;
  return totalTokens(message.usage);
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
