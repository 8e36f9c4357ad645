// First floor, dialects: lines on their way out, and how two of them become one while the host is slow.
import { jsonStringBody, toJson } from '../base/index.ts';
import type { Chunk, Frame } from '../contracts/index.ts';
import type { AgentEventOf } from '../protocol/index.ts';

export function plainFrame(value: unknown): Frame {
  const line = `${toJson(value)}\n`;
  return { chunks: [line], bytes: line.length };
}

/** Puts what stands around a stream event: the JSON of the event comes without its closing brace. */
export type Wrap = (inner: string) => readonly Chunk[];

export function deltaFrame(event: { type: string; contentIndex: number; delta: string }, wrap: Wrap): Frame {
  const { type, contentIndex, delta } = event;
  return new GrowthFrame(type, contentIndex, jsonStringBody(delta), wrap);
}

/**
 * A delta, and around it what the dialect shows of the message as it stands after it. Those that add to the same block
 * fold: the later surroundings with both deltas, neither of them serialised again. A class, because thousands are made
 * and most are written at once.
 */
class GrowthFrame implements Frame {
  readonly chunks: readonly Chunk[];
  readonly bytes: number;
  readonly #type: string;
  readonly #contentIndex: number;
  /** What is new, as it stands between the quotes of a JSON string. */
  readonly #body: string;
  readonly #wrap: Wrap;

  constructor(type: string, contentIndex: number, body: string, wrap: Wrap) {
    this.#type = type;
    this.#contentIndex = contentIndex;
    this.#body = body;
    this.#wrap = wrap;
    this.chunks = wrap(`{"type":"${type}","contentIndex":${contentIndex},"delta":"${body}"`);
    this.bytes = lengthOf(this.chunks);
  }

  fold(next: Frame): Frame | undefined {
    if (!(next instanceof GrowthFrame)) return undefined;
    if (next.#type !== this.#type || next.#contentIndex !== this.#contentIndex) return undefined;
    return new GrowthFrame(this.#type, this.#contentIndex, this.#body + next.#body, next.#wrap);
  }
}

/** A stream event that adds no text: a block begins or ends. */
export function updateFrame(event: object, wrap: Wrap): Frame {
  const chunks = wrap(toJson(event).slice(0, -1));
  return { chunks, bytes: lengthOf(chunks) };
}

/** Nothing but what is new. */
export const bare: Wrap = (inner) => [`{"type":"message_update","assistantMessageEvent":${inner}}}\n`];

/** With the whole message so far, once for the frame and once for the stream event in it. */
export function around(message: readonly Chunk[]): Wrap {
  return (inner) => [
    '{"type":"message_update","message":',
    ...message,
    `,"assistantMessageEvent":${inner},"partial":`,
    ...message,
    '}}\n',
  ];
}

/** With what the answer has used up so far, which is JSON already. */
export function beside(usage: string): Wrap {
  return (inner) => [`{"type":"message_update","usage":${usage},"assistantMessageEvent":${inner}}}\n`];
}

function lengthOf(chunks: readonly Chunk[]): number {
  let length = 0;
  for (const chunk of chunks) length += chunk.length;
  return length;
}

/** A tool's output so far replaces what it was before. */
export function toolUpdateFrame(event: AgentEventOf<'tool_execution_update'>): Frame & { toolCallId: string } {
  return {
    ...plainFrame(event),
    toolCallId: event.toolCallId,
    fold: (next) => ((next as { toolCallId?: string }).toolCallId === event.toolCallId ? next : undefined),
  };
}
