// First floor, dialects: lines on their way out, and how two of them become one while the host is slow.
import { jsonStringBody, toJson } from '../../base/index.ts';
import type { Chunk, Frame } from '../../contracts/index.ts';
import type { AgentEventOf } from '../../protocol/index.ts';

export function plainFrame(value: unknown): Frame {
  const line = `${toJson(value)}\n`;
  return { chunks: [line], bytes: line.length };
}

interface Growth {
  readonly type: string;
  readonly contentIndex: number;
  /** What is new, as it stands between the quotes of a JSON string. */
  readonly body: string;
}

/** A delta, and around it the message as it stands after it; `message` is empty when only deltas are sent. */
interface UpdateFrame extends MessageFrame {
  readonly growth: Growth;
}

export function deltaFrame(
  event: { type: string; contentIndex: number; delta: string },
  message: readonly Chunk[],
): UpdateFrame {
  const { type, contentIndex, delta } = event;
  return growthFrame({ type, contentIndex, body: jsonStringBody(delta) }, message);
}

/** Updates that add text to the same block fold: the later message with both deltas, neither of them serialised again. */
function growthFrame(growth: Growth, message: readonly Chunk[]): UpdateFrame {
  const { type, contentIndex, body } = growth;
  return {
    ...updateLine(`{"type":"${type}","contentIndex":${contentIndex},"delta":"${body}"`, message),
    growth,
    fold(next) {
      const { growth: later, message: whole } = next as Partial<UpdateFrame>;
      if (!later || !whole || later.type !== type || later.contentIndex !== contentIndex) return undefined;
      return growthFrame({ type, contentIndex, body: body + later.body }, whole);
    },
  };
}

interface MessageFrame extends Frame {
  readonly message: readonly Chunk[];
}

/** `inner` is the JSON of the stream event without its closing brace. */
export function updateLine(inner: string, message: readonly Chunk[]): MessageFrame {
  const chunks =
    message.length === 0
      ? [`{"type":"message_update","assistantMessageEvent":${inner}}}\n`]
      : [
          '{"type":"message_update","message":',
          ...message,
          `,"assistantMessageEvent":${inner},"partial":`,
          ...message,
          '}}\n',
        ];
  return { chunks, bytes: chunks.reduce((sum, chunk) => sum + chunk.length, 0), message };
}

/** A tool's output so far replaces what it was before. */
export function toolUpdateFrame(event: AgentEventOf<'tool_execution_update'>): Frame & { toolCallId: string } {
  return {
    ...plainFrame(event),
    toolCallId: event.toolCallId,
    fold: (next) => ((next as { toolCallId?: string }).toolCallId === event.toolCallId ? next : undefined),
  };
}
