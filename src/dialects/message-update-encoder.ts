// Encodes message_update events: with the whole message in every frame, or only with the delta.
import { toJson } from '../base/index.ts';
import type { Frame } from '../contracts/index.ts';
import type { StreamEvent } from '../protocol/index.ts';
import {
  createDeltaFrame,
  createFullMessageWrapper,
  createUpdateFrame,
  createUsageWrapper,
  type EventWrapper,
  wrapDeltaOnly,
} from './frames.ts';
import { PartialMessageEncoder } from './partial-message-encoder.ts';

/** Encodes the messages of one session, one after another. Call `startMessage` when a new one starts. */
export interface MessageUpdateEncoder {
  startMessage(): void;
  encode(event: StreamEvent): Frame;
}

export function createFullUpdateEncoder(): MessageUpdateEncoder {
  let messageEncoder = new PartialMessageEncoder();
  return {
    startMessage() {
      messageEncoder = new PartialMessageEncoder();
    },
    encode(event) {
      const wrap = createFullMessageWrapper(messageEncoder.encode(event));
      if ('delta' in event) return createDeltaFrame(event, wrap);
      const { partial: _, ...inner } = event;
      return createUpdateFrame(inner, wrap);
    },
  };
}

export function createDeltaUpdateEncoder(): MessageUpdateEncoder {
  return { startMessage() {}, encode: (event) => createDeltaOnlyFrame(event, wrapDeltaOnly) };
}

export function createUsageUpdateEncoder(): MessageUpdateEncoder {
  // The usage object is replaced whenever it changes, so comparing references is enough.
  let cached: { usage: unknown; wrap: EventWrapper } = { usage: undefined, wrap: wrapDeltaOnly };
  return {
    startMessage() {},
    encode(event) {
      const { usage } = event.partial;
      if (cached.usage !== usage) cached = { usage, wrap: createUsageWrapper(toJson(usage)) };
      return createDeltaOnlyFrame(event, cached.wrap);
    },
  };
}

function createDeltaOnlyFrame(event: StreamEvent, wrap: EventWrapper): Frame {
  if ('delta' in event) return createDeltaFrame(event, wrap);
  const { partial, ...inner } = event;
  return createUpdateFrame(addToolCallInfo(inner, partial), wrap);
}

/** Without the partial message the host does not know which tool is called, so toolcall_start includes its id and name. */
function addToolCallInfo<E extends { type: string; contentIndex: number }>(
  event: E,
  partial: StreamEvent['partial'],
): E {
  const block = partial.content[event.contentIndex];
  if (event.type !== 'toolcall_start' || block?.type !== 'toolCall') return event;
  return { ...event, id: block.id, toolName: block.name };
}
