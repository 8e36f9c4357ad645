// First floor, core: what has been said, and starting afresh.
import type { History } from '../../contracts/index.ts';
import { type AgentMessage, type SessionStats, textOf } from '../../protocol/index.ts';
import type { Seat } from './seat.ts';
import { countMessages } from './stats.ts';

export interface HistoryPorts {
  /** Messages that are kept but not yet part of the conversation. */
  held(): readonly AgentMessage[];
  /** Ends what is running, with its last events, and lets go of the conversation. */
  leave(): Promise<void>;
  /** The new conversation is in place. */
  arrive(): void;
}

export class HistoryFacet implements History {
  readonly #seat: Seat;
  readonly #ports: HistoryPorts;

  constructor(seat: Seat, ports: HistoryPorts) {
    this.#seat = seat;
    this.#ports = ports;
  }

  messages(): readonly AgentMessage[] {
    return [...this.#seat.conversation.messages, ...this.#ports.held()];
  }

  get count(): number {
    return this.#seat.conversation.messages.length + this.#ports.held().length;
  }

  /** The newest answer that says something; an aborted one without text does not. */
  lastAssistantText(): string | null {
    const last = this.#seat.conversation.messages.findLast(
      (message) => message.role === 'assistant' && textOf(message.content) !== '',
    );
    return last?.role === 'assistant' ? textOf(last.content) : null;
  }

  stats(): SessionStats {
    const { file, header } = this.#seat.conversation;
    return {
      ...(file === undefined ? {} : { sessionFile: file }),
      sessionId: header.id,
      ...countMessages(this.messages()),
    };
  }

  async startNew(options: { parentSession?: string | undefined }): Promise<{ cancelled: boolean }> {
    await this.#ports.leave();
    const { conversation, artifacts } = this.#seat;
    await conversation.close();
    await artifacts.close();
    this.#seat.sitDown(options);
    this.#ports.arrive();
    return { cancelled: false };
  }
}
