// First floor, dialects: messages and tool results in the shapes of legacy pi. Pure.
import { type AgentEventOf, type AgentMessage, noUsage, textOf } from '../../protocol/index.ts';

/** What a user only wrote is a plain string, with or without files beside it. */
export function legacyMessage(message: AgentMessage): AgentMessage {
  if (message.role !== 'user' || typeof message.content === 'string') return message;
  const [first, ...others] = message.content;
  return first?.type === 'text' && others.length === 0 ? { ...message, content: first.text } : message;
}

/** A message begins; an answer begins empty, whatever became of it. */
export function legacyOpening(message: AgentMessage): AgentMessage {
  if (message.role !== 'assistant') return legacyMessage(message);
  const { errorMessage: _, ...rest } = message;
  return { ...rest, content: [], usage: noUsage(), stopReason: 'stop' };
}

type ToolEnd = Omit<AgentEventOf<'tool_execution_end'>, 'result' | 'durationMs'> & { result: unknown };

/** The words of a failure are all there is of its result. */
export function legacyToolEnd({ durationMs: _, ...end }: AgentEventOf<'tool_execution_end'>): ToolEnd {
  return end.isError ? { ...end, result: textOf(end.result.content) } : end;
}
