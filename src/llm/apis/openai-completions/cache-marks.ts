// First floor, llm: marks for Claude's prompt cache, where Claude is reached through another host's format. Pure.
import type { WireMessage } from './messages.ts';

const MARK = { cache_control: { type: 'ephemeral' } } as const;

/**
 * The system prompt (with the tools before it) and the last two messages of the user's side: the last one writes the
 * cache, the one before is where the previous request wrote it.
 */
export function marked(messages: readonly WireMessage[]): WireMessage[] {
  const given = messages.flatMap(({ role }, index) => (role === 'user' || role === 'tool' ? [index] : []));
  const places = new Set([messages[0]?.role === 'system' ? 0 : -1, ...given.slice(-2)]);
  return messages.map((message, index) => (places.has(index) ? markedMessage(message) : message));
}

function markedMessage(message: WireMessage): WireMessage {
  const { content } = message;
  const parts = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : [...(content ?? [])];
  const at = parts.findLastIndex(({ type }) => type === 'text');
  const part = parts[at];
  if (!part) return message;
  parts[at] = { ...part, ...MARK };
  return { ...message, content: parts } as WireMessage;
}
