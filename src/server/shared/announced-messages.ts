// Finds out which messages of a conversation clients know by events. A message is stored before its `message_end` event is sent.
import type { AgentSession } from '../../contracts/index.ts';
import type { AgentEvent, AgentMessage } from '../../protocol/index.ts';

/** Messages of a run that have events. Others, such as outputs of shell commands, are only part of the conversation. */
const ROLES_WITH_EVENTS: ReadonlySet<string> = new Set(['user', 'assistant', 'toolResult', 'custom']);

export class AnnouncedMessages {
  readonly #session: AgentSession;
  /** The message of the last `message_end` event of this conversation. */
  #lastEnded: AgentMessage | undefined;
  /** The messages of the conversation before that event. */
  #knownCount: number;

  constructor(session: AgentSession) {
    this.#session = session;
    this.#knownCount = session.state().messageCount;
  }

  update(event: AgentEvent): void {
    if (event.type === 'message_end') this.#lastEnded = event.message;
    if (event.type !== 'conversation_changed') return;
    this.#lastEnded = undefined;
    this.#knownCount = this.#session.state().messageCount;
  }

  /** Removes the messages whose `message_end` event is still to be sent, so that no client receives them twice. */
  select(messages: readonly AgentMessage[]): readonly AgentMessage[] {
    if (this.#session.runs.isSettled) return messages;
    const count = this.#countKnown(messages);
    return messages.filter(({ role }, index) => index < count || !ROLES_WITH_EVENTS.has(role));
  }

  #countKnown(messages: readonly AgentMessage[]): number {
    const last = this.#lastEnded;
    if (!last) return this.#knownCount;
    const index = messages.lastIndexOf(last);
    const found = index >= 0 ? index : messages.findLastIndex((message) => isSame(message, last));
    return found < 0 ? messages.length : found + 1;
  }
}

/** A message that was read from the log again is another object. */
function isSame(message: AgentMessage, other: AgentMessage): boolean {
  return (
    message.role === other.role && message.timestamp === other.timestamp && getCallId(message) === getCallId(other)
  );
}

function getCallId(message: AgentMessage): string | undefined {
  return message.role === 'toolResult' ? message.toolCallId : undefined;
}
