// Converts messages to the format of pi.
import type { AgentMessage } from '../../protocol/index.ts';

/** An assistant message that has just started gets `pending`. One that failed before it started keeps its stop reason. */
export function toPiMessageStart(message: AgentMessage): object {
  const isPending = message.role === 'assistant' && message.stopReason === 'stop' && message.content.length === 0;
  return isPending ? { ...message, stopReason: 'pending' } : message;
}
