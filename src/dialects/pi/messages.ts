// First floor, dialects: messages in the shapes of pi. Pure.
import type { AgentMessage } from '../../protocol/index.ts';

/** Nobody knows yet why an answer that begins will stop; one that failed before it began does not begin. */
export function piOpening(message: AgentMessage): object {
  const isOpen = message.role === 'assistant' && message.stopReason === 'stop' && message.content.length === 0;
  return isOpen ? { ...message, stopReason: 'pending' } : message;
}
