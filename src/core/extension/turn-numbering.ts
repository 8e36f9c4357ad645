// Adds turn numbers to turn events for extensions, counted from the start of a run. The RPC protocol has no turn numbers.
import type { AgentEvent } from '../../protocol/index.ts';

export function createTurnNumbering(now: () => number): (event: AgentEvent) => AgentEvent {
  let turnIndex = -1;
  return (event) => {
    if (event.type === 'agent_start') turnIndex = -1;
    if (event.type === 'turn_start') return { ...event, turnIndex: ++turnIndex, timestamp: now() } as AgentEvent;
    return event.type === 'turn_end' ? ({ ...event, turnIndex } as AgentEvent) : event;
  };
}
