// Counts the messages, tool calls, tokens and cost of a conversation. Pure.
import { type AgentMessage, getToolCalls, type SessionStats, sumTokens } from '../../protocol/index.ts';

export function countMessages(messages: readonly AgentMessage[]): Omit<SessionStats, 'sessionFile' | 'sessionId'> {
  const counts = {
    userMessages: 0,
    assistantMessages: 0,
    toolCalls: 0,
    toolResults: 0,
    totalMessages: messages.length,
  };
  const tokens = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  let cost = 0;
  for (const message of messages) {
    if (message.role === 'user') counts.userMessages++;
    if (message.role === 'toolResult') counts.toolResults++;
    if (message.role !== 'assistant') continue;
    counts.assistantMessages++;
    counts.toolCalls += getToolCalls(message).length;
    tokens.input += message.usage.input;
    tokens.output += message.usage.output;
    tokens.cacheRead += message.usage.cacheRead;
    tokens.cacheWrite += message.usage.cacheWrite;
    tokens.total += sumTokens(message.usage);
    cost += message.usage.cost.total;
  }
  return { ...counts, tokens, cost };
}
