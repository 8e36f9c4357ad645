// First floor, dialects: what happens in the sessions of subagents, as omp tells it. Loaded when a host asks for it.
import type { Chunk, Frame, SubagentLevel } from '../../contracts/index.ts';
import type { AgentEvent } from '../../protocol/index.ts';
import { plainFrame } from '../frames.ts';
import type { Spell } from './spelling.ts';

/** `spelling` is made anew for each subagent: every one of them has a message of its own that grows. */
export function createSubagentSpelling(level: Exclude<SubagentLevel, 'off'>, spelling: () => Spell): Spell {
  const spellings = new Map<string, Spell>();
  return (event) => {
    if (event.type === 'subagent_progress') return progressFrame(event.payload.progress.id, plainFrame(event));
    if (event.type === 'subagent_lifecycle') {
      spellings.delete(event.payload.id);
      return plainFrame(event);
    }
    if (event.type !== 'subagent_event' || level !== 'events') return undefined;
    const { id, event: inner } = event.payload;
    const spell = spellings.get(id) ?? spelling();
    spellings.set(id, spell);
    const frame = spell(inner as AgentEvent);
    return frame && new InnerFrame(id, frame);
  };
}

/** What a subagent does now takes the place of what it did before. */
function progressFrame(subagentId: string, frame: Frame): Frame & { subagentId: string } {
  return {
    ...frame,
    subagentId,
    fold: (next) => ((next as { subagentId?: string }).subagentId === subagentId ? next : undefined),
  };
}

/** A line of a subagent's own inside one of ours; two of them fold when the lines inside do. */
class InnerFrame implements Frame {
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
    if (!(next instanceof InnerFrame) || next.#id !== this.#id) return undefined;
    const folded = this.#inner.fold?.(next.#inner);
    return folded && new InnerFrame(this.#id, folded);
  }
}
