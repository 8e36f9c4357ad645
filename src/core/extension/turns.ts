// First floor, core: turns have numbers for extensions, counted from the beginning of a run. The wire has none.
import type { AgentEvent } from '../../protocol/index.ts';

export function numbered(now: () => number): (event: AgentEvent) => AgentEvent {
  let turnIndex = -1;
  return (event) => {
    if (event.type === 'agent_start') turnIndex = -1;
    if (event.type === 'turn_start') return { ...event, turnIndex: ++turnIndex, timestamp: now() } as AgentEvent;
    return event.type === 'turn_end' ? ({ ...event, turnIndex } as AgentEvent) : event;
  };
}
