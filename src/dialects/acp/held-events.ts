// Events of a session that happened before the client learned of it: those of the run in progress, and notices.
import type { AgentEvent, AgentEventOf, AgentMessage } from '../../protocol/index.ts';
import type { HeldEvent } from './connection-state.ts';

/** They belong to no run. The client gets them after the response that names the session. */
export function isNotice({ event }: HeldEvent): boolean {
  return event.type === 'notice' || event.type === 'extension_error';
}

/** Returns whether events of a message are among the held ones. A message that was read from the log is another object. */
export function createMessageFilter(held: readonly HeldEvent[]): (message: AgentMessage) => boolean {
  const messages = held.flatMap(({ event }) => getMessage(event) ?? []);
  const keys = new Set(messages.map(getKey));
  return (message) => keys.has(getKey(message));
}

/** Of a very long run the oldest events are not available. Then the held events begin inside a message, which is returned. */
export function findOpenMessage(held: readonly HeldEvent[]): OpenMessage | undefined {
  const first = held.findIndex(({ event }) => getMessage(event) !== undefined);
  if (held[first]?.event.type !== 'message_update') return undefined;
  const next = held.findIndex((one, index) => index > first && one.event.type !== 'message_update');
  const end = next < 0 ? held.length : next;
  const { event, position } = held[end - 1] as HeldEvent & { event: AgentEventOf<'message_update'> };
  return { message: event.message, position, end };
}

interface OpenMessage {
  /** With its content so far. */
  readonly message: AgentEventOf<'message_update'>['message'];
  readonly position: HeldEvent['position'];
  /** The index after its last update. */
  readonly end: number;
}

function getMessage(event: AgentEvent): AgentMessage | undefined {
  return event.type === 'message_start' || event.type === 'message_update' || event.type === 'message_end'
    ? event.message
    : undefined;
}

function getKey({ role, timestamp }: AgentMessage): string {
  return `${role} ${timestamp}`;
}
