// Adds Claude's prompt cache markers to requests in the Chat Completions format.
import type { WireMessage } from './messages.ts';

const CACHE_MARKER = { cache_control: { type: 'ephemeral' } } as const;

/**
 * Marks the system prompt (which includes the tools before it) and the last two user or tool messages. The last mark
 * writes the cache; the one before is where the previous request wrote it.
 */
export function addCacheMarkers(messages: readonly WireMessage[]): WireMessage[] {
  const userIndexes = messages.flatMap(({ role }, index) => (role === 'user' || role === 'tool' ? [index] : []));
  const markedIndexes = new Set([messages[0]?.role === 'system' ? 0 : -1, ...userIndexes.slice(-2)]);
  return messages.map((message, index) => (markedIndexes.has(index) ? addCacheMarker(message) : message));
}

function addCacheMarker(message: WireMessage): WireMessage {
  const { content } = message;
  const parts = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : [...(content ?? [])];
  const index = parts.findLastIndex(({ type }) => type === 'text');
  const part = parts[index];
  if (!part) return message;
  parts[index] = { ...part, ...CACHE_MARKER };
  return { ...message, content: parts } as WireMessage;
}
