// Encodes the events of one session for omp.
import type { CodecOptions, EventEncoder } from '../../contracts/index.ts';
import { createFrame, createToolUpdateFrame } from '../frames.ts';
import { createDeltaUpdateEncoder, createFullUpdateEncoder } from '../message-update-encoder.ts';
import { ompEvents, subagentSubscriptionEvents } from './wire-names.ts';

const encodedEventTypes: ReadonlySet<string> = new Set(ompEvents);
/** Clients of a server receive all events but these, which they subscribe to. */
const subscribedEventTypes: ReadonlySet<string> = new Set(subagentSubscriptionEvents);

/** Keeps state, so each session (the main session or a subagent's) needs its own encoder. */
export function createEventEncoder({ stream, addPosition }: CodecOptions): EventEncoder {
  const updates = stream === 'full' ? createFullUpdateEncoder() : createDeltaUpdateEncoder();
  const encode: EventEncoder = (event, position) => {
    if (event.type === 'message_start') updates.startMessage();
    if (event.type === 'message_update') return updates.encode(event.assistantMessageEvent);
    const isEncoded = position ? !subscribedEventTypes.has(event.type) : encodedEventTypes.has(event.type);
    if (!isEncoded) return undefined;
    if (event.type === 'tool_execution_update') return createToolUpdateFrame(event);
    if (event.type !== 'tool_execution_end') return createFrame(event);
    const { durationMs: _, ...end } = event;
    return createFrame(end);
  };
  return (event, position) => {
    const frame = encode(event, position);
    return frame && position && addPosition ? addPosition(frame, position) : frame;
  };
}
