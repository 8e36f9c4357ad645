// First floor, dialects: lines on their way out, and how two of them become one while the host is slow.
import { toJson } from '../../base/index.ts';
import type { Chunk, Frame } from '../../contracts/index.ts';
import type { AgentEventOf } from '../../protocol/index.ts';

export function plainFrame(value: unknown): Frame {
  const line = `${toJson(value)}\n`;
  return { chunks: [line], bytes: line.length };
}

/** A delta, and around it the message as it stands after it; `message` is empty when only deltas are sent. */
interface UpdateFrame extends Frame {
  readonly growth: { type: string; contentIndex: number; delta: string };
}

/** Updates that add text to the same block fold: the later message with both deltas. */
export function deltaFrame(growth: UpdateFrame['growth'], message: readonly Chunk[]): UpdateFrame {
  const inner = `{"type":"${growth.type}","contentIndex":${growth.contentIndex},"delta":${toJson(growth.delta)}`;
  return {
    ...updateLine(inner, message),
    growth,
    fold(next) {
      const later = (next as Partial<UpdateFrame>).growth;
      if (!later || later.type !== growth.type || later.contentIndex !== growth.contentIndex) return undefined;
      return deltaFrame({ ...growth, delta: growth.delta + later.delta }, (next as MessageFrame).message);
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
