// Converts messages and tool results to the format of legacy pi.
import { type AgentEventOf, type AgentMessage, createEmptyUsage, extractText } from '../../protocol/index.ts';

/** A user message with only one text block becomes a plain string. */
export function toLegacyMessage(message: AgentMessage): AgentMessage {
  if (message.role !== 'user' || typeof message.content === 'string') return message;
  const [first, ...others] = message.content;
  return first?.type === 'text' && others.length === 0 ? { ...message, content: first.text } : message;
}

/** An assistant message starts empty, without its content and error. */
export function toLegacyMessageStart(message: AgentMessage): AgentMessage {
  if (message.role !== 'assistant') return toLegacyMessage(message);
  const { errorMessage: _, ...rest } = message;
  return { ...rest, content: [], usage: createEmptyUsage(), stopReason: 'stop' };
}

type LegacyToolEnd = Omit<AgentEventOf<'tool_execution_end'>, 'result' | 'durationMs'> & { result: unknown };

/** The result of a failed call is only its text. */
export function toLegacyToolEnd({ durationMs: _, ...end }: AgentEventOf<'tool_execution_end'>): LegacyToolEnd {
  return end.isError ? { ...end, result: extractText(end.result.content) } : end;
}
