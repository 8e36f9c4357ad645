// First floor, dialects: an assistant message on its way out while it grows: with all of it in every frame, or only what is new.
import { toJson } from '../base/index.ts';
import type { Frame } from '../contracts/index.ts';
import type { StreamEvent } from '../protocol/index.ts';
import { around, bare, beside, deltaFrame, updateFrame, type Wrap } from './frames.ts';
import { GrowingMessage } from './growing-message.ts';

/** Follows one message after another. `begin` is told when the next one starts. */
export interface Updates {
  begin(): void;
  frame(event: StreamEvent): Frame;
}

export function fullUpdates(): Updates {
  let growing = new GrowingMessage();
  return {
    begin() {
      growing = new GrowingMessage();
    },
    frame(event) {
      const wrap = around(growing.after(event));
      if ('delta' in event) return deltaFrame(event, wrap);
      const { partial: _, ...inner } = event;
      return updateFrame(inner, wrap);
    },
  };
}

export function deltaUpdates(): Updates {
  return { begin() {}, frame: (event) => deltaOnly(event, bare) };
}

export function usageUpdates(): Updates {
  // The count is a new object whenever it changes.
  let known: { usage: unknown; wrap: Wrap } = { usage: undefined, wrap: bare };
  return {
    begin() {},
    frame(event) {
      const { usage } = event.partial;
      if (known.usage !== usage) known = { usage, wrap: beside(toJson(usage)) };
      return deltaOnly(event, known.wrap);
    },
  };
}

function deltaOnly(event: StreamEvent, wrap: Wrap): Frame {
  if ('delta' in event) return deltaFrame(event, wrap);
  const { partial, ...inner } = event;
  return updateFrame(withCall(inner, partial), wrap);
}

/** Without the growing message a host could not tell which tool is being called; the start says so. */
function withCall<E extends { type: string; contentIndex: number }>(event: E, partial: StreamEvent['partial']): E {
  const block = partial.content[event.contentIndex];
  if (event.type !== 'toolcall_start' || block?.type !== 'toolCall') return event;
  return { ...event, id: block.id, toolName: block.name };
}
