// Drops messages of a server that need no work, before they are parsed any further: a server may send them without end.
import { isRecord } from '../base/index.ts';
import type { Clock } from '../contracts/index.ts';

const LIST_CHANGE = /^notifications\/(tools|prompts|resources)\/list_changed$/;
/** Other notifications that have an effect. The rest is dropped. */
const HANDLED = new Set([
  'notifications/cancelled',
  'notifications/progress',
  'notifications/message',
  'notifications/subscriptions/acknowledged',
]);
/** After this many log messages in one connection, the rest is dropped. */
export const MAX_LOG_MESSAGES = 1000;
/** Changes of a list within this time after another one are dropped. Shorter than the delay after which the list is read. */
const LIST_CHANGE_INTERVAL_MS = 200;

export class MessageFilter {
  readonly #clock: Clock;
  readonly #listChanges = new Map<string, number>();
  #logMessages = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether the value is a JSON-RPC message that the client must see. */
  accepts(message: unknown): boolean {
    if (!isRecord(message) || message.jsonrpc !== '2.0') return false;
    if (typeof message.method !== 'string') return message.id !== undefined;
    return message.id !== undefined || this.#acceptsNotification(message.method);
  }

  #acceptsNotification(method: string): boolean {
    if (method === 'notifications/message') {
      this.#logMessages += 1;
      return this.#logMessages <= MAX_LOG_MESSAGES;
    }
    if (!LIST_CHANGE.test(method)) return HANDLED.has(method);
    const now = this.#clock.now();
    if (now - (this.#listChanges.get(method) ?? Number.NEGATIVE_INFINITY) < LIST_CHANGE_INTERVAL_MS) return false;
    this.#listChanges.set(method, now);
    return true;
  }
}
