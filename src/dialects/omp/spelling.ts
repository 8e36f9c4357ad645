// First floor, dialects: how omp spells what happens in one session, from event to event. Knows neither calls nor filters.
import type { CodecOptions, Frame } from '../../contracts/index.ts';
import type { AgentEvent } from '../../protocol/index.ts';
import { plainFrame, toolUpdateFrame } from '../frames.ts';
import { deltaUpdates, fullUpdates } from '../updates.ts';
import { ompEvents } from './words.ts';

const spelled: ReadonlySet<string> = new Set(ompEvents);

/** What a host hears of an event; some have no word here. */
export type Spell = (event: AgentEvent) => Frame | undefined;

/** For one session: the user's own, or a subagent's. */
export function createSpelling({ stream }: CodecOptions): Spell {
  const updates = stream === 'full' ? fullUpdates() : deltaUpdates();
  return (event) => {
    if (event.type === 'message_start') updates.begin();
    if (event.type === 'message_update') return updates.frame(event.assistantMessageEvent);
    if (!spelled.has(event.type)) return undefined;
    if (event.type === 'tool_execution_update') return toolUpdateFrame(event);
    if (event.type !== 'tool_execution_end') return plainFrame(event);
    const { durationMs: _, ...end } = event;
    return plainFrame(end);
  };
}
