// Remembers which messages were printed, so that a snapshot after a lost connection prints only the other ones.
import { type AgentMessage, extractText } from '../../protocol/index.ts';

const MAX_REMEMBERED = 500;

export class ShownMessages {
  readonly #keys = new Set<string>();

  add(message: AgentMessage): void {
    this.#addKey(getKey(message));
  }

  /** The result of this call was printed. Its message follows later. */
  addToolResult(toolCallId: string): void {
    this.#addKey(getToolKey(toolCallId));
  }

  /** The messages after the last one that was printed. `undefined` if none of them was. */
  findMissed(messages: readonly AgentMessage[]): readonly AgentMessage[] | undefined {
    if (this.#keys.size === 0) return messages;
    const last = messages.findLastIndex((message) => this.#keys.has(getKey(message)));
    return last < 0 && messages.length > 0 ? undefined : messages.slice(last + 1);
  }

  clear(): void {
    this.#keys.clear();
  }

  #addKey(key: string): void {
    this.#keys.add(key);
    for (const oldest of this.#keys) {
      if (this.#keys.size <= MAX_REMEMBERED) return;
      this.#keys.delete(oldest);
    }
  }
}

/** Messages have no id. The length distinguishes messages of the same millisecond. */
function getKey(message: AgentMessage): string {
  if (message.role === 'toolResult') return getToolKey(message.toolCallId);
  const length = 'content' in message ? extractText(message.content).length : 0;
  return `${message.role} ${message.timestamp} ${length}`;
}

function getToolKey(toolCallId: string): string {
  return `tool ${toolCallId}`;
}
