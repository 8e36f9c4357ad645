// Drops messages of a server that need no work, before they are parsed any further: a server may send them without end.
import { isRecord } from '../base/index.ts';

/** Notifications that have an effect. All others are dropped. */
const HANDLED = new Set([
  'notifications/cancelled',
  'notifications/progress',
  'notifications/message',
  'notifications/tools/list_changed',
  'notifications/prompts/list_changed',
  'notifications/resources/list_changed',
  'notifications/subscriptions/acknowledged',
]);
/** After this many log messages in one connection, the rest is dropped. */
const MAX_LOG_MESSAGES = 1000;

export class MessageFilter {
  #logMessages = 0;

  /** Whether the value is a JSON-RPC message that the client must see. */
  accepts(message: unknown): boolean {
    if (!isRecord(message) || message.jsonrpc !== '2.0') return false;
    if (typeof message.method !== 'string') return message.id !== undefined;
    if (message.id !== undefined) return true;
    if (message.method === 'notifications/message') {
      this.#logMessages += 1;
      return this.#logMessages <= MAX_LOG_MESSAGES;
    }
    return HANDLED.has(message.method);
  }
}
