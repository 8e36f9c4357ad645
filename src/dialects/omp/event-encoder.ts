// Encodes the events of one session for omp.
import type { CodecOptions, Frame } from '../../contracts/index.ts';
import type { AgentEvent } from '../../protocol/index.ts';
import { createFrame, createToolUpdateFrame } from '../frames.ts';
import { createDeltaUpdateEncoder, createFullUpdateEncoder } from '../message-update-encoder.ts';
import { ompEvents } from './wire-names.ts';

const encodedEventTypes: ReadonlySet<string> = new Set(ompEvents);

/** Returns `undefined` for events that omp does not define. */
export type EventEncoder = (event: AgentEvent) => Frame | undefined;

/** Keeps state, so each session (the main session or a subagent's) needs its own encoder. */
export function createEventEncoder({ stream }: CodecOptions): EventEncoder {
  const updates = stream === 'full' ? createFullUpdateEncoder() : createDeltaUpdateEncoder();
  return (event) => {
    if (event.type === 'message_start') updates.startMessage();
    if (event.type === 'message_update') return updates.encode(event.assistantMessageEvent);
    if (!encodedEventTypes.has(event.type)) return undefined;
    if (event.type === 'tool_execution_update') return createToolUpdateFrame(event);
    if (event.type !== 'tool_execution_end') return createFrame(event);
    const { durationMs: _, ...end } = event;
    return createFrame(end);
  };
}
