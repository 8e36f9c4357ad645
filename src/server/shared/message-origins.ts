// Remembers which client has queued a message, because a message is delivered by the run of another call.
import { type AgentEvent, extractText } from '../../protocol/index.ts';

/** Queued messages of one session whose client is remembered. */
const MAX_QUEUED = 200;

export class MessageOrigins {
  #queued: { text: string; client: string }[] = [];
  #known: readonly string[] = [];
  /** The user message that was delivered last. */
  #delivered: { text: string; client: string } | undefined;

  /** The client to which the event belongs. `caller` is the client whose call is being worked on. */
  resolve(event: AgentEvent, caller: string | undefined): string | undefined {
    if (event.type === 'queue_update') this.#noteQueued([...event.steering, ...event.followUp], caller);
    if ((event.type !== 'message_start' && event.type !== 'message_end') || event.message.role !== 'user')
      return caller;
    const text = extractText(event.message.content);
    if (event.type === 'message_end') return this.#delivered?.text === text ? this.#delivered.client : caller;
    const index = this.#queued.findIndex((item) => item.text === text);
    this.#delivered = index < 0 ? undefined : this.#queued.splice(index, 1)[0];
    return this.#delivered?.client ?? caller;
  }

  #noteQueued(texts: readonly string[], caller: string | undefined): void {
    const before = [...this.#known];
    for (const text of texts) {
      const index = before.indexOf(text);
      if (index >= 0) before.splice(index, 1);
      else if (caller !== undefined) this.#queued.push({ text, client: caller });
    }
    this.#known = texts;
    this.#queued = this.#queued.slice(-MAX_QUEUED);
  }
}
