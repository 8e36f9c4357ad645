// First floor, dialects: lines on their way out, and how two of them become one while the host is slow.
import { jsonStringBody, toJson } from '../../base/index.ts';
import type { Chunk, Frame } from '../../contracts/index.ts';
import type { AgentEventOf } from '../../protocol/index.ts';

export function plainFrame(value: unknown): Frame {
  const line = `${toJson(value)}\n`;
  return { chunks: [line], bytes: line.length };
}

export function deltaFrame(
  event: { type: string; contentIndex: number; delta: string },
  message: readonly Chunk[],
): Frame {
  const { type, contentIndex, delta } = event;
  return new GrowthFrame(type, contentIndex, jsonStringBody(delta), message);
}

/**
 * A delta, and around it the message as it stands after it; `message` is empty when only deltas are sent. Those that add to
 * the same block fold: the later message with both deltas, neither of them serialised again. A class, because thousands
 * are made and most are written at once.
 */
class GrowthFrame implements Frame {
  readonly chunks: readonly Chunk[];
  readonly bytes: number;
  readonly #type: string;
  readonly #contentIndex: number;
  /** What is new, as it stands between the quotes of a JSON string. */
  readonly #body: string;
  readonly #message: readonly Chunk[];

  constructor(type: string, contentIndex: number, body: string, message: readonly Chunk[]) {
    this.#type = type;
    this.#contentIndex = contentIndex;
    this.#body = body;
    this.#message = message;
    this.chunks = updateChunks(`{"type":"${type}","contentIndex":${contentIndex},"delta":"${body}"`, message);
    this.bytes = lengthOf(this.chunks);
  }

  fold(next: Frame): Frame | undefined {
    if (!(next instanceof GrowthFrame)) return undefined;
    if (next.#type !== this.#type || next.#contentIndex !== this.#contentIndex) return undefined;
    return new GrowthFrame(this.#type, this.#contentIndex, this.#body + next.#body, next.#message);
  }
}

/** `inner` is the JSON of the stream event without its closing brace. */
export function updateFrame(inner: string, message: readonly Chunk[]): Frame {
  const chunks = updateChunks(inner, message);
  return { chunks, bytes: lengthOf(chunks) };
}

function updateChunks(inner: string, message: readonly Chunk[]): readonly Chunk[] {
  if (message.length === 0) return [`{"type":"message_update","assistantMessageEvent":${inner}}}\n`];
  return [
    '{"type":"message_update","message":',
    ...message,
    `,"assistantMessageEvent":${inner},"partial":`,
    ...message,
    '}}\n',
  ];
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
