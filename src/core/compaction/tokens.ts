// Counts the tokens of a conversation: the provider's count up to the last answer, an estimate for the messages after it.
import { type AgentMessage, type AssistantMessage, type SessionEntry, sumTokens } from '../../protocol/index.ts';
import { inlineAttachments } from '../context/attachments.ts';
import { buildContextMessages, entryToMessages } from '../tree/context-path.ts';

const CHARS_PER_TOKEN = 4;
const TOKENS_PER_IMAGE = 1200;

export function estimateTokens(message: AgentMessage): number {
  switch (message.role) {
    case 'assistant':
      return Math.ceil(countAnswerCharacters(message) / CHARS_PER_TOKEN);
    case 'bashExecution':
      return Math.ceil((message.command.length + message.output.length) / CHARS_PER_TOKEN);
    case 'compactionSummary':
    case 'branchSummary':
      return Math.ceil(message.summary.length / CHARS_PER_TOKEN);
    case 'user':
      return estimateContentTokens(inlineAttachments(message).content);
    default:
      return estimateContentTokens(message.content);
  }
}

/** The size of the next request. Counts reported before the newest compaction include messages that it removed, so they are not used. */
export function estimateContextTokens(path: readonly SessionEntry[]): number {
  const compactedAt = path.findLastIndex((entry) => entry.type === 'compaction');
  const countedAt = path.findLastIndex((entry) => readReportedTokens(entry) > 0);
  if (countedAt <= compactedAt) return estimateAll(buildContextMessages(path));
  return readReportedTokens(path[countedAt]) + estimateAll(path.slice(countedAt + 1).flatMap(entryToMessages));
}

function estimateAll(messages: readonly AgentMessage[]): number {
  return messages.reduce((sum, message) => sum + estimateTokens(message), 0);
}

function readReportedTokens(entry: SessionEntry | undefined): number {
  const [message] = entry?.type === 'message' ? entryToMessages(entry) : [];
  if (message?.role !== 'assistant' || message.stopReason === 'error' || message.stopReason === 'aborted') return 0;
  return sumTokens(message.usage);
}

function countAnswerCharacters(message: AssistantMessage): number {
  return message.content.reduce((sum, block) => {
    if (block.type === 'text') return sum + block.text.length;
    if (block.type === 'thinking') return sum + block.thinking.length;
    return sum + block.name.length + JSON.stringify(block.arguments).length;
  }, 0);
}

function estimateContentTokens(
  content: string | readonly ({ type: 'text'; text: string } | { type: 'image' })[],
): number {
  if (typeof content === 'string') return Math.ceil(content.length / CHARS_PER_TOKEN);
  return content.reduce(
    (sum, block) => sum + (block.type === 'text' ? Math.ceil(block.text.length / CHARS_PER_TOKEN) : TOKENS_PER_IMAGE),
    0,
  );
}
