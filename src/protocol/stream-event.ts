// Schemas of the events of a streamed assistant message. `partial` is the growing message by reference: readers must not store it.
import { type InferOutput, literal, number, object, optional, picklist, string, variant } from 'valibot';
import { toolCall } from './content.ts';
import { assistantMessage } from './message.ts';

const contentIndex = number();
const partial = assistantMessage;

/** The events that `message_update` contains. */
export const streamEvent = variant('type', [
  object({ type: literal('text_start'), contentIndex, partial }),
  object({ type: literal('text_delta'), contentIndex, delta: string(), partial }),
  object({ type: literal('text_end'), contentIndex, content: string(), partial }),
  object({ type: literal('thinking_start'), contentIndex, partial }),
  object({ type: literal('thinking_delta'), contentIndex, delta: string(), partial }),
  object({ type: literal('thinking_end'), contentIndex, content: string(), partial }),
  object({ type: literal('toolcall_start'), contentIndex, partial }),
  object({ type: literal('toolcall_delta'), contentIndex, delta: string(), partial }),
  object({ type: literal('toolcall_end'), contentIndex, toolCall, partial }),
]);

/** Machine-readable reason of a failed request, used for the retry decision. The text for users is in the message. */
export const providerFailure = object({
  kind: picklist([
    'overloaded',
    'rate_limit',
    'server',
    'network',
    'timeout',
    'malformed',
    'auth',
    'quota',
    'overflow',
    'filter',
    'refused',
    /** A limit of this program: idle time, duration or size of an answer. */
    'limit',
  ]),
  status: optional(number()),
  /** The delay that the provider requests. */
  retryAfterMs: optional(number()),
});

/** The whole stream of a model API. On the wire `start` is a message_start, `done` and `error` are a message_end. */
export const assistantMessageEvent = variant('type', [
  object({ type: literal('start'), partial }),
  streamEvent,
  object({ type: literal('done'), reason: picklist(['stop', 'length', 'toolUse']), message: assistantMessage }),
  object({
    type: literal('error'),
    reason: picklist(['aborted', 'error']),
    error: assistantMessage,
    failure: optional(providerFailure),
  }),
]);

export type ProviderFailure = InferOutput<typeof providerFailure>;
export type StreamEvent = InferOutput<typeof streamEvent>;
export type AssistantMessageEvent = InferOutput<typeof assistantMessageEvent>;
