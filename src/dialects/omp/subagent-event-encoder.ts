// Encodes the events of subagents for omp. Loaded when the host subscribes to them.
import type { Chunk, EventEncoder, Frame, SubagentSubscription } from '../../contracts/index.ts';
import type { AgentEvent } from '../../protocol/index.ts';
import { createFrame } from '../frames.ts';

/** Calls `createEncoder` once per subagent, because an encoder keeps the partial message of its session. */
export function createSubagentEventEncoder(
  level: Exclude<SubagentSubscription, 'off'>,
  createEncoder: () => EventEncoder,
): EventEncoder {
  const encoders = new Map<string, EventEncoder>();
  return (event) => {
    if (event.type === 'subagent_progress') return createProgressFrame(event.payload.progress.id, createFrame(event));
    if (event.type === 'subagent_lifecycle') {
      encoders.delete(event.payload.id);
      return createFrame(event);
    }
    if (event.type !== 'subagent_event' || level !== 'events') return undefined;
    const { id, event: inner } = event.payload;
    const encode = encoders.get(id) ?? createEncoder();
    encoders.set(id, encode);
    const frame = encode(inner as AgentEvent);
    return frame && new SubagentEventFrame(id, frame);
  };
}

/** A later progress frame of the same subagent replaces an earlier one. */
function createProgressFrame(subagentId: string, frame: Frame): Frame & { subagentId: string } {
  return {
    ...frame,
    subagentId,
    fold: (next) => ((next as { subagentId?: string }).subagentId === subagentId ? next : undefined),
  };
}

/** Wraps a frame of a subagent's session. Two of them fold when the wrapped frames fold. */
class SubagentEventFrame implements Frame {
  readonly chunks: readonly Chunk[];
  readonly bytes: number;
  readonly #id: string;
  readonly #inner: Frame;

  constructor(id: string, inner: Frame) {
    this.#id = id;
    this.#inner = inner;
    const head = `{"type":"subagent_event","payload":{"id":${JSON.stringify(id)},"event":`;
    const last = inner.chunks.at(-1) as string;
    this.chunks = [head, ...inner.chunks.slice(0, -1), `${last.slice(0, -1)}}}\n`];
    this.bytes = head.length + inner.bytes + 2;
  }

  fold(next: Frame): Frame | undefined {
    if (!(next instanceof SubagentEventFrame) || next.#id !== this.#id) return undefined;
    const folded = this.#inner.fold?.(next.#inner);
    return folded && new SubagentEventFrame(this.#id, folded);
  }
}
