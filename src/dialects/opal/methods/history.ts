// The messages of a session in the format of Opal.
import { array, boolean, nullable, object, optional, record, string, unknown } from 'valibot';
import { indexEntries } from '../../../protocol/entry-index.ts';
import { type AgentMessage, extractText, getToolCalls, type SessionEntry } from '../../../protocol/index.ts';

export const historyMessage = object({
  id: string(),
  role: string(),
  content: nullable(string()),
  is_error: boolean(),
  thinking: optional(string()),
  call_id: optional(string()),
  name: optional(string()),
  tool_calls: optional(array(object({ call_id: string(), name: string(), arguments: record(string(), unknown()) }))),
});

/** The messages from the root to the current leaf. */
export function buildHistory({ entries, leafId }: { entries: readonly SessionEntry[]; leafId: string | null }) {
  const index = indexEntries(entries);
  const path = index.pathTo(index.findPosition(leafId));
  return { messages: path.flatMap((entry) => (entry.type === 'message' ? [toHistoryMessage(entry)] : [])) };
}

function toHistoryMessage({ id, message }: Extract<SessionEntry, { type: 'message' }>) {
  const common = { id, role: toRole(message), content: toContent(message), is_error: false };
  if (message.role === 'toolResult') {
    const { toolCallId, toolName: name, isError } = message;
    return { ...common, call_id: toolCallId, name, is_error: isError };
  }
  if (message.role !== 'assistant') return common;
  const thinking = message.content.map((block) => (block.type === 'thinking' ? block.thinking : '')).join('');
  const calls = getToolCalls(message).map((call) => ({
    call_id: call.id,
    name: call.name,
    arguments: call.arguments,
  }));
  return {
    ...common,
    is_error: message.stopReason === 'error',
    ...(thinking === '' ? {} : { thinking }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

function toRole({ role }: AgentMessage): string {
  if (role === 'toolResult') return 'tool_result';
  return role === 'assistant' ? role : 'user';
}

function toContent(message: AgentMessage): string | null {
  return 'content' in message ? extractText(message.content) || null : null;
}
