// Builds outgoing frames. Queued frames that can be folded merge into one while the host reads slowly.
import { toJson, toJsonStringBody } from '../base/index.ts';
import type { Chunk, Frame } from '../contracts/index.ts';
import type { AgentEventOf } from '../protocol/index.ts';

export function createFrame(value: unknown): Frame {
  const line = `${toJson(value)}\n`;
  return { chunks: [line], bytes: line.length };
}

/** Adds the outer JSON to a stream event. `inner` is the JSON of the event without its closing brace. */
export type EventWrapper = (inner: string) => readonly Chunk[];

export function createDeltaFrame(
  event: { type: string; contentIndex: number; delta: string },
  wrap: EventWrapper,
): Frame {
  const { type, contentIndex, delta } = event;
  return new MessageDeltaFrame(type, contentIndex, toJsonStringBody(delta), wrap);
}

/**
 * A delta of a content block. Two deltas of the same block fold into one frame, which has both texts and the outer JSON
 * of the later frame. No text is serialized again. This is a class because thousands are created and most of them are
 * written immediately.
 */
class MessageDeltaFrame implements Frame {
  readonly chunks: readonly Chunk[];
  readonly bytes: number;
  readonly #type: string;
  readonly #contentIndex: number;
  /** The delta, escaped for a JSON string, without the quotes. */
  readonly #body: string;
  readonly #wrap: EventWrapper;

  constructor(type: string, contentIndex: number, body: string, wrap: EventWrapper) {
    this.#type = type;
    this.#contentIndex = contentIndex;
    this.#body = body;
    this.#wrap = wrap;
    this.chunks = wrap(`{"type":"${type}","contentIndex":${contentIndex},"delta":"${body}"`);
    this.bytes = sumLengths(this.chunks);
  }

  fold(next: Frame): Frame | undefined {
    if (!(next instanceof MessageDeltaFrame)) return undefined;
    if (next.#type !== this.#type || next.#contentIndex !== this.#contentIndex) return undefined;
    return new MessageDeltaFrame(this.#type, this.#contentIndex, this.#body + next.#body, next.#wrap);
  }
}

/** A stream event without a delta: the start or the end of a block. */
export function createUpdateFrame(event: object, wrap: EventWrapper): Frame {
  const chunks = wrap(toJson(event).slice(0, -1));
  return { chunks, bytes: sumLengths(chunks) };
}

/** Sends only the stream event. */
export const wrapDeltaOnly: EventWrapper = (inner) => [`{"type":"message_update","assistantMessageEvent":${inner}}}\n`];

/** Adds the whole message so far, both to the frame and to the stream event. */
export function createFullMessageWrapper(message: readonly Chunk[]): EventWrapper {
  return (inner) => [
    '{"type":"message_update","message":',
    ...message,
    `,"assistantMessageEvent":${inner},"partial":`,
    ...message,
    '}}\n',
  ];
}

/** Adds the token usage of the message so far. `usage` is already JSON. */
export function createUsageWrapper(usage: string): EventWrapper {
  return (inner) => [`{"type":"message_update","usage":${usage},"assistantMessageEvent":${inner}}}\n`];
}

function sumLengths(chunks: readonly Chunk[]): number {
  let length = 0;
  for (const chunk of chunks) length += chunk.length;
  return length;
}

/** The partial result of a tool is cumulative, so a later update replaces an earlier one. */
export function createToolUpdateFrame(event: AgentEventOf<'tool_execution_update'>): Frame & { toolCallId: string } {
  return {
    ...createFrame(event),
    toolCallId: event.toolCallId,
    fold: (next) => ((next as { toolCallId?: string }).toolCallId === event.toolCallId ? next : undefined),
  };
}
